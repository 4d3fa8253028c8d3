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

/// The largest product, in multiply-adds, whose references cover every row of C; beyond, evenly spread rows.
inline constexpr double full_reference = 1.25e11;

struct Sampling {
  std::size_t samples = 15;           ///< of each kernel
  double seconds = 1;                 ///< a kernel stops earlier once it has taken this long …
  std::size_t least = 3;              ///< … and has this many
  double reference = full_reference;  ///< multiply-adds of each of the two references
  /// A kernel stops earlier, too, once its median is known that well: half of the interval over the median.
  /// 0: it does not.
  double error = 0;
  bool cold = false;  ///< caches hold none of the operands when a sample begins
  Index burst = 1;    ///< calls of a sample at least, one behind the other
  std::function<bool()> ended = [] { return Interrupts::noted() != 0; };  ///< whether to stop
};

/// `wanted` of `count` numbers from 0 on, the first and the last among them; all if there are no more.
inline std::vector<Index> evenly_spread(Index count, Index wanted) {
  std::vector<Index> numbers;
  if (wanted >= count) wanted = count;
  for (Index i = 0; i < wanted; ++i) {
    numbers.push_back(wanted == count ? i : i * (count - 1) / (wanted - 1));
  }
  return numbers;
}

/// How many rows of C so many multiply-adds allow to check, at least 2.
inline Index count_of_rows_to_check(const GemmShape& shape, double reference = full_reference) {
  const double per_row = static_cast<double>(shape.n) * static_cast<double>(shape.k);
  const Index wanted = std::max<Index>(2, static_cast<Index>(reference / std::max(per_row, 1.0)));
  return std::min(shape.m, wanted);
}

/// As many: the first, the last and evenly spread ones.
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

/// Compares each candidate that is still ok with the reference; integers must come out exactly, since of
/// random numbers one product in 65,536 may be lost within the bound. @throws Interrupted
template <class T>
void verify(const std::vector<const Candidate<T>*>& candidates, Operands<T>& operands, Values values,
            const Sampling& sampling, const std::function<void(const std::string&)>& progress,
            std::vector<Result>& results);

}  // namespace rooftile::perf
