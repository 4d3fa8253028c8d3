// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/offload/offload.hpp"
#include "bindings/offload/on_cpu.hpp"
#include "cpu/explain.hpp"
#include "plan/int8_choice.hpp"
#include "plan/prepare.hpp"

namespace rooftile::bindings {

/// What was done for the calling thread's last products, as a log has it. @pre they are prepared
template <class T>
GemmPlan explain(const BatchArgs<T>& ready) {
  GemmPlan plan;
  if (last_was_gpu) {
    gpu::Answer answer;
    const gpu::Functions* const part = gpu_part(answer);
    if (part != nullptr && part->explain(wanted_math<T>(), &ready, nullptr, plan)) return plan;
  }
  plan.kernel = Kernel::packed, plan.tile = portable::real_blocks<T>(), plan.math = own_math<T>();
  plan.why = "the kernel of CPUs";
  if (detail::nothing_to_do(ready)) return plan;
  if (const Math math = wanted_math<T>(); math != plan.math) {
    const std::string_view why = detail::why_not_int8(ready.shape(), Path::portable, type_of<T>());
    plan.why = why.empty() ? detail::why_int8 : why;
    if (why.empty()) {
      plan.math = math;
      plan_int8(ready, plan);
      return plan;
    }
  }
  portable::explain_packed<T>(ready, portable::OpenMpThreads().count(),
                              portable::OpenMpThreads().computes_alone(), plan);
  return plan;
}

}  // namespace rooftile::bindings
