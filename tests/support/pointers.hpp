// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rooftile/matrix.hpp"

namespace rooftile::testing {

/// Addresses of a batch's matrices in reverse order, so that no positive stride leads from one to the next.
template <class T>
std::vector<T*> pointers_to(const MatrixRef<T>& first, Index stride, Index count) {
  std::vector<T*> pointers;
  for (Index i = count - 1; i >= 0; --i) pointers.push_back(first.data + i * stride);
  return pointers;
}

/// Addresses of the matrices of a batch with one or two dimensions.
template <class T>
std::vector<T*> pointers_to(const BatchRef<T>& X) {
  std::vector<T*> pointers;
  for (Index i = X.count - 1; i >= 0; --i) pointers.push_back(X[i].data);
  return pointers;
}

/// A batch in the order of `pointers_to`.
/// @pre the batch is not empty
template <class T>
BatchRef<T> reversed(const BatchRef<T>& X) {
  return {X[X.count - 1], -X.stride, X.count, nullptr, alignof(T), X.inner, -X.outer_stride};
}

/// The largest power of two, in bytes, that divides all addresses.
template <class T>
Index alignment_of(const std::vector<T*>& pointers) {
  std::uintptr_t bits = 256;
  for (const T* pointer : pointers) bits |= reinterpret_cast<std::uintptr_t>(pointer);
  return static_cast<Index>(bits & (~bits + 1));
}

}  // namespace rooftile::testing
