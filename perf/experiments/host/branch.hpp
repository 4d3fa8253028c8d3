// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "../kernels.hpp"

namespace rooftile::perf::host {

/// 32 threads in the lanes of vector registers, as a warp is.
using Warp [[gnu::vector_size(128), gnu::may_alias]] = std::uint32_t;

/// All lanes go this way; those that it is for keep what they found. None goes it if it is for none.
template <int way, class IsFor>
ROOFTILE_FUNCTION void walk_masked(Warp& x, const IsFor& is_for) {
  Warp mask{}, moved = x;
  bool any = false;
  for (int lane = 0; lane < 32; ++lane) {
    if (is_for(lane)) mask[lane] = ~std::uint32_t{0}, any = true;
  }
  if (!any) return;
  walk<way>(moved);
  x = (moved & mask) | (x & ~mask);
}

/// The warp that thread i begins, with the ways of `branch`.
template <int branching>
ROOFTILE_FUNCTION void branch_warp(Warp& x, Index i) {
  const auto every = [](int) { return true; };
  if constexpr (branching == 0) {
    walk_masked<0>(x, every);
  } else if constexpr (branching == 1) {
    walk_masked<0>(x, [&](int) { return i / 32 % 2 == 0; });
    walk_masked<1>(x, [&](int) { return i / 32 % 2 == 1; });
  } else if constexpr (branching == 2) {
    walk_masked<0>(x, [](int lane) { return lane % 2 == 0; });
    walk_masked<1>(x, [](int lane) { return lane % 2 == 1; });
  } else {
    walk_masked<0>(x, [](int lane) { return lane % 4 == 0; });
    walk_masked<1>(x, [](int lane) { return lane % 4 == 1; });
    walk_masked<2>(x, [](int lane) { return lane % 4 == 2; });
    walk_masked<3>(x, [](int lane) { return lane % 4 == 3; });
  }
}

template <int branching>
void branch_as(std::uint32_t* x, Index count, int lanes) {
  if (lanes == 1) {
#pragma omp parallel for schedule(static)
    for (Index i = 0; i < count; ++i) branch<branching>(x[i], i);
    return;
  }
#pragma omp parallel for schedule(static)
  for (Index warp = 0; warp < count / 32; ++warp)
    branch_warp<branching>(reinterpret_cast<Warp*>(x)[warp], 32 * warp);
}

/// With 32 lanes in vectors under masks, with 1 each thread by the CPU's own branches.
inline void branch_all(std::uint32_t* x, Index count, int branching, int lanes) {
  switch (branching) {
    case 0:
      return branch_as<0>(x, count, lanes);
    case 1:
      return branch_as<1>(x, count, lanes);
    case 2:
      return branch_as<2>(x, count, lanes);
    default:
      return branch_as<3>(x, count, lanes);
  }
}

}  // namespace rooftile::perf::host
