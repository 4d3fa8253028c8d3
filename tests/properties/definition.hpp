// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "rooftile/problem.hpp"

/// What operands hold and what a product of them is, one element at a time: the same on the host and on GPUs.
namespace rooftile::testing {

/// What elements are: ±1 … ±`largest`, none of them 0, so that one too few or too many shows.
struct Values {
  std::uint64_t seed;
  int largest;
};

/// The element number `index` of an operand (splitmix64: Steele, Lea, Flood, Fast splittable pseudorandom
/// number generators, 2014).
template <class T>
ROOFTILE_FUNCTION T value_at(const Values& values, Index index) {
  std::uint64_t x = values.seed + 0x9E3779B97F4A7C15U * static_cast<std::uint64_t>(index + 1);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  x ^= x >> 31;
  const int size = 1 + static_cast<int>((x >> 1) % static_cast<std::uint64_t>(values.largest));
  return static_cast<T>(static_cast<Scalar<T>>((x & 1U) != 0 ? size : -size));
}

/// Element (i,j) of alpha·A·B + beta·C by the definition. All sums of `Values` are exact in double.
template <class T>
ROOFTILE_FUNCTION T element_of(const GemmArgs<T>& args, Index i, Index j) {
  const auto wide = [](T x) { return static_cast<double>(static_cast<Scalar<T>>(x)); };
  double result = 0;
  if (args.alpha != 0) {
    double sum = 0;
    for (Index k = 0; k < args.A.cols; ++k) sum += wide(args.A(i, k)) * wide(args.B(k, j));
    result = static_cast<double>(args.alpha) * sum;
  }
  if (args.beta != 0) result += static_cast<double>(args.beta) * wide(args.C(i, j));
  return static_cast<T>(static_cast<Scalar<T>>(result));
}

/// Whether a kernel may have left `found` where `expected` must be: 0 may have either sign, and NaN is itself
/// bit by bit.
template <class T>
ROOFTILE_FUNCTION bool agree(T found, T expected) {
  if (static_cast<Scalar<T>>(found) == static_cast<Scalar<T>>(expected)) return true;
  if constexpr (std::is_same_v<T, double>) {
    return __builtin_bit_cast(std::uint64_t, found) == __builtin_bit_cast(std::uint64_t, expected);
  } else if constexpr (std::is_same_v<T, float>) {
    return __builtin_bit_cast(std::uint32_t, found) == __builtin_bit_cast(std::uint32_t, expected);
  } else {
    return found.bits == expected.bits;
  }
}

/// Element (i,j) of batch entry `entry`, by its number among all of them.
struct Place {
  Index entry, i, j;

  ROOFTILE_FUNCTION Place(Index number, Index rows, Index cols)
      : entry(number / (rows * cols)), i(number / cols % rows), j(number % cols) {}
};

}  // namespace rooftile::testing
