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

/// fp64 from products of int8 on Hopper's tensor cores (docs/numerics.md): T is double or
/// complex<double>.
namespace rooftile::cuda_native {

/// Starts C = alpha·A·B + beta·C with as many moduli as the guard finds on the device; C stays where it finds
/// none, and fp64 itself is to be taken.
/// @param product  one
/// @param named    13 to 16 moduli without the guard; 0: as it finds
/// @param memory   of as many bytes as the chunks take, aligned to 128 bytes, until the stream is done
/// @return where on the device the number of moduli will be: 0 where C stays
/// @pre K is at most `residues::max_products`, no extent is 0; compute capability 9.0
/// @throws Error where CUDA refuses a launch
template <class T>
const int* multiply_by_residues(cudaStream_t stream, const BatchArgs<T>& product, int named,
                                const detail::ResidueChunks& chunks, void* memory);

/// What the guard sees of A and of B. Waits for the stream.
/// @param product  one, whose C is not touched
/// @pre no extent is 0; compute capability 9.0
/// @throws Error where CUDA refuses
template <class T>
std::array<residues::Spread, 2> spreads(cudaStream_t stream, const BatchArgs<T>& product);

/// What the kernel of the products takes of an SM.
template <class T>
KernelResources residue_products_resources();

/// Starts the kernel of `tensor_core` for a product; it returns at once where `*moduli` on the device is not
/// 0.
/// @param plan  whose `fallback` tile it has
template <class T>
void multiply_in_fp64_unless(const int* moduli, cudaStream_t stream, const BatchArgs<T>& product,
                             const GemmPlan& plan);

}  // namespace rooftile::cuda_native
