// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "plan/check.hpp"
#include "rooftile/error.hpp"
#include "rooftile/problem.hpp"

/// What every entry does with its products, of which there may be one, before anything is launched.
namespace rooftile::detail {

/// A batch in one dimension that shares B and whose rows of A and C follow each other, as the one product
/// with all these rows. Where there is no K, A and B count for nothing. @return whether it is one
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
  check_conforming(A, B, C);
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
  constexpr bool one_type = std::is_same_v<In<T>, Out<T>>;
  if (args.pointers.a == nullptr) check_apart("A", A, a, C, c, one_type);
  if (args.pointers.b == nullptr) check_apart("B", B, b, C, c, one_type);
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

/// Products without checks, in the order that kernels take: `alpha == 0` as K = 0 and the other way round;
/// folded where `folds`, so that nobody can tell an element's entry; transposed where C's columns are further
/// apart than its rows, so that neighbouring threads write neighbouring elements. @pre C is not conjugated
template <class T>
BatchArgs<T> in_kernel_order(BatchArgs<T> args, bool folds = false) {
  auto& [alpha, A, B, beta, C] = args.first;
  Batch& batch = args.batch;
  if (alpha == Scalar<T>(0)) A.cols = B.rows = 0;
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

/// Checks products and returns them in the order that kernels take, no C read as conjugates.
template <class T>
BatchArgs<T> prepared(BatchArgs<T> args, bool folds = true) {
  if (reads_conjugates(args.first.C)) args.first = args.first.conjugated();
  check_shapes(args);
  if (args.batch.count == 0) return args;
  if (args.batch.count == 1) args.batch = {};
  if (args.first.alpha == Scalar<T>(0)) args.first.A.cols = args.first.B.rows = 0;
  check_addresses(args);
  return in_kernel_order(args, folds);
}

/// Whether `prepared` would return a product as it is: then `check_one` does, without a copy.
template <class T>
bool is_prepared(const BatchArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args.first;
  return args.batch.count == 1 && alpha != Scalar<T>(0) && A.cols > 0 && !is_empty(C) &&
         !has_rows_inside(C) && !reads_conjugates(C);
}

/// Whether a prepared product passes all checks at first glance: nothing overflows, rows of C lie apart, C
/// wholly behind or before A and B. A small product takes less time than the checks one by one.
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
