// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <random>
#include <vector>

#include "rooftile/matrix.hpp"
#include "rooftile/types.hpp"

/// Operands of the CPU tests.
namespace rooftile::testing {

using Random = std::mt19937_64;

inline Index pick(Random& random, Index low, Index high) {
  return std::uniform_int_distribution<Index>(low, high)(random);
}

/// A small integer. For complex numbers, two of them.
template <class T>
T number(Random& random, Index low, Index high) {
  return detail::from_parts<T>([&] { return static_cast<Real<Scalar<T>>>(pick(random, low, high)); });
}

/// A matrix of integers in its own memory, with NaN before it, after it, and in the gaps.
template <class T>
struct Padded {
  static constexpr Index front = 64;
  inline static const T nan = std::numeric_limits<T>::quiet_NaN();

  MatrixRef<T> at;
  std::vector<T> memory;

  /// @param step  distance of the elements in a row or column; 1: contiguous
  Padded(Random& random, Index rows, Index cols, bool by_rows, Index step, bool with_values) {
    const Index ld = (by_rows ? cols : rows) * step + pick(random, 0, 3);
    memory.assign(static_cast<std::size_t>(2 * front + ld * (by_rows ? rows : cols)), nan);
    at = {memory.data() + front, rows, cols, by_rows ? ld : step, by_rows ? step : ld};
    if (!with_values) return;
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j) at(i, j) = number<T>(random, -4, 4);
    }
  }

  /// Whether the matrix holds numbers and everything around it is still NaN.
  bool only_elements() const {
    Index numbers = 0;
    for (const T& x : memory) numbers += x == x;
    bool all = numbers == at.rows * at.cols;
    for (Index i = 0; i < at.rows; ++i) {
      for (Index j = 0; j < at.cols; ++j) all = all && at(i, j) == at(i, j);
    }
    return all;
  }
};

}  // namespace rooftile::testing
