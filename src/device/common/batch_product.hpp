// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/common/verbs.hpp"
#include "plan/batch_parts.hpp"
#include "rooftile/detail/function.hpp"
#include "rooftile/problem.hpp"

/// Finds the operands of one batch entry inside a kernel.
namespace rooftile::detail {

/// Returns entry i of a batch whose operands may be given by pointers.
/// @param strided  entry i as the strides of the batch give it
template <class T>
ROOFTILE_FUNCTION GemmArgs<T> at_pointers(const BatchPointers<T>& pointers, Index i, GemmArgs<T> strided) {
  const auto& [a, b, c] = pointers;
  if (a != nullptr) strided.A.data = read_pointer(a, i);
  if (b != nullptr) strided.B.data = read_pointer(b, i);
  if (c != nullptr) strided.C.data = read_pointer(c, i);
  return strided;
}

/// Returns entry i of a batch with one dimension. Kernels that call this for each element cannot afford a
/// division.
template <class T>
ROOFTILE_FUNCTION GemmArgs<T> product_in_line(const BatchArgs<T>& batch, Index i) {
  return at_pointers(batch.pointers, i, StridedArgs<T>{batch.first, batch.batch}.product(i));
}
template <class T>
ROOFTILE_FUNCTION GemmArgs<T> product_in_line(const StridedArgs<T>& batch, Index i) {
  return batch.product(i);
}

/// Returns entry i of a batch with one or two dimensions. The index is divided in 32 bits, because a 64-bit
/// division needs many registers.
/// @pre a batch with two dimensions has fewer than 2^32 entries
template <class T>
ROOFTILE_FUNCTION GemmArgs<T> product_of(const BatchArgs<T>& batch, Index i) {
  const Batch& all = batch.batch;
  if (all.inner == 0) return product_in_line(batch, i);
  const auto number = static_cast<unsigned>(i), inner = static_cast<unsigned>(all.inner);
  GemmArgs<T> args = StridedArgs<T>{batch.first, all}.product(number % inner);
  const Index outer = number / inner;
  args.A.data += outer * all.outer_a;
  args.B.data += outer * all.outer_b;
  args.C.data += outer * all.outer_c;
  return at_pointers(batch.pointers, i, args);
}
/// Kernels that read no pointers (AMD GPUs) have no scalar registers left for the division. Their launches
/// have one dimension.
template <class T>
ROOFTILE_FUNCTION GemmArgs<T> product_of(const StridedArgs<T>& batch, Index i) {
  return product_in_line(batch, i);
}

}  // namespace rooftile::detail
