// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "../machine.hpp"
#include "backends/vendor/blas_form.hpp"

namespace rooftile::perf {

/// A vendor library's gemm, to be compared with kernels that compute in `math`; `call(form)` puts its
/// products into the device's queue.
template <class T, class Call>
Candidate<T> vendor_candidate(Device& device, Math math, std::string library, const Call& call) {
  const auto refusal = [](const BatchArgs<T>& args) -> Refusal {
    vendor::BlasForm<T> form;
    const std::string problem = vendor::to_blas(args, form);
    return problem.empty() ? Refusal{} : Refusal{Lack::shape, problem};
  };
  const auto with = [call](const BatchArgs<T>& args) {
    vendor::BlasForm<T> form;
    vendor::to_blas(args, form);
    return [call, form] { call(form); };
  };
  return {&device, math, "vendor", std::move(library), "", 0, refusal, with};
}

}  // namespace rooftile::perf
