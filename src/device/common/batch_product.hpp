// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/common/verbs.hpp"
#include "plan/batch_parts.hpp"
#include "rooftile/detail/function.hpp"
#include "rooftile/problem.hpp"

/// The operands of one product of a batch, in a kernel.
namespace rooftile::detail {

/// Product i where pointers may say where operands lie.
/// @param strided  it, as distances have it
template <class T>
ROOFTILE_FUNCTION GemmArgs<T> at_pointers(const BatchPointers<T>& pointers, Index i, GemmArgs<T> strided) {
  const auto& [a, b, c] = pointers;
  if (a != nullptr) strided.A.data = read_pointer(a, i);
  if (b != nullptr) strided.B.data = read_pointer(b, i);
  if (c != nullptr) strided.C.data = read_pointer(c, i);
  return strided;
}

/// Of a batch in one dimension: a kernel that asks for each element has no time for a division.
template <class T>
ROOFTILE_FUNCTION GemmArgs<T> product_in_line(const BatchArgs<T>& batch, Index i) {
  return at_pointers(batch.pointers, i, StridedArgs<T>{batch.first, batch.batch}.product(i));
}
template <class T>
ROOFTILE_FUNCTION GemmArgs<T> product_in_line(const StridedArgs<T>& batch, Index i) {
  return batch.product(i);
}

/// Of a batch in one dimension or two, in which the number is divided, in 32 bits: in 64 a division would
/// need many registers. @pre in two dimensions there are fewer than 2^32 products
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
/// Where kernels read no pointers, on AMD's GPUs, they have no scalar registers left for the division:
/// launches have one dimension.
template <class T>
ROOFTILE_FUNCTION GemmArgs<T> product_of(const StridedArgs<T>& batch, Index i) {
  return product_in_line(batch, i);
}

}  // namespace rooftile::detail
