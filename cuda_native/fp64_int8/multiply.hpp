// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <cuda_runtime_api.h>

#include "numerics/guard.hpp"
#include "plan/plan.hpp"
#include "plan/residue_chunks.hpp"
#include "rooftile/cuda_native.hpp"
#include "rooftile/problem.hpp"

/// fp64 from int8 products on Hopper's tensor cores (docs/numerics.md). T is double or complex<double>.
namespace rooftile::cuda_native {

/// Launches C = alpha·A·B + beta·C with the number of moduli that the guard finds on the device. If the guard
/// finds none, C is unchanged, and the product must be computed in fp64.
/// @param product  a single product
/// @param named    13 to 16 moduli, used unless an element is not finite; 0: the guard decides
/// @param memory   `chunks.bytes()` bytes, aligned to 128 bytes, in use until the stream has finished the
///                 work
/// @return device address of the number of moduli; the number is 0 if C is unchanged
/// @pre K is at most `residues::max_products`, no extent is 0; compute capability 9.0
/// @throws Error  if CUDA reports a launch error
template <class T>
const int* multiply_by_residues(cudaStream_t stream, const BatchArgs<T>& product, int named,
                                const detail::ResidueChunks& chunks, void* memory);

/// Returns the guard's findings for A and B. Waits for the stream.
/// @param product  a single product, whose C is not accessed
/// @pre no extent is 0; compute capability 9.0
/// @throws Error  if CUDA reports an error
template <class T>
std::array<residues::Spread, 2> spreads(cudaStream_t stream, const BatchArgs<T>& product);

/// Returns the resources of an SM that the kernel of the products uses.
template <class T>
KernelResources residue_products_resources();

/// Launches the `tensor_core` kernel for a product. The kernel returns at once if `*moduli` on the device is
/// not 0.
/// @param plan  its `fallback` is the tile
template <class T>
void multiply_in_fp64_unless(const int* moduli, cudaStream_t stream, const BatchArgs<T>& product,
                             const GemmPlan& plan);

}  // namespace rooftile::cuda_native
