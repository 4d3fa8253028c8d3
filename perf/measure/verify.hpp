// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "../interrupt.hpp"
#include "../record/record.hpp"
#include "operands.hpp"

namespace rooftile::perf {

/// Up to this number of multiply-adds, the reference covers every row of C; beyond, evenly spread rows.
inline constexpr double full_reference = 1.25e11;

struct Sampling {
  std::size_t samples = 15;           ///< per kernel
  double seconds = 1;                 ///< a kernel stops early after this total time …
  std::size_t least = 3;              ///< … if it has this number of samples
  double reference = full_reference;  ///< multiply-adds of each of the two references
  /// A kernel also stops early when the half-width of the median's confidence interval, relative to the
  /// median, reaches this value. 0: never.
  double error = 0;
  bool cold = false;  ///< caches are flushed before each sample
  Index burst = 1;    ///< minimum number of consecutive calls in a sample
  std::function<bool()> ended = [] { return Interrupts::noted() != 0; };  ///< whether to stop
};

/// `wanted` of the numbers 0 to count - 1, including the first and the last; all if there are no more.
inline std::vector<Index> evenly_spread(Index count, Index wanted) {
  std::vector<Index> numbers;
  if (wanted >= count) wanted = count;
  for (Index i = 0; i < wanted; ++i) {
    numbers.push_back(wanted == count ? i : i * (count - 1) / (wanted - 1));
  }
  return numbers;
}

/// The number of rows of C that the reference budget allows to check, at least 2.
inline Index count_of_rows_to_check(const GemmShape& shape, double reference = full_reference) {
  const double per_row = static_cast<double>(shape.n) * static_cast<double>(shape.k);
  const Index wanted = std::max<Index>(2, static_cast<Index>(reference / std::max(per_row, 1.0)));
  return std::min(shape.m, wanted);
}

/// The rows of C to check: the first, the last and evenly spread rows.
inline std::vector<Index> rows_to_check(const GemmShape& shape, double reference = full_reference) {
  return evenly_spread(shape.m, count_of_rows_to_check(shape, reference));
}

/// The products of a batch to check, at least 2: the first, the last and evenly spread ones.
inline constexpr Index max_products_to_check = 1000;
inline std::vector<Index> products_to_check(const GemmShape& shape, Index count,
                                            double reference = full_reference) {
  const auto affordable = static_cast<Index>(std::min(reference / std::max(0.5 * shape.flops(), 1.0), 1e9));
  return evenly_spread(count, std::clamp<Index>(affordable, 2, max_products_to_check));
}

template <class T>
std::string title_of(const Candidate<T>& c) {
  return c.path + ' ' + c.kernel + ' ' + c.tile;
}

/// Compares each candidate with status ok with the reference. Integer values must be exact: with random
/// values, an error bound can hide one missing product in 65,536. @throws Interrupted
template <class T>
void verify(const std::vector<const Candidate<T>*>& candidates, Operands<T>& operands, Values values,
            const Sampling& sampling, const std::function<void(const std::string&)>& progress,
            std::vector<Result>& results);

}  // namespace rooftile::perf
