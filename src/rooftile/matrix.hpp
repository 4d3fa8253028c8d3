// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "rooftile/detail/function.hpp"

namespace rooftile {

/// Extents, strides and offsets in elements.
using Index = std::int64_t;

/// A matrix that somebody else owns: element (i,j) is `data[i * row_stride + j * col_stride]`, as in BLIS.
/// Layouts, leading dimensions, sub-matrices and transposes are nothing but strides here.
template <class T>
struct MatrixRef {
  T* data = nullptr;     ///< the address of element (0,0)
  Index rows = 0;        ///< the first extent
  Index cols = 0;        ///< the second extent
  Index row_stride = 0;  ///< elements from one row to the next
  Index col_stride = 0;  ///< elements from one column to the next

  /// Element (i,j), unchecked.
  ROOFTILE_FUNCTION T& operator()(Index i, Index j) const { return data[i * row_stride + j * col_stride]; }

  /// The same memory read as (cols, rows).
  ROOFTILE_FUNCTION constexpr MatrixRef transposed() const {
    return {data, cols, rows, col_stride, row_stride};
  }

  /// A matrix may be passed where a read-only one is wanted.
  template <class U>
  requires(!std::is_const_v<T> && std::same_as<U, const T>) constexpr operator MatrixRef<U>() const {
    return {data, rows, cols, row_stride, col_stride};
  }
};

/// @{
/// Row-major (rows, cols); `ld` elements from one row to the next, or rows one behind the other.
template <class T>
constexpr MatrixRef<T> row_major(T* data, Index rows, Index cols, Index ld) {
  return {data, rows, cols, ld, 1};
}
template <class T>
constexpr MatrixRef<T> row_major(T* data, Index rows, Index cols) {
  return row_major(data, rows, cols, cols);
}
/// @}

/// @{
/// Column-major (rows, cols), as in Fortran and BLAS; `ld` elements from one column to the next, or columns
/// one behind the other.
template <class T>
constexpr MatrixRef<T> column_major(T* data, Index rows, Index cols, Index ld) {
  return {data, rows, cols, 1, ld};
}
template <class T>
constexpr MatrixRef<T> column_major(T* data, Index rows, Index cols) {
  return column_major(data, rows, cols, rows);
}
/// @}

/// Matrices of one shape and layout at equal distances: matrix i begins i·stride elements after the first.
template <class T>
struct BatchRef {
  MatrixRef<T> first;  ///< matrix 0
  Index stride = 0;    ///< 0: all are the first
  Index count = 1;     ///< of matrices

  /// Matrix i. @pre 0 ≤ i < count
  constexpr MatrixRef<T> operator[](Index i) const {
    return {first.data + i * stride, first.rows, first.cols, first.row_stride, first.col_stride};
  }

  /// The same memory, each matrix read as (cols, rows).
  constexpr BatchRef transposed() const { return {first.transposed(), stride, count}; }

  /// A batch may be passed where a read-only one is wanted.
  template <class U>
  requires(!std::is_const_v<T> && std::same_as<U, const T>) constexpr operator BatchRef<U>() const {
    return {first, stride, count};
  }
};

/// What Kokkos Views and `std::mdspan` of a rank have in common.
template <class X, std::size_t rank>
concept StridedArray = requires(const X& x) {
  { x.extent(0) } -> std::convertible_to<Index>;
  { x.stride(0) } -> std::convertible_to<Index>;
}
&&(X::rank() == rank) && (
                             requires(const X& x) { x.data(); } || requires(const X& x) { x.data_handle(); });

/// A View or mdspan (rows,cols).
template <class X>
concept StridedMatrix = StridedArray<X, 2>;
/// A View or mdspan (count,rows,cols).
template <class X>
concept StridedBatch = StridedArray<X, 3>;

namespace detail {

/// The address of a View's or mdspan's first element.
template <class X>
constexpr auto data_of(const X& x) {
  // In this order: a View of Kokkos 5 has both, and its handle need not be a pointer.
  if constexpr (requires { x.data(); }) {
    return x.data();
  } else {
    return x.data_handle();
  }
}
template <class X>
using DataOf = std::remove_pointer_t<decltype(data_of(std::declval<const X&>()))>;

}  // namespace detail

/// @{
/// The MatrixRef of a View or mdspan; a MatrixRef stays itself.
template <StridedMatrix X>
constexpr auto matrix_ref(const X& x) {
  return MatrixRef<detail::DataOf<X>>{detail::data_of(x), static_cast<Index>(x.extent(0)),
                                      static_cast<Index>(x.extent(1)), static_cast<Index>(x.stride(0)),
                                      static_cast<Index>(x.stride(1))};
}
template <class T>
constexpr MatrixRef<T> matrix_ref(const MatrixRef<T>& x) {
  return x;
}
/// @}

/// @{
/// The BatchRef of a View or mdspan (count,rows,cols); a BatchRef stays itself.
template <StridedBatch X>
constexpr auto batch_ref(const X& x) {
  return BatchRef<detail::DataOf<X>>{
      {detail::data_of(x), static_cast<Index>(x.extent(1)), static_cast<Index>(x.extent(2)),
       static_cast<Index>(x.stride(1)), static_cast<Index>(x.stride(2))},
      static_cast<Index>(x.stride(0)),
      static_cast<Index>(x.extent(0))};
}
template <class T>
constexpr BatchRef<T> batch_ref(const BatchRef<T>& x) {
  return x;
}
/// @}

}  // namespace rooftile
