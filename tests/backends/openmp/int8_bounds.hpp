// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "rooftile/device/residues/moduli.hpp"
#include "tests/support/int8_numbers.hpp"

/// How products by residues are measured: by their bits, and by the bounds of docs/fp64-from-int8.md.
namespace rooftile::testing {

inline constexpr double u = 0x1p-53;

inline bool same_bits(const Numbers& x, const Numbers& y) {
  for (std::size_t e = 0; e < x.data.size(); ++e) {
    if (std::bit_cast<std::uint64_t>(x.data[e]) != std::bit_cast<std::uint64_t>(y.data[e])) return false;
  }
  return x.data.size() == y.data.size();
}

/// Counts elements that are further from the exact ones than `bound(exact)`.
template <class Bound>
int count_beyond(const Operands& x, const Numbers& c, const Bound& bound) {
  int beyond = 0;
  for (Index i = 0; i < c.rows; ++i) {
    for (Index j = 0; j < c.cols; ++j) {
      const Exact exact = exact_element(x, i, j);
      const double distance = exact.distance(c.ref()(i, j));
      beyond += !(distance <= bound(exact) + Exact::underflow(x.a.cols));  // NaN is beyond
    }
  }
  return beyond;
}

/// Demmel's Grade A, with the K that the guard proves.
inline int count_beyond_grade_a(const Operands& x, const Numbers& c) {
  const double roundings = static_cast<double>(x.a.cols + 4);
  return count_beyond(x, c, [&](const Exact& e) { return roundings * u * e.magnitude; });
}

/// E8. A row's norm is rounded up, and β' is less than β by 2⁻²⁰.
inline int count_beyond_e8(const Operands& x, const Numbers& c, int moduli) {
  const auto k = static_cast<double>(x.a.cols);
  const double squared = 1 / residues::squared_limit(moduli);  // 4^-β'
  const double of_norms = (2 * std::sqrt(k * squared) + k * squared) * (1 + 0x1p-20);
  return count_beyond(x, c, [&](const Exact& e) { return of_norms * e.norms + 3 * u * std::abs(e.sum); });
}

}  // namespace rooftile::testing
