// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <fmt/format.h>

#include "plan/check.hpp"
#include "rooftile/error.hpp"
#include "rooftile/problem.hpp"

namespace rooftile::perf {

/// How shapes are drawn: extents from min to max, equally many of each power of two.
struct RandomShapes {
  Index count = 0, min = 1, max = 1;
  std::uint64_t seed = 0;
};

/// @throws Error where there is none between them
inline void check_extents(Index min, Index max) {
  if (min > max) {
    throw Error(fmt::format("--min {} above --max {}: give extents from the least to the largest", min, max));
  }
}

/// The same of the same seed. @pre 0 < min ≤ max
inline std::vector<GemmShape> draw(const RandomShapes& r) {
  std::mt19937_64 bits(r.seed);
  std::uniform_real_distribution<double> exponent(std::log2(r.min), std::log2(r.max + 1));
  const auto extent = [&] { return std::clamp(static_cast<Index>(std::exp2(exponent(bits))), r.min, r.max); };
  std::vector<GemmShape> shapes(static_cast<std::size_t>(r.count));
  for (GemmShape& shape : shapes) shape.m = extent(), shape.n = extent(), shape.k = extent();
  return shapes;
}

}  // namespace rooftile::perf
