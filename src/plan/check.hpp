// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>

#include "rooftile/error.hpp"
#include "rooftile/problem.hpp"

/// What every entry of the library does with its arguments before anything is launched.
namespace rooftile::detail {

template <class T>
bool is_empty(const MatrixRef<T>& X) {
  return X.rows == 0 || X.cols == 0;
}

/// The matrices of a batch: how many there are in each of two dimensions, and how far apart.
struct Steps {
  Index count = 1;  ///< of the inner dimension
  Index stride = 0;
  Index outer = 1;
  Index outer_stride = 0;

  /// Of a batch whose strides these are; that of a single one, which leads nowhere and may be anything, is 0.
  static constexpr Steps of(Index count, Index stride, Index inner, Index outer_stride) {
    const auto steps = [](Index one, Index step, Index other, Index outer_step) {
      return Steps{one, one == 1 ? 0 : step, other, other == 1 ? 0 : outer_step};
    };
    return inner == 0 ? steps(count, stride, 1, 0) : steps(inner, stride, count / inner, outer_stride);
  }
};

/// The lowest and the highest offset of the elements of a matrix, or of those of a batch.
/// @throws Error where addresses could overflow
struct OffsetRange {
  Index low = 0;
  Index high = 0;
};
[[noreturn]] inline void refuse_offsets(const char* name, Index extent, Index step) {
  throw Error(text("extent times stride overflows for ", name, " (", extent, " x ", step,
                   "): check the sizes and leading dimensions"));
}
template <class T>
OffsetRange offset_range(const char* name, const MatrixRef<T>& X, const Steps& steps = {}) {
  OffsetRange range;
  // Half of what fits, so that an address and an offset can be added.
  const Index limit = std::numeric_limits<Index>::max() / 2 / static_cast<Index>(sizeof(T));
  const auto widen = [&](Index extent, Index step) {
    Index span = 0;
    if (__builtin_mul_overflow(extent - 1, step, &span) || span > limit - range.high ||
        span < -limit - range.low) {
      refuse_offsets(name, extent, step);
    }
    (span < 0 ? range.low : range.high) += span;
  };
  widen(X.rows, X.row_stride);
  widen(X.cols, X.col_stride);
  if (steps.count > 1) widen(steps.count, steps.stride);
  if (steps.outer > 1) widen(steps.outer, steps.outer_stride);
  return range;
}

[[noreturn]] inline void refuse_matrix(const char* problem, const char* name, Index rows, Index cols,
                                       const char* advice) {
  throw Error(text(problem, " of ", name, " (", rows, " x ", cols, "): ", advice));
}

/// The sizes of products whose operands are not known. @throws Error for negative ones
inline void check_sizes(const GemmShape& shape, Index count) {
  const auto [m, n, k] = shape;
  if (m < 0 || n < 0 || k < 0) {
    throw Error(text("negative size (m ", m, ", n ", n, ", k ", k, "): give extents of 0 or more"));
  }
  if (count < 0) throw Error(text("negative number of products (", count, "): give 0 or more"));
}

template <class T>
void check_extents(const char* name, const MatrixRef<T>& X) {
  if (X.rows < 0 || X.cols < 0)
    refuse_matrix("negative size", name, X.rows, X.cols, "give extents of 0 or more");
}

/// @pre `check_extents`
template <class T>
void check_memory(const char* name, const MatrixRef<T>& X, const Steps& steps = {}) {
  if (is_empty(X)) return;
  if (X.data == nullptr) refuse_matrix("null data", name, X.rows, X.cols, "allocate the matrix first");
  offset_range(name, X, steps);
}

/// The text of an error about an address.
inline std::string text_of_misaligned(const char* name, const void* address, std::size_t size) {
  return text("address of ", name, " not a multiple of ", size, " bytes (", address,
              "): align elements to their size");
}

/// A GPU reads an element, also a complex number, only at a multiple of its size. A kernel that reads one
/// elsewhere ends the process' work on the GPU.
template <class E>
bool is_aligned(const E* address) {
  return reinterpret_cast<std::uintptr_t>(address) % sizeof(E) == 0;
}
/// @throws Error where a GPU cannot read an element at the address
template <class E>
void check_aligned(const char* name, const E* address) {
  if (!is_aligned(address)) throw Error(text_of_misaligned(name, address, sizeof(E)));
}

/// C's elements must be distinct. Of a row and a column stride that have a common multiple within C, some
/// rows down and some columns back lead to the same element.
template <class T>
void check_distinct(const MatrixRef<T>& C) {
  // The stride of a single row or column leads nowhere.
  const Index row_stride = C.rows > 1 ? std::abs(C.row_stride) : 0;
  const Index col_stride = C.cols > 1 ? std::abs(C.col_stride) : 0;
  // Most are rows that end before the next one begins, or such columns: known without a division, which
  // small products would feel.
  const auto apart = [](Index extent, Index stride, Index next) {
    Index reach = 0;
    return (stride > 0 || extent == 1) && !__builtin_mul_overflow(extent - 1, stride, &reach) && reach < next;
  };
  if (apart(C.cols, col_stride, row_stride) || apart(C.rows, row_stride, col_stride)) return;
  const Index common = std::gcd(row_stride, col_stride);
  const bool distinct = common == 0 ? C.rows == 1 && C.cols == 1
                                    : C.rows <= col_stride / common || C.cols <= row_stride / common;
  if (!distinct) {
    throw Error(text("elements of C overlap (", C.rows, " x ", C.cols, ", strides ", C.row_stride, " and ",
                     C.col_stride, "): give a leading dimension of at least a row or column"));
  }
}

/// What lies so many elements behind `p`, which need not be memory: where matrices reach is asked before
/// anybody knows that they are what their sizes say. @pre an `offset_range` has the offset
template <class T>
T* behind(T* p, Index elements) {
  return reinterpret_cast<T*>(reinterpret_cast<std::intptr_t>(p) + elements * static_cast<Index>(sizeof(T)));
}

/// Whether the memory that two matrices reach over has a byte in common.
template <class T, class U>
bool memory_overlaps(const MatrixRef<const T>& X, const MatrixRef<const U>& Y) {
  const auto address = [](const void* p) { return reinterpret_cast<std::intptr_t>(p); };
  constexpr auto size_x = static_cast<Index>(sizeof(T)), size_y = static_cast<Index>(sizeof(U));
  const OffsetRange x = offset_range("X", X), y = offset_range("Y", Y);
  const std::intptr_t x0 = address(X.data), y0 = address(Y.data);
  return x0 + (x.high + 1) * size_x > y0 + y.low * size_y && y0 + (y.high + 1) * size_y > x0 + x.low * size_x;
}

/// Whether two matrices share a byte of an element. Sub-matrices of one parent, transposed or not, are told
/// apart exactly; of matrices with other strides it suffices that their memory overlaps.
template <class T>
bool overlap(const MatrixRef<const T>& X, const MatrixRef<const T>& Y) {
  if (is_empty(X) || is_empty(Y) || !memory_overlaps<T, T>(X, Y)) return false;
  const auto rows_outside = [](const MatrixRef<const T>& Z) {
    return Z.row_stride >= Z.col_stride ? Z : Z.transposed();
  };
  const MatrixRef<const T> P = rows_outside(X), Q = rows_outside(Y);
  const auto size = static_cast<Index>(sizeof(T));
  const auto bytes = reinterpret_cast<std::intptr_t>(Y.data) - reinterpret_cast<std::intptr_t>(X.data);
  const bool one_parent = P.row_stride == Q.row_stride && P.col_stride == Q.col_stride && P.col_stride > 0 &&
                          std::max(P.cols, Q.cols) * P.col_stride <= P.row_stride && bytes % size == 0;
  if (!one_parent) return true;
  // Q begins `d` elements after P: at row d / row_stride and some columns on, or a row further and some
  // columns back.
  const Index d = bytes / size;
  const Index row = d / P.row_stride - (d % P.row_stride < 0 ? 1 : 0);
  for (Index i = row; i <= row + 1; ++i) {
    const Index rest = d - i * P.row_stride;
    if (rest % P.col_stride != 0) continue;
    const Index j = rest / P.col_stride;
    if (i < P.rows && -i < Q.rows && j < P.cols && -j < Q.cols) return true;
  }
  return false;
}

template <class T, class U>
[[noreturn]] void refuse_overlap(const char* name, const MatrixRef<const T>& X, const MatrixRef<U>& C) {
  throw Error(text("C overlaps ", name, " (", static_cast<const void*>(C.data), " and ",
                   static_cast<const void*>(X.data), "): write to a matrix of its own"));
}

template <class T>
[[noreturn]] void refuse_shapes(const GemmArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args;
  throw Error(text("shapes do not conform (A ", A.rows, " x ", A.cols, ", B ", B.rows, " x ", B.cols, ", C ",
                   C.rows, " x ", C.cols, "): C (m,n) needs A (m,k) and B (k,n)"));
}
template <class T>
void check_conforming(const GemmArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args;
  if (A.rows != C.rows || B.cols != C.cols || A.cols != B.rows) refuse_shapes(args);
}

/// The same as of operands that are row-major, rows one behind the other, matrices too.
/// @throws Error also where one would have more elements than addresses
template <class T>
void check_row_major(const GemmShape& shape, Index count) {
  check_sizes(shape, count);
  const auto [m, n, k] = shape;
  const auto check_one = [count](const char* name, Index rows, Index cols) {
    Index elements = 0;
    if (rows == 0 || cols == 0 || count == 0) return;
    if (__builtin_mul_overflow(rows, cols, &elements)) refuse_offsets(name, rows, cols);
    offset_range(name, row_major<const T>(nullptr, rows, cols), {count, elements});
  };
  check_one("A", m, k);
  check_one("B", k, n);
  check_one("C", m, n);
}

/// Whether rows of C are closer together than its columns.
template <class T>
bool has_rows_inside(const MatrixRef<T>& C) {
  // Negative, because the least of all strides has no absolute value.
  const auto below_zero = [](Index stride) { return stride < 0 ? stride : -stride; };
  return below_zero(C.row_stride) > below_zero(C.col_stride);
}

}  // namespace rooftile::detail
