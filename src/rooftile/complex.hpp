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

/// A complex number, also for kernels. It has the layout of complex numbers in C, Fortran, std::complex and
/// Kokkos::complex, and may alias them. Products follow the definition: an infinite part may make the other
/// NaN.
template <std::floating_point R>
struct [[gnu::may_alias]] complex {
  using value_type = R;  ///< type of the parts

  R re;  ///< the real part
  R im;  ///< the imaginary part

  complex() = default;
  /// Makes a number from its real part, or from both parts.
  ROOFTILE_FUNCTION constexpr complex(R real, R imaginary = 0) : re(real), im(imaginary) {}
  /// Converts a number with another part type, with rounding.
  template <class S>
  requires(!std::same_as<S, R>) ROOFTILE_FUNCTION constexpr explicit complex(const complex<S>& z)
      : re(static_cast<R>(z.re)), im(static_cast<R>(z.im)) {}
  /// Converts std::complex or Kokkos::complex.
  template <class Z>
  requires requires(const Z& z) {
    { z.real() } -> std::convertible_to<R>;
    requires std::same_as<std::remove_cvref_t<decltype(z.real())>, R>;
  }
  ROOFTILE_FUNCTION constexpr complex(const Z& z) : re(z.real()), im(z.imag()) {}

  /// Converts to std::complex.
  constexpr operator std::complex<R>() const { return {re, im}; }

  /// @{
  /// Arithmetic of complex numbers.
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

/// Prints `(1,-2)`, as std::complex does.
template <class R>
std::ostream& operator<<(std::ostream& out, const complex<R>& z) {
  return out << std::complex<R>(z);
}

namespace detail {

template <class T>
inline constexpr bool is_complex = false;
template <class R>
inline constexpr bool is_complex<complex<R>> = true;

/// Returns a number, drawing its parts one after the other.
template <class T, class Draw>
constexpr T from_parts(const Draw& part) {
  if constexpr (is_complex<T>) {
    const auto re = static_cast<typename T::value_type>(part());
    return {re, static_cast<typename T::value_type>(part())};
  } else {
    return static_cast<T>(part());
  }
}

/// The type for computations: unsigned for integers that may overflow, which wraps around; else T.
template <class T>
using Arithmetic = std::conditional_t<std::is_same_v<T, std::int32_t>, std::uint32_t, T>;

/// Adds a·b to the sum. For complex numbers, these are four multiply-adds; `sum += a * b` takes two products
/// more.
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

/// Returns x, or its conjugate; x if it is real.
template <class T>
ROOFTILE_FUNCTION constexpr T conjugated_if([[maybe_unused]] bool is_so, T x) {
  if constexpr (is_complex<T>) {
    return {x.re, is_so ? -x.im : x.im};
  } else {
    return x;
  }
}

/// When a loop conjugates values: it asks each time, always, or never.
enum class Conjugation { asked, all, none };

/// Conjugates the values; real numbers stay.
/// @param is_so  whether to conjugate, for `asked`
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
/// The members of numeric_limits that the library and its tests use: those of the parts, and NaN in both
/// parts.
template <class R>
struct std::numeric_limits<rooftile::complex<R>> : std::numeric_limits<R> {
  static constexpr rooftile::complex<R> quiet_NaN() {
    return {numeric_limits<R>::quiet_NaN(), numeric_limits<R>::quiet_NaN()};
  }
};
/// @endcond
