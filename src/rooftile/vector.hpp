// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/matrix.hpp"

namespace rooftile {

/// A view of a vector: element i is `data[i * stride]`. The caller owns the memory.
template <class T>
struct VectorRef {
  const T* data = nullptr;  ///< address of element 0
  Index size = 0;           ///< number of elements
  Index stride = 1;         ///< elements from one element to the next
};

/// Vectors at equal distances, one for each entry of a batch or group.
template <class T>
struct VectorBatch {
  VectorRef<T> first;  ///< vector 0
  Index stride = 0;    ///< elements from one vector to the next
  Index count = 1;     ///< number of vectors
};

}  // namespace rooftile
