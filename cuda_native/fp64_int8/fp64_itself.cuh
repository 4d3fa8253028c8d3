// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/fp64_int8/multiply.hpp"
#include "cuda_native/tensor_core/kernel.cuh"

/// The fp64 fallback of the guard: the `tensor_core` kernel, in which each block first reads the number of
/// moduli. It is a separate kernel, so that the plain kernel does not read this word.
namespace rooftile::cuda_native {

template <class T, class Tile, bool vectors>
__global__ void __launch_bounds__(Tile::max_threads, Tile::min_teams)
    tensor_core_unless(BatchArgs<T> batch, Tile tile, const int* moduli) {
  if (*moduli > 0) return;
  multiply_tile<T, Tile, vectors>(batch, tile);
}

template <class T>
void multiply_in_fp64_unless(const int* moduli, cudaStream_t stream, const BatchArgs<T>& product,
                             const GemmPlan& plan) {
  constexpr Kernel kernel = Kernel::tensor_core;
  with_tile<kernel, T>(plan.fallback, [&]<class Tile>(const Tile& tile) {
    const std::size_t shared_bytes = dynamic_shared_bytes<kernel>(plan.fallback, type_of<T>());
    const auto start = [&](auto* function) {
      allow_shared_bytes(function, shared_bytes);
      const Index tiles = tiles_of_grid(product.first.C, tile.bm(), tile.bn());
      launch_kernel(stream, function, dim3(static_cast<unsigned>(tiles)),
                    dim3(tile.bn() / tile.tn(), tile.bm() / tile.tm()), shared_bytes, product, tile, moduli);
    };
    plan.vectors ? start(&tensor_core_unless<T, Tile, true>) : start(&tensor_core_unless<T, Tile, false>);
  });
}

}  // namespace rooftile::cuda_native
