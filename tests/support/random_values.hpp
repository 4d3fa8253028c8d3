// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "rooftile/matrix.hpp"
#include "rooftile/types.hpp"

namespace rooftile::testing {

/// So many elements, uniform in [-1, 1).
template <class T>
std::vector<T> random(Index count, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<Real<Scalar<T>>> uniform(-1, 1);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) value = detail::from_parts<T>([&] { return uniform(generator); });
  return values;
}

}  // namespace rooftile::testing
