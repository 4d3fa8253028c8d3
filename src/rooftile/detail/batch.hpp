// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>

#include "rooftile/detail/check.hpp"

/// What every entry does with its products, of which there may be one, before anything is launched.
namespace rooftile::detail {

/// Copies that are looked at one by one, which takes a tenth of a second. Of more, none is taken for apart.
inline constexpr Index max_looks = Index{1} << 24;

/// Whether X shares a byte with one of the copies of Y that begin `first` to `last` strides behind it.
template <class T>
bool overlaps_any(const MatrixRef<const T>& X, const MatrixRef<const T>& Y, Index stride, Index first,
                  Index last) {
  if (first > last || is_empty(X) || is_empty(Y)) return false;
  if (stride == 0) return overlap<T>(X, Y);
  if (stride < 0) return overlaps_any(X, Y, -stride, -last, -first);
  const OffsetRange x = offset_range("X", X), y = offset_range("Y", Y);
  const auto rounded_down = [](Index a, Index b) { return a / b - (a % b < 0 ? 1 : 0); };
  // In elements; from `distance` to one more.
  const Index distance = rounded_down(
      reinterpret_cast<std::intptr_t>(Y.data) - reinterpret_cast<std::intptr_t>(X.data), Index{sizeof(T)});
  // The others lie wholly before or behind X.
  first = std::max(first, rounded_down(x.low - y.high - 2 - distance, stride) + 1);
  last = std::min(last, rounded_down(x.high - y.low - distance, stride));
  if (last - first >= max_looks) return true;
  for (Index i = first; i <= last; ++i) {
    if (overlap<T>(X, Y.at(behind(Y.data, i * stride)))) return true;
  }
  return false;
}

/// Whether each dimension of a batch steps over all that the ones with smaller strides reach, so that its
/// elements are distinct.
template <class T>
bool is_nested(const MatrixRef<T>& C, Index count, Index stride) {
  struct Dimension {
    Index stride, extent;
  };
  const auto dimension = [](Index step, Index extent) {  // the stride of a single one leads nowhere
    return Dimension{extent > 1 ? std::abs(step) : 0, extent};
  };
  std::array dimensions{dimension(C.row_stride, C.rows), dimension(C.col_stride, C.cols),
                        dimension(stride, count)};
  std::sort(dimensions.begin(), dimensions.end(),
            [](const Dimension& x, const Dimension& y) { return x.stride < y.stride; });
  Index reach = 0;
  for (const auto& [step, extent] : dimensions) {
    if (extent == 1) continue;
    if (step <= reach) return false;
    reach += (extent - 1) * step;
  }
  return true;
}

/// C's products must not share elements.
template <class T>
void check_products_distinct(const MatrixRef<T>& C, Index count, Index stride) {
  if (count == 1 || is_nested(C, count, stride) || !overlaps_any<T>(C, C, stride, 1, count - 1)) return;
  throw Error(text("products overlap (C ", C.rows, " x ", C.cols, ", strides ", C.row_stride, " and ",
                   C.col_stride, ", one of C every ", stride,
                   " elements): give a batch stride of at least a matrix"));
}

/// All that copies of a matrix reach over, as one row.
template <class T>
MatrixRef<const T> line_of(const MatrixRef<const T>& X, Index count, Index stride) {
  const OffsetRange range = offset_range("X", X, count, stride);
  return {behind(X.data, range.low), 1, range.high - range.low + 1, 0, 1};
}

/// Whether one of `count` copies of X shares a byte with one of C. Of an X whose stride is neither 0 nor C's,
/// or whose elements are not C's, it suffices that the memory of all of it overlaps that of all of C.
template <class T, class R>
bool meets(const MatrixRef<const T>& X, Index stride, const MatrixRef<R>& C, Index count, Index stride_c) {
  if (is_empty(X)) return false;
  if constexpr (!std::is_same_v<T, R>) {
    return memory_overlaps<T, R>(line_of(X, count, stride), line_of<R>(C, count, stride_c));
  } else if (count == 1) {
    return overlap<T>(X, C);
  } else if (stride == 0) {
    return overlaps_any<T>(X, C, stride_c, 0, count - 1);
  } else if (stride == stride_c) {
    return overlaps_any<T>(X, C, stride_c, 1 - count, count - 1);
  } else {
    return overlap<T>(line_of(X, count, stride), line_of<T>(C, count, stride_c));
  }
}

/// No product may write to what one of them reads.
template <class T, class R>
void check_apart(const char* name, const MatrixRef<const T>& X, Index stride, const MatrixRef<R>& C,
                 const Batch& batch) {
  if (meets(X, stride, C, batch.count, batch.stride_c)) refuse_overlap(name, X, C);
}

/// A batch whose products share B and whose rows of A, and of C, follow each other from product to product,
/// as the one product with all these rows. Where there is no K, what A and B are counts for nothing.
/// @return whether it is one
template <class T>
bool stack_rows(BatchArgs<T>& args) {
  auto& [alpha, A, B, beta, C] = args.first;
  auto& [count, stride_a, stride_b, stride_c] = args.batch;
  const auto follow = [](Index rows, Index row_stride, Index stride) {
    return rows == 1 || rows * row_stride == stride;
  };
  const bool reads = A.cols > 0;
  if (reads && (stride_b != 0 || !follow(A.rows, A.row_stride, stride_a))) return false;
  if (!follow(C.rows, C.row_stride, stride_c)) return false;
  if (C.rows == 1) A.row_stride = stride_a, C.row_stride = stride_c;
  A.rows = C.rows = C.rows * count;
  args.batch = {};
  return true;
}

/// The one product that a batch is, if it is one, by rows or by columns; else the batch.
template <class T>
BatchArgs<T> folded(const BatchArgs<T>& args) {
  BatchArgs<T> by_rows = args, by_columns = args.transposed();
  return stack_rows(by_rows) ? by_rows : stack_rows(by_columns) ? by_columns.transposed() : args;
}

template <class T>
bool nothing_to_do(const BatchArgs<T>& args) {
  return args.batch.count == 0 || is_empty(args.first.C);
}

/// Checks what can be said without regard to memory: numbers and extents.
template <class T>
void check_shapes(const BatchArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args.first;
  check_sizes({}, args.batch.count);
  check_conforming(args.first);
  check_extents("A", A);
  check_extents("B", B);
  check_extents("C", C);
}

/// Checks where operands lie, and who shares memory with whom. @pre `check_shapes`
template <class T>
void check_addresses(const BatchArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args.first;
  const auto& [count, stride_a, stride_b, stride_c] = args.batch;
  check_memory("A", A, count, stride_a);
  check_memory("B", B, count, stride_b);
  check_memory("C", C, count, stride_c);
  if (is_empty(C)) return;
  check_distinct(C);
  if (args.pointers.c != nullptr) return;  // whom they share memory with, the caller has to know
  check_products_distinct(C, count, stride_c);
  if (args.pointers.a == nullptr) check_apart("A", A, stride_a, C, args.batch);
  if (args.pointers.b == nullptr) check_apart("B", B, stride_b, C, args.batch);
}

/// Checks the pointers of a batch that the host can read, those of matrices that are read or written.
/// @throws Error where one is null
template <class T>
void check_pointers(const BatchArgs<T>& args) {
  const auto check = [&](const char* name, const auto& X, const auto* const* pointers) {
    if (pointers == nullptr || is_empty(X)) return;
    for (Index i = 0; i < args.batch.count; ++i) {
      if (pointers[i] != nullptr) continue;
      throw Error(text("null pointer in the batch ", name, " (number ", i, " of ", args.batch.count,
                       ", counted from 0): give the address of a matrix (", X.rows, " x ", X.cols, ')'));
    }
  };
  check("A", args.first.A, args.pointers.a);
  check("B", args.first.B, args.pointers.b);
  check("C", args.first.C, args.pointers.c);
}

/// Checks products and returns them ready for a kernel: `alpha == 0` as K = 0, so that A and B are not read,
/// and the other way round, so that C is only scaled; C that is read as its conjugates as conjugates of all
/// else; as one product where they are one; C with its rows
/// further apart than its columns, by computing Cᵀ = Bᵀ·Aᵀ where they are not, so that neighbouring threads
/// write neighbouring elements.
/// @param folds  whether they may become one product, in which nobody can tell which entry an element is of
template <class T>
BatchArgs<T> prepared(BatchArgs<T> args, bool folds = true) {
  if (reads_conjugates(args.first.C)) args.first = args.first.conjugated();
  auto& [alpha, A, B, beta, C] = args.first;
  auto& [count, stride_a, stride_b, stride_c] = args.batch;
  check_shapes(args);
  if (count == 0) return args;
  if (count == 1) args.batch = {};
  if (alpha == Scalar<T>(0)) A.cols = B.rows = 0;
  check_addresses(args);
  if (A.cols == 0) {
    alpha = 0;  // a kernel multiplies its empty sum by alpha, and infinity times 0 is NaN
    // It may also step along A and B, which here are no memory.
    const auto* const nothing = reinterpret_cast<const In<T>*>(C.data);
    A = {nothing, C.rows, 0, 0, 0}, B = {nothing, 0, C.cols, 0, 0};
    stride_a = stride_b = 0;
    args.pointers.a = args.pointers.b = nullptr;
  }
  if (is_empty(C)) return args;
  if (folds && count > 1 && !args.pointers.any()) args = folded(args);
  return has_rows_inside(C) ? args.transposed() : args;
}

/// Whether `prepared` would return a product as it is: then `check_one` does, without a copy.
template <class T>
bool is_prepared(const BatchArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args.first;
  return args.batch.count == 1 && alpha != Scalar<T>(0) && A.cols > 0 && !is_empty(C) &&
         !has_rows_inside(C) && !reads_conjugates(C);
}

/// Whether a product that is prepared passes all checks at first glance: sizes and strides that overflow
/// nothing, rows of C one behind the other, and memory of C that begins behind that of A and B or ends
/// before. A small product takes less time than the checks one by one.
template <class T>
bool passes_at_a_glance(const GemmArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args;
  const Index all = C.rows | C.cols | A.cols | A.row_stride | A.col_stride | B.row_stride | B.col_stride |
                    C.row_stride | C.col_stride;
  constexpr int bits = 28;  // the sum of two products, in bytes, stays far below 2⁶³
  const bool conform = A.rows == C.rows && B.cols == C.cols && A.cols == B.rows;
  const bool given = A.data != nullptr && B.data != nullptr && C.data != nullptr;
  if (static_cast<std::uint64_t>(all) >> bits != 0 || !conform || !given) return false;
  const auto reach = [](const auto& X) { return (X.rows - 1) * X.row_stride + (X.cols - 1) * X.col_stride; };
  const bool rows_apart = C.col_stride > 0 && (C.cols - 1) * C.col_stride < C.row_stride;
  const auto address = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
  const auto begin = address(C.data), end = address(C.data + reach(C) + 1);
  return rows_apart && (address(A.data + reach(A) + 1) <= begin || end <= address(A.data)) &&
         (address(B.data + reach(B) + 1) <= begin || end <= address(B.data));
}

/// Checks a product that is prepared.
template <class T>
void check_one(const BatchArgs<T>& args) {
  if (passes_at_a_glance(args.first)) return;
  check_shapes(args);
  check_addresses(args);
}

}  // namespace rooftile::detail
