// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <type_traits>

#include "rooftile/detail/function.hpp"

namespace rooftile {

/// A complex number as C, Fortran, std::complex and Kokkos::complex lay it out, for kernels, too, and may
/// alias them: a matrix of theirs is read as one of these. Products are the definition's, so that what is
/// infinite in one part may become NaN in the other.
template <std::floating_point R>
struct [[gnu::may_alias]] complex {
  using value_type = R;  ///< of its parts

  R re;  ///< the real part
  R im;  ///< the imaginary part

  complex() = default;
  /// A real number, or both parts.
  ROOFTILE_FUNCTION constexpr complex(R real, R imaginary = 0) : re(real), im(imaginary) {}
  /// One with other parts, rounded.
  template <class S>
  requires(!std::same_as<S, R>) ROOFTILE_FUNCTION constexpr explicit complex(const complex<S>& z)
      : re(static_cast<R>(z.re)), im(static_cast<R>(z.im)) {}
  /// std::complex or Kokkos::complex of the same parts.
  template <class Z>
  requires requires(const Z& z) {
    { z.real() } -> std::convertible_to<R>;
    requires std::same_as<std::remove_cvref_t<decltype(z.real())>, R>;
  }
  ROOFTILE_FUNCTION constexpr complex(const Z& z) : re(z.real()), im(z.imag()) {}

  /// std::complex of the same parts.
  constexpr operator std::complex<R>() const { return {re, im}; }

  /// @{
  /// As of numbers.
  ROOFTILE_FUNCTION constexpr complex& operator+=(const complex& z) { return *this = *this + z; }
  ROOFTILE_FUNCTION constexpr complex operator-() const { return {-re, -im}; }
  ROOFTILE_FUNCTION friend constexpr complex operator+(const complex& x, const complex& y) {
    return {x.re + y.re, x.im + y.im};
  }
  ROOFTILE_FUNCTION friend constexpr complex operator-(const complex& x, const complex& y) {
    return {x.re - y.re, x.im - y.im};
  }
  ROOFTILE_FUNCTION friend constexpr complex operator*(const complex& x, const complex& y) {
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
  }
  ROOFTILE_FUNCTION constexpr bool operator==(const complex& z) const { return re == z.re && im == z.im; }
  /// @}
};

/// `(1,-2)`, as std::complex.
template <class R>
std::ostream& operator<<(std::ostream& out, const complex<R>& z) {
  return out << std::complex<R>(z);
}

namespace detail {

template <class T>
inline constexpr bool is_complex = false;
template <class R>
inline constexpr bool is_complex<complex<R>> = true;

/// A number whose parts are drawn one after the other.
template <class T, class Draw>
constexpr T from_parts(const Draw& part) {
  if constexpr (is_complex<T>) {
    const auto re = static_cast<typename T::value_type>(part());
    return {re, static_cast<typename T::value_type>(part())};
  } else {
    return static_cast<T>(part());
  }
}

/// The type to compute in: of integers that may overflow the one that wraps around, else T itself.
template <class T>
using Arithmetic = std::conditional_t<std::is_same_v<T, std::int32_t>, std::uint32_t, T>;

/// sum += a·b. Of complex numbers with four multiply-adds, where `sum += a * b` would be two products more.
template <class T>
ROOFTILE_FUNCTION constexpr void multiply_add(T& sum, const T& a, const T& b) {
  if constexpr (std::is_same_v<T, Arithmetic<T>>) {
    sum += a * b;
  } else {
    using U = Arithmetic<T>;
    sum = static_cast<T>(static_cast<U>(sum) + static_cast<U>(a) * static_cast<U>(b));
  }
}
template <class R>
ROOFTILE_FUNCTION constexpr void multiply_add(complex<R>& sum, const complex<R>& a, const complex<R>& b) {
  sum.re += a.re * b.re;
  sum.re -= a.im * b.im;
  sum.im += a.re * b.im;
  sum.im += a.im * b.re;
}

/// x or its conjugate; of a real number itself.
template <class T>
ROOFTILE_FUNCTION constexpr T conjugated_if([[maybe_unused]] bool is_so, T x) {
  if constexpr (is_complex<T>) {
    return {x.re, is_so ? -x.im : x.im};
  } else {
    return x;
  }
}

/// How often a loop asks whether it takes values as their conjugates: for each, or never, since it has a
/// version that does for all, and one for none.
enum class Conjugation { asked, all, none };

/// The values or their conjugates; of real numbers themselves.
/// @param is_so  which of the two, where it is `asked`
template <Conjugation conjugation, class T, std::size_t n>
ROOFTILE_FUNCTION constexpr void conjugate(T (&values)[n], [[maybe_unused]] bool is_so) {
  if constexpr (is_complex<T> && conjugation != Conjugation::none) {
    ROOFTILE_UNROLL_ALL
    for (T& x : values) x = conjugated_if(conjugation == Conjugation::all || is_so, x);
  }
}

}  // namespace detail

}  // namespace rooftile

/// @cond
/// What of numeric_limits the library and its tests ask: that of the parts, and NaN in both.
template <class R>
struct std::numeric_limits<rooftile::complex<R>> : std::numeric_limits<R> {
  static constexpr rooftile::complex<R> quiet_NaN() {
    return {numeric_limits<R>::quiet_NaN(), numeric_limits<R>::quiet_NaN()};
  }
};
/// @endcond
