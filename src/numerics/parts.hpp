// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "numerics/residue.hpp"
#include "numerics/scale.hpp"
#include "rooftile/complex.hpp"
#include "rooftile/detail/function.hpp"
#include "rooftile/types.hpp"

/// Complex numbers by residues (docs/numerics.md): a row of K of them is one of 2·K real numbers.
/// Modulo a number Ar·Br, Ai·Bi and (Ar + Ai)·(Br + Bi) are exact, and so is what they leave of each other.
namespace rooftile::residues {

/// Real numbers that an element is made of.
template <class T>
inline constexpr int part_count = detail::is_complex<T> ? 2 : 1;
/// Products of residues modulo one number for one of elements.
template <class T>
inline constexpr int product_count = detail::is_complex<T> ? 3 : 1;

/// @{
/// The same of a type.
constexpr int parts_of(Type type) {
  return is_complex(type) ? 2 : 1;
}
constexpr int products_of(Type type) {
  return is_complex(type) ? 3 : 1;
}
/// @}

/// @{
/// Part p of a number: 0 the real, 1 the imaginary one.
ROOFTILE_FUNCTION double part_of(double x, int) {
  return x;
}
ROOFTILE_FUNCTION double part_of(const complex<double>& x, int p) {
  return p == 0 ? x.re : x.im;
}
/// @}

/// What is known of a row of X.
template <class T>
ROOFTILE_FUNCTION RowScale scale_of_row(const MatrixRef<const T>& X, Index i) {
  constexpr int parts = part_count<T>;
  return scale_of(parts * X.cols,
                  [&](Index k) { return part_of(X(i, k / parts), static_cast<int>(k % parts)); });
}

/// x modulo p nearest to zero. @pre |x| <= 3·p/2
ROOFTILE_FUNCTION std::int32_t centred_again(std::int32_t x, int p) {
  return 2 * x >= p ? x - p : 2 * x < -p ? x + p : x;
}

/// The factor of product n, of the residues of the parts.
ROOFTILE_FUNCTION std::int32_t factor_of(int n, std::int32_t re, std::int32_t im, int p) {
  return n == 0 ? re : n == 1 ? im : centred_again(re + im, p);
}

/// The residue of a sum's part, of those of the products. @param read  the residue of product n
template <class T, class Read>
ROOFTILE_FUNCTION std::int32_t residue_of_part(int part, [[maybe_unused]] int p, const Read& read) {
  if constexpr (detail::is_complex<T>) {
    return centred_again(part == 0 ? read(0) - read(1) : read(2) - read(0) - read(1), p);
  } else {
    return read(part);
  }
}

/// x·2ⁿ of both parts.
ROOFTILE_FUNCTION complex<double> times_power(const complex<double>& x, int n) {
  return {times_power(x.re, n), times_power(x.im, n)};
}

/// @{
/// alpha·sum + beta·c by BLAS' rule for beta, the same wherever it is computed: c is not asked for where beta
/// is 0. @param read  c
template <class Read>
ROOFTILE_FUNCTION double scaled_sum(double alpha, double sum, double beta, const Read& read) {
  return beta == 0 ? alpha * sum : std::fma(alpha, sum, beta * read());
}
template <class Read>
ROOFTILE_FUNCTION complex<double> scaled_sum(const complex<double>& alpha, const complex<double>& sum,
                                             const complex<double>& beta, const Read& read) {
  complex<double> result(0);
  if (!(beta == complex<double>(0))) {
    const complex<double> c = read();
    result = {std::fma(beta.re, c.re, -(beta.im * c.im)), std::fma(beta.re, c.im, beta.im * c.re)};
  }
  return {std::fma(alpha.re, sum.re, std::fma(-alpha.im, sum.im, result.re)),
          std::fma(alpha.re, sum.im, std::fma(alpha.im, sum.re, result.im))};
}
/// @}

}  // namespace rooftile::residues
