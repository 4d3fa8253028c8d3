// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "rooftile/complex.hpp"
#include "rooftile/detail/function.hpp"
#include "rooftile/error.hpp"
#include "rooftile/float8_scales.hpp"

namespace rooftile {

/// The type of extents, strides and offsets, in elements.
using Index = std::int64_t;

namespace detail {

/// A complex type of another library with the layout of `complex`.
template <class Z>
concept ForeignComplex = requires(const Z& z) {
  typename Z::value_type;
  { z.real() } -> std::convertible_to<typename Z::value_type>;
  { z.imag() } -> std::convertible_to<typename Z::value_type>;
}
&&std::floating_point<typename Z::value_type> && sizeof(Z) == 2 * sizeof(typename Z::value_type);

/// Returns the address of the same elements; complex numbers of other libraries as `complex`.
template <class T>
ROOFTILE_FUNCTION constexpr T* own(T* data) {
  return data;
}
template <class Z>
requires ForeignComplex<std::remove_const_t<Z>> ROOFTILE_FUNCTION auto own(Z* data) {
  using Own = complex<typename Z::value_type>;
  return reinterpret_cast<std::conditional_t<std::is_const_v<Z>, const Own, Own>*>(data);
}

/// Returns the address of 8-bit floats in the type that products take. `MatrixMembers::format` distinguishes
/// the formats.
inline float8_e4m3* own(float8_e5m2* data) {
  return reinterpret_cast<float8_e4m3*>(data);
}
inline const float8_e4m3* own(const float8_e5m2* data) {
  return reinterpret_cast<const float8_e4m3*>(data);
}

/// The format of T.
template <Float8 T>
inline constexpr Float8Format format_of =
    std::is_same_v<std::remove_const_t<T>, float8_e5m2> ? Float8Format::e5m2 : Float8Format::e4m3;

/// Whether T is a complex type of Rooftile or of another library.
template <class T>
concept Complex = is_complex<std::remove_const_t<T>> || ForeignComplex<std::remove_const_t<T>>;

}  // namespace detail

/// The members of a matrix of real numbers.
template <class T>
struct MatrixMembers {
  T* data = nullptr;     ///< the address of element (0,0)
  Index rows = 0;        ///< the first extent
  Index cols = 0;        ///< the second extent
  Index row_stride = 0;  ///< elements from one row to the next
  Index col_stride = 0;  ///< elements from one column to the next
};

/// The members of a matrix of complex numbers.
template <class T>
requires detail::Complex<T>
struct MatrixMembers<T> {
  T* data = nullptr;        ///< the address of element (0,0)
  Index rows = 0;           ///< the first extent
  Index cols = 0;           ///< the second extent
  Index row_stride = 0;     ///< elements from one row to the next
  Index col_stride = 0;     ///< elements from one column to the next
  Index is_conjugated = 0;  ///< 1: read as conjugates; an Index, which clang keeps in a register
};

/// The members of a matrix of 8-bit floats. Products take both formats as float8_e4m3.
template <class T>
requires detail::Float8<T>
struct MatrixMembers<T> {
  T* data = nullptr;                           ///< the address of element (0,0)
  Index rows = 0;                              ///< the first extent
  Index cols = 0;                              ///< the second extent
  Index row_stride = 0;                        ///< elements from one row to the next
  Index col_stride = 0;                        ///< elements from one column to the next
  Float8Format format = detail::format_of<T>;  ///< the format of the elements
  Float8Scales scales = {};                    ///< the scales of the elements
};

/// A view of a matrix: element (i,j) is `data[i * row_stride + j * col_stride]`. The caller owns the memory.
/// Strides express leading dimensions, sub-matrices and transposes. Complex matrices can also be read as
/// conjugates. Matrices of 8-bit floats can have scales.
template <class T>
struct MatrixRef : MatrixMembers<T> {
  using MatrixMembers<T>::data, MatrixMembers<T>::rows, MatrixMembers<T>::cols, MatrixMembers<T>::row_stride,
      MatrixMembers<T>::col_stride;

  /// Returns element (i,j) as it is stored. Does not check bounds.
  ROOFTILE_FUNCTION T& operator()(Index i, Index j) const { return data[i * row_stride + j * col_stride]; }

  /// The type of the elements' values.
  using Value = std::conditional_t<detail::Float8<T>, float, std::remove_const_t<T>>;

  /// Returns the value of an element without scales, conjugated if the matrix is read as conjugates.
  ROOFTILE_FUNCTION Value read(const T& element) const {
    if constexpr (detail::Float8<T>) {
      float8_e5m2 other(0.0F);
      other.bits = element.bits;
      return this->format == Float8Format::e5m2 ? static_cast<float>(other) : static_cast<float>(element);
    } else if constexpr (detail::is_complex<std::remove_const_t<T>>) {
      return detail::conjugated_if(this->is_conjugated != 0, element);
    } else if constexpr (detail::Complex<T>) {
      return {element.real(), this->is_conjugated != 0 ? -element.imag() : element.imag()};
    } else {
      return element;
    }
  }
  /// Returns the value of element (i,j), with its scale and conjugated if the matrix is read as conjugates.
  /// Does not check bounds.
  ROOFTILE_FUNCTION Value value(Index i, Index j) const {
    if constexpr (detail::Float8<T>) {
      const Float8Scales& s = this->scales;
      const float x = read((*this)(i, j));
      if (s.data == nullptr) return x;
      return x * s.data[detail::scale_index(i, s.rows, rows) * s.row_stride +
                        detail::scale_index(j, s.cols, cols) * s.col_stride];
    } else {
      return read((*this)(i, j));
    }
  }

  /// Returns the transpose, a view of the same memory.
  ROOFTILE_FUNCTION constexpr MatrixRef transposed() const {
    MatrixRef other = like({data, cols, rows, col_stride, row_stride});
    if constexpr (detail::Float8<T>) other.scales = this->scales.transposed();
    return other;
  }
  /// Returns the conjugate, a view of the same memory. Real matrices are not changed.
  ROOFTILE_FUNCTION constexpr MatrixRef conjugated() const {
    MatrixRef other = *this;
    if constexpr (detail::Complex<T>) other.is_conjugated = this->is_conjugated == 0 ? 1 : 0;
    return other;
  }
  /// Returns the conjugate transpose: BLAS' operation C.
  ROOFTILE_FUNCTION constexpr MatrixRef adjoint() const { return transposed().conjugated(); }

  /// Returns the sub-matrix (rows_, cols_) that begins at (i,j).
  /// @pre i and j are multiples of 128 where blocks of 128 share a scale of 8-bit floats
  ROOFTILE_FUNCTION constexpr MatrixRef block(Index i, Index j, Index rows_, Index cols_) const {
    MatrixRef other = like({data + i * row_stride + j * col_stride, rows_, cols_, row_stride, col_stride});
    if constexpr (detail::Float8<T>) other.scales = this->scales.block(i, j, rows, cols, rows_, cols_);
    return other;
  }
  /// Returns a matrix with this shape and these strides at another address.
  ROOFTILE_FUNCTION constexpr MatrixRef at(T* other) const {
    return like({other, rows, cols, row_stride, col_stride});
  }

  /// A matrix of T converts to a matrix of const T.
  template <class U>
  requires(!std::is_const_v<T> && std::same_as<U, const T>) ROOFTILE_FUNCTION constexpr
  operator MatrixRef<U>() const {
    MatrixRef<U> other{data, rows, cols, row_stride, col_stride};
    if constexpr (detail::Complex<T>) other.is_conjugated = this->is_conjugated;
    if constexpr (detail::Float8<T>) other.format = this->format, other.scales = this->scales;
    return other;
  }

 private:
  /// Returns other elements with the conjugation, or the format and scales, of this matrix.
  ROOFTILE_FUNCTION constexpr MatrixRef like(MatrixRef other) const {
    if constexpr (detail::Complex<T>) other.is_conjugated = this->is_conjugated;
    if constexpr (detail::Float8<T>) other.format = this->format, other.scales = this->scales;
    return other;
  }
};

namespace detail {

/// Whether a matrix is read as conjugates; false for real numbers.
template <class T>
ROOFTILE_FUNCTION constexpr bool reads_conjugates([[maybe_unused]] const MatrixRef<T>& X) {
  if constexpr (Complex<T>) {
    return X.is_conjugated != 0;
  } else {
    return false;
  }
}

/// Whether the rows of C are closer together than its columns.
template <class T>
constexpr bool has_rows_inside(const MatrixRef<T>& C) {
  // Negative, because the least of all strides has no absolute value.
  const auto below_zero = [](Index stride) { return stride < 0 ? stride : -stride; };
  return below_zero(C.row_stride) > below_zero(C.col_stride);
}

}  // namespace detail

/// @{
/// Returns a row-major matrix (rows, cols). `ld` is the number of elements from one row to the next; by
/// default, rows are contiguous.
template <class T>
ROOFTILE_FUNCTION constexpr MatrixRef<T> row_major(T* data, Index rows, Index cols, Index ld) {
  return {data, rows, cols, ld, 1};
}
template <class T>
ROOFTILE_FUNCTION constexpr MatrixRef<T> row_major(T* data, Index rows, Index cols) {
  return row_major(data, rows, cols, cols);
}
/// @}

/// @{
/// Returns a column-major matrix (rows, cols), as in BLAS. `ld` is the number of elements from one column to
/// the next; by default, columns are contiguous.
template <class T>
ROOFTILE_FUNCTION constexpr MatrixRef<T> column_major(T* data, Index rows, Index cols, Index ld) {
  return {data, rows, cols, 1, ld};
}
template <class T>
ROOFTILE_FUNCTION constexpr MatrixRef<T> column_major(T* data, Index rows, Index cols) {
  return column_major(data, rows, cols, rows);
}
/// @}

namespace detail {

/// Returns the elements from the first entry of a batch to entry i. @param inner  entries of the inner of two
/// dimensions; 0: one dimension
ROOFTILE_FUNCTION constexpr Index elements_to(Index i, Index stride, Index inner, Index outer_stride) {
  return inner == 0 ? i * stride : i / inner * outer_stride + i % inner * stride;
}

}  // namespace detail

/// A batch of matrices with one shape and layout: strided, in two dimensions (`nested_batch`), or at
/// arbitrary addresses (`pointer_batch`).
template <class T>
struct BatchRef {
  MatrixRef<T> first;  ///< matrix 0; with pointers, the shape and layout of all
  Index stride = 0;    ///< elements from matrix to matrix; 0: one matrix for all
  Index count = 1;     ///< number of matrices
  /// (count) addresses of elements (0,0), in memory that the computing device reads; null: the batch is
  /// strided.
  T* const* pointers = nullptr;
  Index alignment = alignof(T);  ///< bytes; each pointer is a multiple, by the caller's promise
  Index inner = 0;               ///< matrices of the inner of two dimensions; 0: one dimension
  Index outer_stride = 0;        ///< two dimensions: elements from matrix i to matrix i + inner

  /// Returns matrix i. @pre 0 ≤ i < count; the host can read the pointers
  constexpr MatrixRef<T> operator[](Index i) const {
    MatrixRef<T> matrix = first.at(
        pointers != nullptr ? pointers[i] : first.data + detail::elements_to(i, stride, inner, outer_stride));
    if constexpr (detail::Float8<T>) matrix.scales = matrix.scales.of_entry(i);
    return matrix;
  }

  /// Returns the batch of transposes, of the same memory.
  constexpr BatchRef transposed() const { return like(first.transposed()); }
  /// Returns the batch of conjugates, of the same memory.
  constexpr BatchRef conjugated() const { return like(first.conjugated()); }
  /// Returns the batch of conjugate transposes, of the same memory.
  constexpr BatchRef adjoint() const { return like(first.adjoint()); }

  /// A batch of T converts to a batch of const T.
  template <class U>
  requires(!std::is_const_v<T> && std::same_as<U, const T>) constexpr operator BatchRef<U>() const {
    return {first, stride, count, pointers, alignment, inner, outer_stride};
  }

 private:
  /// The same matrices, with another shape or conjugation.
  constexpr BatchRef like(const MatrixRef<T>& other) const {
    return {other, stride, count, pointers, alignment, inner, outer_stride};
  }
};

/// Returns a batch of matrices at arbitrary addresses. Element (0,0) of matrix i is at `pointers[i]`.
/// @param pointers  (count), in memory that the computing device reads
/// @param layout  shape and strides of each matrix; its `data` is not used
/// @param alignment  bytes; each pointer is a multiple, by the caller's promise. It is a power of two. From
///                   16 on, GPU kernels may copy vectors.
template <class T>
constexpr BatchRef<T> pointer_batch(T* const* pointers, const MatrixRef<std::type_identity_t<T>>& layout,
                                    Index count, Index alignment = alignof(T)) {
  return {layout.at(nullptr), 0, count, pointers, alignment};
}

/// Returns `outer` times `inner` matrices in two dimensions. Matrix (i,j) is number i·inner + j and begins
/// i·outer_stride + j·inner_stride elements after the first. Stride 0 shares the matrix along a dimension.
/// @throws Error  if there are more matrices than an Index counts
template <class T>
constexpr BatchRef<T> nested_batch(const MatrixRef<T>& first, Index outer, Index outer_stride, Index inner,
                                   Index inner_stride) {
  Index count = std::min(outer, inner);  // of which `gemm_batched` refuses a negative one
  if (count >= 0 && __builtin_mul_overflow(outer, inner, &count))
    throw Error(detail::text("too many matrices (", outer, " x ", inner, "): give fewer in a call"));
  return {first, inner_stride, count, nullptr, alignof(T), inner, outer_stride};
}

}  // namespace rooftile
