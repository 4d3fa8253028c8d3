// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "rooftile/choose.hpp"
#include "rooftile/matrix.hpp"
#include "rooftile/options.hpp"

/// The hand-written CUDA ladder. Needs no Kokkos.
namespace rooftile::cuda_native {

/// C = alpha·A·B + beta·C, as BLAS' gemm, on the current device: asynchronous on `stream`, without a
/// synchronisation or an allocation, and so capturable in a graph. `beta == 0` overwrites C; `alpha == 0`
/// reads neither A nor B.
///
/// @param A,B,C    (M,K), (K,N) and (M,N) in memory of the device, any strides
/// @param options  kernel and tile; by default the library chooses, and `explain` tells what
/// @throws Error   where the shapes do not conform, sizes are negative or overflow, data is null, C overlaps
/// A or B or
///                 itself, `options` names what cannot compute this product, or CUDA refuses; C is untouched
///                 then
void gemm(cudaStream_t stream, float alpha, MatrixRef<const float> A, MatrixRef<const float> B, float beta,
          MatrixRef<float> C, const GemmOptions& options = {});
void gemm(cudaStream_t stream, double alpha, MatrixRef<const double> A, MatrixRef<const double> B,
          double beta, MatrixRef<double> C, const GemmOptions& options = {});

/// What the current device offers a block, by query.
/// @throws Error where there is no device
BlockLimits block_limits();

/// The kernel that `gemm` would run for a product of T on the current device, and why; nothing is run.
/// @throws Error as `gemm` would for `options`
template <class T>
Choice explain(const GemmShape& shape, const GemmOptions& options = {}) {
  return choose(shape, options, {Path::native, block_limits(), sizeof(T)});
}

}  // namespace rooftile::cuda_native
