// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

#include "rooftile/problem.hpp"

/// fp64 from products of int8 on Hopper's tensor cores (docs/fp64-from-int8.md).
namespace rooftile::cuda_native {

/// Bytes of device memory that a product takes.
std::size_t residues_workspace_bytes(const GemmShape& shape);

/// Starts C = alpha·A·B + beta·C with as many moduli as the guard finds on the device; C stays where it finds
/// none, and fp64 itself is to be taken.
/// @param named   13 to 16 moduli without the guard; 0: as it finds
/// @param memory  of `residues_workspace_bytes`, aligned to 1,024 bytes, until the stream is done
/// @return where on the device the number of moduli will be: 0 where C stays
/// @pre K is at most `residues::max_products`, M and N are below 2²³ - 128, no extent is 0, alpha is not 0;
/// compute capability 9.0
/// @throws Error where CUDA refuses a launch
const int* multiply_by_residues(cudaStream_t stream, const GemmArgs<double>& args, int named, void* memory);

}  // namespace rooftile::cuda_native
