// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "cuda_native/fp64_int8/workspace.hpp"

/// What the guard sees of A and of B, and what it takes for that.
namespace rooftile::cuda_native::residues {

inline unsigned blocks_of(Index extent, Index each) {
  return static_cast<unsigned>((extent + each - 1) / each);
}

/// `f` with whether rows are contiguous.
template <class T, class F>
void with_layout(const MatrixRef<const T>& X, const F& f) {
  X.col_stride == 1 ? f.template operator()<true>() : f.template operator()<false>();
}

/// Starts the kernels that find the scales of A's rows and B's columns, and of them the number of moduli.
/// @param k      columns of A
/// @param named  0: as many as the guard finds
/// @return the guard, which knows it when they are done
/// @pre no extent is 0
template <class T>
Guard start_scales(cudaStream_t stream, const Parts<T>& parts, Index k, int named);

}  // namespace rooftile::cuda_native::residues
