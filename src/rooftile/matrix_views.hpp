// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "rooftile/matrix.hpp"

/// @file
/// Conversions of Views and mdspans to MatrixRef and BatchRef.

namespace rooftile {

namespace detail {

/// Whether an mdspan's accessor returns the stored elements, not scaled or conjugated ones.
template <class X>
concept PlainAccess = !requires {
  typename X::reference;
}
|| std::is_lvalue_reference_v<typename X::reference>;

}  // namespace detail

/// Requirements that Kokkos Views and `std::mdspan` of a rank meet.
template <class X, std::size_t rank>
concept StridedArray = requires(const X& x) {
  { x.extent(0) } -> std::convertible_to<Index>;
  { x.stride(0) } -> std::convertible_to<Index>;
}
&&(X::rank() == rank) && detail::PlainAccess<X> &&
    (
        requires(const X& x) { x.data(); } || requires(const X& x) { x.data_handle(); });

/// A View or mdspan (rows,cols).
template <class X>
concept StridedMatrix = StridedArray<X, 2>;
/// A View or mdspan (count,rows,cols) or (outer,inner,rows,cols).
template <class X>
concept StridedBatch = StridedArray<X, 3> || StridedArray<X, 4>;

namespace detail {

/// Returns the address of the first element of a View or mdspan.
template <class X>
ROOFTILE_FUNCTION constexpr auto data_of(const X& x) {
  // In this order: a View of Kokkos 5 has both, and its handle need not be a pointer.
  if constexpr (requires { x.data(); }) {
    return own(x.data());
  } else {
    return own(x.data_handle());
  }
}
template <class X>
using DataOf = std::remove_pointer_t<decltype(data_of(std::declval<const X&>()))>;

/// Sets the format of a matrix of 8-bit floats that a View or mdspan describes.
template <class X, class T>
ROOFTILE_FUNCTION constexpr MatrixRef<T> with_format_of([[maybe_unused]] const X& x, MatrixRef<T> matrix) {
  if constexpr (Float8<T>) {
    matrix.format = format_of<typename X::element_type>;
  }
  return matrix;
}

}  // namespace detail

/// @{
/// Returns the MatrixRef of a View or mdspan, or of a MatrixRef. Elements std::complex and Kokkos::complex
/// become `complex`.
template <StridedMatrix X>
ROOFTILE_FUNCTION constexpr auto matrix_ref(const X& x) {
  const MatrixRef<detail::DataOf<X>> matrix{detail::data_of(x), static_cast<Index>(x.extent(0)),
                                            static_cast<Index>(x.extent(1)), static_cast<Index>(x.stride(0)),
                                            static_cast<Index>(x.stride(1))};
  return detail::with_format_of(x, matrix);
}
template <class T>
ROOFTILE_FUNCTION constexpr MatrixRef<T> matrix_ref(const MatrixRef<T>& x) {
  return x;
}
template <class Z>
requires detail::ForeignComplex<std::remove_const_t<Z>> ROOFTILE_FUNCTION auto matrix_ref(
    const MatrixRef<Z>& x) {
  MatrixRef<std::remove_pointer_t<decltype(detail::own(x.data))>> own{detail::own(x.data), x.rows, x.cols,
                                                                      x.row_stride, x.col_stride};
  own.is_conjugated = x.is_conjugated;
  return own;
}
template <class T>
requires std::is_same_v<std::remove_const_t<T>, float8_e5m2>
auto matrix_ref(const MatrixRef<T>& x) {
  using Own = std::remove_pointer_t<decltype(detail::own(x.data))>;
  return MatrixRef<Own>{detail::own(x.data), x.rows, x.cols, x.row_stride, x.col_stride, x.format, x.scales};
}
/// @}

/// Returns a matrix of 8-bit floats with scales. Element (i,k) of A, or (k,j) of B, stands for its value
/// times its scale.
///
/// The shape of the scales of A (M,K) states what they scale: (1,1) the matrix, (M,1) rows, (M,⌈K/128⌉)
/// blocks of 1 row and 128 columns, (⌈M/128⌉,⌈K/128⌉) blocks of 128 rows and columns; and those of B (K,N)
/// accordingly.
/// @param X       a View, mdspan or MatrixRef of float8_e4m3 or float8_e5m2
/// @param scales  a View, mdspan or MatrixRef of float, in memory that the computing device reads. Rows or
///                columns of scales that do not vary along K are contiguous.
template <class Matrix, class Scales>
auto with_scales(const Matrix& X, const Scales& scales) {
  auto matrix = matrix_ref(X);
  const MatrixRef<const float> s = matrix_ref(scales);
  matrix.scales = {s.data, s.rows, s.cols, s.row_stride, s.col_stride, 0};
  return matrix;
}

/// @{
/// Returns the BatchRef of a View or mdspan (count,rows,cols) or (outer,inner,rows,cols), or of a BatchRef.
template <StridedBatch X>
requires(X::rank() == 4) constexpr auto batch_ref(const X& x) {
  const MatrixRef<detail::DataOf<X>> first{detail::data_of(x), static_cast<Index>(x.extent(2)),
                                           static_cast<Index>(x.extent(3)), static_cast<Index>(x.stride(2)),
                                           static_cast<Index>(x.stride(3))};
  return nested_batch(detail::with_format_of(x, first), static_cast<Index>(x.extent(0)),
                      static_cast<Index>(x.stride(0)), static_cast<Index>(x.extent(1)),
                      static_cast<Index>(x.stride(1)));
}
template <StridedBatch X>
requires(X::rank() == 3) constexpr auto batch_ref(const X& x) {
  const MatrixRef<detail::DataOf<X>> first{detail::data_of(x), static_cast<Index>(x.extent(1)),
                                           static_cast<Index>(x.extent(2)), static_cast<Index>(x.stride(1)),
                                           static_cast<Index>(x.stride(2))};
  return BatchRef<detail::DataOf<X>>{detail::with_format_of(x, first), static_cast<Index>(x.stride(0)),
                                     static_cast<Index>(x.extent(0))};
}
template <class T>
constexpr BatchRef<T> batch_ref(const BatchRef<T>& x) {
  return x;
}
template <class Z>
requires detail::ForeignComplex<std::remove_const_t<Z>>
auto batch_ref(const BatchRef<Z>& x) {
  const auto first = matrix_ref(x.first);
  using Own = std::remove_pointer_t<decltype(first.data)>;
  auto* const pointers = reinterpret_cast<Own* const*>(x.pointers);
  return BatchRef<Own>{first, x.stride, x.count, pointers, x.alignment, x.inner, x.outer_stride};
}
template <class T>
requires std::is_same_v<std::remove_const_t<T>, float8_e5m2>
auto batch_ref(const BatchRef<T>& x) {
  const auto first = matrix_ref(x.first);
  using Own = std::remove_pointer_t<decltype(first.data)>;
  auto* const pointers = reinterpret_cast<Own* const*>(x.pointers);
  return BatchRef<Own>{first, x.stride, x.count, pointers, x.alignment, x.inner, x.outer_stride};
}
/// @}

}  // namespace rooftile
