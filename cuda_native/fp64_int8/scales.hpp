// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "cuda_native/fp64_int8/workspace.hpp"

/// Launches of the kernels that compute the scales of A and B.
namespace rooftile::cuda_native::residues {

inline unsigned blocks_of(Index extent, Index each) {
  return static_cast<unsigned>((extent + each - 1) / each);
}

/// Calls f with whether rows are contiguous.
template <class T, class F>
void with_layout(const MatrixRef<const T>& X, const F& f) {
  X.col_stride == 1 ? f.template operator()<true>() : f.template operator()<false>();
}

/// Launches the kernels that compute the scales of A's rows and B's columns, and from them the number of
/// moduli.
/// @param k      columns of A
/// @param named  number of moduli; 0: the guard decides
/// @return the guard, which knows the number of moduli after these kernels have ended
/// @pre no extent is 0
template <class T>
Guard start_scales(cudaStream_t stream, const Parts<T>& parts, Index k, int named);

}  // namespace rooftile::cuda_native::residues
