// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/problem.hpp"

namespace rooftile::portable::unpacked {

/// A batch whose operands have constant strides. Checking each product for pointers takes a tenth of the time
/// of a tiny product.
template <class T>
struct Strided {
  const GemmArgs<T>& first;
  const Batch& batch;

  const T* a(Index i) const { return first.A.data + i * batch.stride_a; }
  const T* b(Index i) const { return first.B.data + i * batch.stride_b; }
  T* c(Index i) const { return first.C.data + i * batch.stride_c; }
};

/// Whether a batch is strided: without pointers, and with one dimension.
template <class T>
bool is_strided(const BatchArgs<T>& batch) {
  return !batch.pointers.any() && batch.batch.inner == 0;
}

}  // namespace rooftile::portable::unpacked
