// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "rooftile/matrix.hpp"
#include "rooftile/types.hpp"

namespace rooftile::testing {

/// `count` elements, uniform in [-1, 1). Integers are in [-128, 127].
template <class T>
std::vector<T> random(Index count, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<T> values(static_cast<std::size_t>(count));
  if constexpr (std::is_integral_v<T>) {
    std::uniform_int_distribution<int> uniform(-128, 127);
    for (T& value : values) value = static_cast<T>(uniform(generator));
  } else {
    using Number = std::conditional_t<detail::Float8<T>, float, Real<Scalar<T>>>;
    std::uniform_real_distribution<Number> uniform(-1, 1);
    for (T& value : values) value = detail::from_parts<T>([&] { return uniform(generator); });
  }
  return values;
}

}  // namespace rooftile::testing
