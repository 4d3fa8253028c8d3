// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <utility>

#include "plan/check.hpp"

/// What every entry does with its products, of which there may be one, before anything is launched.
namespace rooftile::detail {

/// The steps of an operand. @param inner  matrices in the inner of two dimensions; 0: there is one
template <class T>
Steps steps_of(const BatchRef<T>& X, Index inner) {
  return Steps::of(X.count, X.stride, inner, X.inner != 0 ? X.outer_stride : inner * X.stride);
}

/// Copies that are looked at one by one, which takes a tenth of a second. Of more, none is taken for apart.
inline constexpr Index max_looks = Index{1} << 24;

/// Some copies along a dimension of a batch: their numbers from the first to the last.
struct Span {
  Index first = 0, last = 0;
};

/// Of copies of y that many elements behind each other those that do not lie wholly before or behind x.
/// @param distance  elements from x to copy 0, rounded down
/// @pre stride > 0
inline Span within_reach(const OffsetRange& x, const OffsetRange& y, Index distance, Index stride,
                         Span copies) {
  const auto rounded_down = [](Index a, Index b) { return a / b - (a % b < 0 ? 1 : 0); };
  return {std::max(copies.first, rounded_down(x.low - y.high - 2 - distance, stride) + 1),
          std::min(copies.last, rounded_down(x.high - y.low - distance, stride))};
}

/// Elements from X to Y, rounded down.
template <class T>
Index distance_to(const MatrixRef<const T>& X, const MatrixRef<const T>& Y) {
  const auto bytes = reinterpret_cast<std::intptr_t>(Y.data) - reinterpret_cast<std::intptr_t>(X.data);
  return bytes / Index{sizeof(T)} - (bytes % Index{sizeof(T)} < 0 ? 1 : 0);
}

/// Whether X shares a byte with one of the copies of Y that begin `first` to `last` strides behind it.
template <class T>
bool overlaps_any(const MatrixRef<const T>& X, const MatrixRef<const T>& Y, Index stride, Index first,
                  Index last) {
  if (first > last || is_empty(X) || is_empty(Y)) return false;
  if (stride == 0) return overlap<T>(X, Y);
  if (stride < 0) return overlaps_any(X, Y, -stride, -last, -first);
  const Span near =
      within_reach(offset_range("X", X), offset_range("Y", Y), distance_to<T>(X, Y), stride, {first, last});
  if (near.last - near.first >= max_looks) return true;
  for (Index i = near.first; i <= near.last; ++i) {
    if (overlap<T>(X, Y.at(behind(Y.data, i * stride)))) return true;
  }
  return false;
}

/// The same of two dimensions: `inner` copies of each of `outer` ones.
template <class T>
bool overlaps_any(const MatrixRef<const T>& X, const MatrixRef<const T>& Y, Steps steps, Span inner,
                  Span outer) {
  if (inner.first > inner.last || outer.first > outer.last || is_empty(X) || is_empty(Y)) return false;
  if (steps.outer_stride == 0) return overlaps_any<T>(X, Y, steps.stride, inner.first, inner.last);
  if (steps.outer_stride < 0) {
    steps.outer_stride = -steps.outer_stride;
    return overlaps_any<T>(X, Y, steps, inner, {-outer.last, -outer.first});
  }
  const OffsetRange one = offset_range("Y", Y);
  const auto [before, behind_it] = std::minmax({inner.first * steps.stride, inner.last * steps.stride});
  const Span near = within_reach(offset_range("X", X), {one.low + before, one.high + behind_it},
                                 distance_to<T>(X, Y), steps.outer_stride, outer);
  if (near.last - near.first >= max_looks) return true;
  for (Index i = near.first; i <= near.last; ++i) {
    const auto copy = Y.at(behind(Y.data, i * steps.outer_stride));
    if (overlaps_any<T>(X, copy, steps.stride, inner.first, inner.last)) return true;
  }
  return false;
}

/// Whether each dimension of a batch steps over all that the ones with smaller strides reach, so that its
/// elements are distinct.
template <class T>
bool is_nested(const MatrixRef<T>& C, const Steps& steps) {
  struct Dimension {
    Index stride, extent;
  };
  const auto dimension = [](Index step, Index extent) {  // the stride of a single one leads nowhere
    return Dimension{extent > 1 ? std::abs(step) : 0, extent};
  };
  std::array dimensions{dimension(C.row_stride, C.rows), dimension(C.col_stride, C.cols),
                        dimension(steps.stride, steps.count), dimension(steps.outer_stride, steps.outer)};
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
void check_products_distinct(const MatrixRef<T>& C, const Steps& steps) {
  const auto& [count, stride, outer, outer_stride] = steps;
  if (count * outer == 1 || is_nested(C, steps)) return;
  if (!overlaps_any<T>(C, C, stride, 1, count - 1) &&
      !overlaps_any<T>(C, C, steps, {1 - count, count - 1}, {1, outer - 1}))
    return;
  const std::string further =
      outer > 1 ? text(", and after ", count, " of them every ", outer_stride) : std::string();
  throw Error(text("products overlap (C ", C.rows, " x ", C.cols, ", strides ", C.row_stride, " and ",
                   C.col_stride, ", one of C every ", stride, " elements", further,
                   "): give a batch stride of at least a matrix"));
}

/// All that copies of a matrix reach over, as one row.
template <class T>
MatrixRef<const T> line_of(const MatrixRef<const T>& X, const Steps& steps) {
  const OffsetRange range = offset_range("X", X, steps);
  return {behind(X.data, range.low), 1, range.high - range.low + 1, 0, 1};
}

/// Whether one of the copies of X shares a byte with one of C, of which there are as many. Of an X that in a
/// dimension has a stride that is neither 0 nor C's, or whose elements are not C's, it suffices that the
/// memory of all of it overlaps that of all of C.
template <class T, class R>
bool meets(const MatrixRef<const T>& X, const Steps& x, const MatrixRef<R>& C, const Steps& c) {
  if (is_empty(X)) return false;
  const MatrixRef<const T> all_of_x = line_of(X, x);
  const MatrixRef<const R> all_of_c = line_of<R>(C, c);
  if (!memory_overlaps<T, R>(all_of_x, all_of_c)) return false;
  if constexpr (!std::is_same_v<T, R>) {
    return true;
  } else {
    // Copies of C as seen from one of X: of one that all share each, else those as far away as two are.
    const auto seen = [](Index stride, Index count) { return Span{stride == 0 ? 0 : 1 - count, count - 1}; };
    const auto is_told = [](Index stride, Index of_c, Index count) {
      return count == 1 || stride == 0 || stride == of_c;
    };
    if (!is_told(x.stride, c.stride, c.count) || !is_told(x.outer_stride, c.outer_stride, c.outer))
      return true;
    return overlaps_any<T>(X, C, c, seen(x.stride, c.count), seen(x.outer_stride, c.outer));
  }
}

/// No product may write to what one of them reads.
template <class T, class R>
void check_apart(const char* name, const MatrixRef<const T>& X, const Steps& x, const MatrixRef<R>& C,
                 const Steps& c) {
  if (meets(X, x, C, c)) refuse_overlap(name, X, C);
}

/// A batch whose products share B and whose rows of A, and of C, follow each other from product to product,
/// as the one product with all these rows. Where there is no K, what A and B are counts for nothing.
/// @return whether it is one
/// @pre it has one dimension
template <class T>
bool stack_rows(BatchArgs<T>& args) {
  auto& [alpha, A, B, beta, C] = args.first;
  const Batch batch = args.batch;
  const auto follow = [](Index rows, Index row_stride, Index stride) {
    return rows == 1 || rows * row_stride == stride;
  };
  const bool reads = A.cols > 0;
  if (reads && (batch.stride_b != 0 || !follow(A.rows, A.row_stride, batch.stride_a))) return false;
  if (!follow(C.rows, C.row_stride, batch.stride_c)) return false;
  if (C.rows == 1) A.row_stride = batch.stride_a, C.row_stride = batch.stride_c;
  A.rows = C.rows = C.rows * batch.count;
  args.batch = {};
  return true;
}

/// The outer one of two dimensions.
inline Batch outer_of(const Batch& batch) {
  return {batch.count / batch.inner, batch.outer_a, batch.outer_b, batch.outer_c};
}

/// The same products with the outer dimension as the inner one, numbered otherwise.
template <class T>
BatchArgs<T> with_dimensions_swapped(BatchArgs<T> args) {
  const Batch& b = args.batch;
  args.batch = {b.count,           b.outer_a,  b.outer_b,  b.outer_c,
                b.count / b.inner, b.stride_a, b.stride_b, b.stride_c};
  return args;
}

/// A batch in one dimension where the second one says nothing: it has one entry, or all operands go on at the
/// same distances. @pre its strides do not overflow
inline Batch in_fewest_dimensions(const Batch& batch) {
  const auto& [count, a, b, c, inner, outer_a, outer_b, outer_c] = batch;
  if (inner == 1) return {count, outer_a, outer_b, outer_c};
  const bool goes_on =
      inner == count || (outer_a == inner * a && outer_b == inner * b && outer_c == inner * c);
  return inner == 0 || goes_on ? Batch{count, a, b, c} : batch;
}

/// The one product that a batch is, if it is one, by rows or by columns; else the batch. Of two dimensions,
/// one may be folded, and then perhaps the other.
template <class T>
BatchArgs<T> folded(const BatchArgs<T>& args) {
  if (args.batch.inner == 0) {
    BatchArgs<T> by_rows = args, by_columns = args.transposed();
    return stack_rows(by_rows) ? by_rows : stack_rows(by_columns) ? by_columns.transposed() : args;
  }
  for (const BatchArgs<T>& order : {args, with_dimensions_swapped(args)}) {
    BatchArgs<T> one = folded(order.part(0, order.batch.inner));
    if (one.batch.count > 1) continue;
    one.batch = outer_of(order.batch);
    return folded(one);
  }
  return args;
}

template <class T>
bool nothing_to_do(const BatchArgs<T>& args) {
  return args.batch.count == 0 || is_empty(args.first.C);
}

/// Checks what can be said without regard to memory: numbers and extents.
template <class T>
void check_shapes(const BatchArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args.first;
  const auto& [count, inner] = std::pair(args.batch.count, args.batch.inner);
  check_sizes({}, count);
  if (inner < 0 || (inner > 0 && count % inner != 0)) {
    throw Error(text("no two dimensions of a batch (", count, " products, ", inner,
                     " in the inner one): give as many in each"));
  }
  check_conforming(args.first);
  check_extents("A", A);
  check_extents("B", B);
  check_extents("C", C);
}

/// Checks where operands lie, and who shares memory with whom. @pre `check_shapes`
template <class T>
void check_addresses(const BatchArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args.first;
  const Batch& batch = args.batch;
  const auto steps = [&](Index stride, Index outer_stride) {
    return Steps::of(batch.count, stride, batch.inner, outer_stride);
  };
  const Steps a = steps(batch.stride_a, batch.outer_a), b = steps(batch.stride_b, batch.outer_b),
              c = steps(batch.stride_c, batch.outer_c);
  check_memory("A", A, a);
  check_memory("B", B, b);
  check_memory("C", C, c);
  if (is_empty(C)) return;
  check_distinct(C);
  if (args.pointers.c != nullptr) return;  // whom they share memory with, the caller has to know
  check_products_distinct(C, c);
  if (args.pointers.a == nullptr) check_apart("A", A, a, C, c);
  if (args.pointers.b == nullptr) check_apart("B", B, b, C, c);
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
/// else; as one product where they are one, and of two dimensions of a batch the larger one as the inner one;
/// C with its rows further apart than its columns, by computing Cᵀ = Bᵀ·Aᵀ where they are not, so that
/// neighbouring threads write neighbouring elements.
/// @param folds  whether they may become one product, in which nobody can tell which entry an element is of
template <class T>
BatchArgs<T> prepared(BatchArgs<T> args, bool folds = true) {
  if (reads_conjugates(args.first.C)) args.first = args.first.conjugated();
  auto& [alpha, A, B, beta, C] = args.first;
  Batch& batch = args.batch;
  check_shapes(args);
  if (batch.count == 0) return args;
  if (batch.count == 1) batch = {};
  if (alpha == Scalar<T>(0)) A.cols = B.rows = 0;
  check_addresses(args);
  if (A.cols == 0) {
    alpha = 0;  // a kernel multiplies its empty sum by alpha, and infinity times 0 is NaN
    // It may also step along A and B, which here are no memory.
    const auto* const nothing = reinterpret_cast<const In<T>*>(C.data);
    A = {nothing, C.rows, 0, 0, 0}, B = {nothing, 0, C.cols, 0, 0};
    batch.stride_a = batch.stride_b = batch.outer_a = batch.outer_b = 0;
    args.pointers.a = args.pointers.b = nullptr;
  }
  if (is_empty(C)) return args;
  batch = in_fewest_dimensions(batch);
  if (folds && batch.count > 1 && !args.pointers.any()) {
    args = folded(args);
    if (batch.inner != 0 && batch.inner < batch.count / batch.inner) args = with_dimensions_swapped(args);
  }
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
