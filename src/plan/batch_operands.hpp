// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rooftile/problem.hpp"

namespace rooftile::detail {

/// The operands of a batch.
template <class T>
struct BatchOperands {
  BatchRef<const In<T>> A, B;
  BatchRef<Out<T>> C;
};

/// Converts products back to the operands of a caller: the inverse of `batch_args`.
template <class T>
BatchOperands<T> operands_of(const BatchArgs<T>& args) {
  const auto& [first, batch, pointers] = args;
  const auto operand = [&all = batch]<class U>(const MatrixRef<U>& X, Index stride, Index outer_stride,
                                               U* const* each) {
    if (each == nullptr)
      return BatchRef<U>{X, stride, all.count, nullptr, alignof(U), all.inner, outer_stride};
    return pointer_batch(each, X, all.count, static_cast<Index>(reinterpret_cast<std::uintptr_t>(X.data)));
  };
  return {operand(first.A, batch.stride_a, batch.outer_a, pointers.a),
          operand(first.B, batch.stride_b, batch.outer_b, pointers.b),
          operand(first.C, batch.stride_c, batch.outer_c, pointers.c)};
}

}  // namespace rooftile::detail
