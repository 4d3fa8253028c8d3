// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/detail/function.hpp"
#include "rooftile/device/common/verbs.hpp"
#include "rooftile/problem.hpp"

/// The operands of one product of a batch, in a kernel.
namespace rooftile::detail {

template <class T>
ROOFTILE_FUNCTION GemmArgs<T> product_of(const StridedArgs<T>& batch, Index i) {
  return batch.product(i);
}

/// The same where pointers may say where they lie.
template <class T>
ROOFTILE_FUNCTION GemmArgs<T> product_of(const BatchArgs<T>& batch, Index i) {
  GemmArgs<T> args = StridedArgs<T>{batch.first, batch.batch}.product(i);
  const auto& [a, b, c] = batch.pointers;
  if (a != nullptr) args.A.data = read_pointer(a, i);
  if (b != nullptr) args.B.data = read_pointer(b, i);
  if (c != nullptr) args.C.data = read_pointer(c, i);
  return args;
}

}  // namespace rooftile::detail
