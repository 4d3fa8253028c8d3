// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/matrix.hpp"

namespace rooftile {

/// A vector that somebody else owns: element i is `data[i * stride]`.
template <class T>
struct VectorRef {
  const T* data = nullptr;  ///< the address of element 0
  Index size = 0;           ///< how many there are
  Index stride = 1;         ///< elements from one to the next
};

/// Vectors at equal distances, one for each entry of a batch or group.
template <class T>
struct VectorBatch {
  VectorRef<T> first;  ///< vector 0
  Index stride = 0;    ///< elements from one vector to the next
  Index count = 1;     ///< of vectors
};

}  // namespace rooftile
