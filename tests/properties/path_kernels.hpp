// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "perf/machine.hpp"

namespace rooftile::testing {

/// The kernels that a path has on a device, one for each rung, tile and math mode, and what the library
/// chooses itself.
template <class T>
struct PathKernels {
  std::vector<perf::Candidate<T>> kernels;

  PathKernels(perf::Machine& machine, const perf::Device& device, std::string_view path) {
    for (const perf::Candidate<T>& c : machine.candidates<T>()) {
      if (c.device != &device || c.path != path) continue;
      // A kernel for other devices or another path, and the library's choice in a mode without a kernel here,
      // is refused whatever the product, which tests/rooftile sees to.
      static In<T> factors[2] = {};
      static Out<T> result = {};
      const GemmArgs<T> least{1, row_major<const In<T>>(factors, 1, 1),
                              row_major<const In<T>>(factors + 1, 1, 1), 0, row_major(&result, 1, 1)};
      const Lack lack = c.refusal(least).code;
      if (lack != Lack::path && lack != Lack::hardware && lack != Lack::mode && lack != Lack::instructions)
        kernels.push_back(c);
    }
  }
};

}  // namespace rooftile::testing
