// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include "rooftile/ladder.hpp"

namespace rooftile::detail {

constexpr bool has_preference(const Rung& rung) {
  return rung.preference > 0;
}

/// The rungs that the planner tries if it has no costs, the most preferred first. The dynamic rung has no
/// preference, because run-time bounds make its loops slower.
inline constexpr auto preferred_rungs = [] {
  std::array<const Rung*, std::count_if(std::begin(ladder), std::end(ladder), has_preference)> rungs{};
  std::size_t count = 0;
  for (const Rung& rung : ladder) {
    if (has_preference(rung)) rungs[count++] = &rung;
  }
  std::sort(rungs.begin(), rungs.end(),
            [](const Rung* x, const Rung* y) { return x->preference < y->preference; });
  return rungs;
}();

}  // namespace rooftile::detail
