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

/// Complex numbers in residue arithmetic (docs/numerics.md). A row of K complex numbers is scaled as a row
/// of 2·K real ones. Modulo p, the products Ar·Br, Ai·Bi and (Ar + Ai)·(Br + Bi) and their differences are
/// exact, hence three real products replace four.
namespace rooftile::residues {

/// Real numbers of an element.
template <class T>
inline constexpr int part_count = detail::is_complex<T> ? 2 : 1;
/// Real products modulo each number that replace one product of elements.
template <class T>
inline constexpr int product_count = detail::is_complex<T> ? 3 : 1;

/// @{
/// `part_count` and `product_count` of a type at run time.
constexpr int parts_of(Type type) {
  return is_complex(type) ? 2 : 1;
}
constexpr int products_of(Type type) {
  return is_complex(type) ? 3 : 1;
}
/// @}

/// @{
/// Returns part p of a number: 0 is the real part, 1 the imaginary part.
ROOFTILE_FUNCTION double part_of(double x, int) {
  return x;
}
ROOFTILE_FUNCTION double part_of(const complex<double>& x, int p) {
  return p == 0 ? x.re : x.im;
}
/// @}

/// Returns the scale of row i of X.
template <class T>
ROOFTILE_FUNCTION RowScale scale_of_row(const MatrixRef<const T>& X, Index i) {
  constexpr int parts = part_count<T>;
  return scale_of(parts * X.cols,
                  [&](Index k) { return part_of(X(i, k / parts), static_cast<int>(k % parts)); });
}

/// Returns the residue of x modulo p that is nearest to zero. @pre |x| <= 3·p/2
ROOFTILE_FUNCTION std::int32_t centred_again(std::int32_t x, int p) {
  return 2 * x >= p ? x - p : 2 * x < -p ? x + p : x;
}

/// Returns the factor of product n from the residues of the parts: re, im or re + im.
ROOFTILE_FUNCTION std::int32_t factor_of(int n, std::int32_t re, std::int32_t im, int p) {
  return n == 0 ? re : n == 1 ? im : centred_again(re + im, p);
}

/// Returns the residue of a part of the sum. @param read  residue of product n
template <class T, class Read>
ROOFTILE_FUNCTION std::int32_t residue_of_part(int part, [[maybe_unused]] int p, const Read& read) {
  if constexpr (detail::is_complex<T>) {
    return centred_again(part == 0 ? read(0) - read(1) : read(2) - read(0) - read(1), p);
  } else {
    return read(part);
  }
}

/// Returns x·2ⁿ.
ROOFTILE_FUNCTION complex<double> times_power(const complex<double>& x, int n) {
  return {times_power(x.re, n), times_power(x.im, n)};
}

/// @{
/// Returns alpha·sum + beta·c. If beta is 0, c is not read, as in BLAS. Explicit fused multiply-adds give
/// equal bits on all devices. @param read  returns c
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
