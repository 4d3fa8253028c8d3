// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "../machine.hpp"
#include "backends/vendor/blas_form.hpp"

namespace rooftile::perf {

/// A vendor library's gemm, to be compared with kernels that compute in `math`; `call(form)` puts its
/// products into the device's queue.
/// @param follows_pointers  whether it is called for products by pointers
template <class T, class Call>
Candidate<T> vendor_candidate(Device& device, Math math, std::string library, const Call& call,
                              bool follows_pointers = true) {
  const auto refusal = [library, follows_pointers](const BatchArgs<T>& args) -> Refusal {
    if (!follows_pointers && args.pointers.any())
      return {Lack::addresses, library + " is not called by pointers here: leave out --pointers"};
    vendor::BlasForm<T> form;
    const std::string problem = vendor::to_blas(args, form);
    return problem.empty() ? Refusal{} : Refusal{Lack::shape, problem};
  };
  const auto with = [call](const BatchArgs<T>& args) {
    std::vector<vendor::BlasForm<T>> forms;  // of two dimensions, the vendor has one in a call
    for_each_part(args, std::max<Index>(args.batch.count, 1),
                  [&](const BatchArgs<T>& part) { vendor::to_blas(part, forms.emplace_back()); });
    return [call, forms] {
      for (const vendor::BlasForm<T>& form : forms) call(form);
    };
  };
  return {&device, math, "vendor", std::move(library), "", 0, refusal, with};
}

}  // namespace rooftile::perf
