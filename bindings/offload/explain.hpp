// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/offload/offload.hpp"
#include "bindings/offload/on_cpu.hpp"

namespace rooftile::bindings {

/// The plan of the calling thread's last products, for the log. @pre the products are prepared
template <class T>
GemmPlan explain(const BatchArgs<T>& ready) {
  if (last_was_gpu) {
    GemmPlan plan;
    gpu::Answer answer;
    const gpu::Functions* const part = gpu_part(answer);
    if (part != nullptr && part->explain(wanted_math<T>(), &ready, nullptr, plan)) return plan;
  }
  return detail::explain_call(portable::HostEngine(), ready, wanted_options<T>());
}

}  // namespace rooftile::bindings
