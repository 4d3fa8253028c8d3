// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "rooftile/detail/function.hpp"

namespace rooftile {

/// Extents, strides and offsets in elements.
using Index = std::int64_t;

/// A matrix that somebody else owns: element (i,j) is `data[i * row_stride + j * col_stride]`, as in BLIS.
/// Layouts, leading dimensions, sub-matrices and transposes are nothing but strides here.
template <class T>
struct MatrixRef {
  T* data = nullptr;
  Index rows = 0;
  Index cols = 0;
  Index row_stride = 0;
  Index col_stride = 0;

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

/// Row-major (rows, cols); `ld` elements from one row to the next.
template <class T>
constexpr MatrixRef<T> row_major(T* data, Index rows, Index cols, Index ld) {
  return {data, rows, cols, ld, 1};
}
template <class T>
constexpr MatrixRef<T> row_major(T* data, Index rows, Index cols) {
  return row_major(data, rows, cols, cols);
}

/// Column-major (rows, cols), as in Fortran and BLAS; `ld` elements from one column to the next.
template <class T>
constexpr MatrixRef<T> column_major(T* data, Index rows, Index cols, Index ld) {
  return {data, rows, cols, 1, ld};
}
template <class T>
constexpr MatrixRef<T> column_major(T* data, Index rows, Index cols) {
  return column_major(data, rows, cols, rows);
}

/// What Kokkos Views and `std::mdspan` of rank 2 have in common.
template <class X>
concept StridedMatrix = requires(const X& x) {
  { x.extent(0) } -> std::convertible_to<Index>;
  { x.stride(0) } -> std::convertible_to<Index>;
}
&&(X::rank() == 2) && (
                          requires(const X& x) { x.data(); } || requires(const X& x) { x.data_handle(); });

/// The MatrixRef of a View or mdspan; a MatrixRef stays itself.
template <StridedMatrix X>
constexpr auto matrix_ref(const X& x) {
  const auto data = [&] {
    // In this order: a View of Kokkos 5 has both, and its handle need not be a pointer.
    if constexpr (requires { x.data(); }) {
      return x.data();
    } else {
      return x.data_handle();
    }
  }();
  return MatrixRef<std::remove_pointer_t<std::remove_cv_t<decltype(data)>>>{
      data, static_cast<Index>(x.extent(0)), static_cast<Index>(x.extent(1)), static_cast<Index>(x.stride(0)),
      static_cast<Index>(x.stride(1))};
}
template <class T>
constexpr MatrixRef<T> matrix_ref(const MatrixRef<T>& x) {
  return x;
}

}  // namespace rooftile
