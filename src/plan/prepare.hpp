// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "plan/check.hpp"
#include "plan/check_scales.hpp"
#include "rooftile/error.hpp"
#include "rooftile/problem.hpp"

/// Checks and normalizes the products of a call before a launch. A single product is a batch of one.
namespace rooftile::detail {

/// Folds a batch in one dimension into one product with the rows of all entries. The entries must share B,
/// and the rows of A and C must continue from entry to entry. If K is 0, A and B are ignored.
/// @return whether the batch was folded
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

/// Returns the outer of two batch dimensions.
inline Batch outer_of(const Batch& batch) {
  return {batch.count / batch.inner, batch.outer_a, batch.outer_b, batch.outer_c};
}

/// Swaps the inner and the outer batch dimension, which renumbers the products.
template <class T>
BatchArgs<T> with_dimensions_swapped(BatchArgs<T> args) {
  const Batch& b = args.batch;
  args.batch = {b.count,           b.outer_a,  b.outer_b,  b.outer_c,
                b.count / b.inner, b.stride_a, b.stride_b, b.stride_c};
  return args;
}

/// Reduces a batch to one dimension where possible: if a dimension has one entry, or if all operands continue
/// with equal strides. @pre the strides do not overflow
inline Batch in_fewest_dimensions(const Batch& batch) {
  const auto& [count, a, b, c, inner, outer_a, outer_b, outer_c] = batch;
  if (inner == 1) return {count, outer_a, outer_b, outer_c};
  const bool goes_on =
      inner == count || (outer_a == inner * a && outer_b == inner * b && outer_c == inner * c);
  return inner == 0 || goes_on ? Batch{count, a, b, c} : batch;
}

/// Folds a batch into one product, by rows or by columns; returns the batch if this is not possible. With two
/// dimensions, one is folded first, and then the other if possible.
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

/// Checks numbers and extents, without looking at addresses.
template <class T>
void check_shapes(const BatchArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args.first;
  const auto& [count, inner] = std::pair(args.batch.count, args.batch.inner);
  check_sizes({}, count);
  if (inner < 0 || (inner > 0 && count % inner != 0)) {
    throw Error(text("batch does not divide into two dimensions (", count, " products, ", inner,
                     " in the inner one): give an inner number that divides the products"));
  }
  check_conforming(A, B, C);
  check_extents("A", A);
  check_extents("B", B);
  check_extents("C", C);
  if constexpr (Float8<In<T>>) {
    check_scales("A", A.scales, A.rows, A.cols, count);
    check_scales("B", B.scales.transposed(), B.cols, B.rows, count);
  }
}

/// Checks the addresses of the operands and their overlap. @pre `check_shapes` passed
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
  if (args.pointers.c != nullptr) return;  // the caller is responsible for overlap
  check_products_distinct(C, c);
  constexpr bool one_type = std::is_same_v<In<T>, Out<T>>;
  if (args.pointers.a == nullptr) check_apart("A", A, a, C, c, one_type);
  if (args.pointers.b == nullptr) check_apart("B", B, b, C, c, one_type);
}

/// Checks the pointers of a batch for matrices that are read or written. @pre the host can read the pointers
/// @throws Error if a pointer is null
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

/// Normalizes products for kernels, without checks.
/// - alpha = 0 and K = 0 imply each other.
/// - With `folds`, batches are folded. The batch entry of an element is then lost, which epilogues need.
/// - C is row-major. The product is transposed if the columns of C are further apart than its rows, so that
///   adjacent threads write adjacent elements.
/// @pre C is not conjugated
template <class T>
BatchArgs<T> in_kernel_order(BatchArgs<T> args, bool folds = false) {
  auto& [alpha, A, B, beta, C] = args.first;
  if constexpr (Float8<In<T>>) folds = folds && A.scales.data == nullptr && B.scales.data == nullptr;
  Batch& batch = args.batch;
  if (alpha == Scalar<T>(0)) A.cols = B.rows = 0;
  if (A.cols == 0) {
    alpha = 0;  // alpha times the empty sum would be NaN for an infinite alpha
    // A kernel may advance pointers into A and B, which are not memory here.
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

/// Checks products and normalizes them for kernels: `in_kernel_order`, with a C that is not conjugated.
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

/// Whether `prepared` would return a product unchanged. `check_one` then checks it without a copy.
template <class T>
bool is_prepared(const BatchArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args.first;
  if constexpr (Float8<In<T>>) return false;  // scales are checked
  return args.batch.count == 1 && alpha != Scalar<T>(0) && A.cols > 0 && !is_empty(C) &&
         !has_rows_inside(C) && !reads_conjugates(C);
}

/// A fast sufficient check of a prepared product: no overflow, disjoint rows of C, C entirely before or after
/// A and B. A small product takes less time than the full checks.
template <class T>
bool passes_at_a_glance(const GemmArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args;
  const Index all = C.rows | C.cols | A.cols | A.row_stride | A.col_stride | B.row_stride | B.col_stride |
                    C.row_stride | C.col_stride;
  constexpr int bits = 28;  // the sum of two products of these numbers, in bytes, is below 2⁶³
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

/// Checks a prepared product.
template <class T>
void check_one(const BatchArgs<T>& args) {
  if (passes_at_a_glance(args.first)) return;
  check_shapes(args);
  check_addresses(args);
}

}  // namespace rooftile::detail
