// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rooftile/matrix.hpp"

namespace rooftile::testing {

/// Addresses of the matrices of a batch, the last one first, so that no stride leads from one to the next.
template <class T>
std::vector<T*> pointers_to(const MatrixRef<T>& first, Index stride, Index count) {
  std::vector<T*> pointers;
  for (Index i = count - 1; i >= 0; --i) pointers.push_back(first.data + i * stride);
  return pointers;
}

/// The same of a batch, which may have two dimensions.
template <class T>
std::vector<T*> pointers_to(const BatchRef<T>& X) {
  std::vector<T*> pointers;
  for (Index i = X.count - 1; i >= 0; --i) pointers.push_back(X[i].data);
  return pointers;
}

/// A batch in the order of `pointers_to`. @pre it has matrices
template <class T>
BatchRef<T> reversed(const BatchRef<T>& X) {
  return {X[X.count - 1], -X.stride, X.count, nullptr, alignof(T), X.inner, -X.outer_stride};
}

/// The bytes, a power of two, that all are multiples of.
template <class T>
Index alignment_of(const std::vector<T*>& pointers) {
  std::uintptr_t bits = 256;
  for (const T* pointer : pointers) bits |= reinterpret_cast<std::uintptr_t>(pointer);
  return static_cast<Index>(bits & (~bits + 1));
}

}  // namespace rooftile::testing
