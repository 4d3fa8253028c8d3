// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/fp64_int8/multiply.hpp"
#include "cuda_native/fp64_int8/products.cuh"
#include "cuda_native/fp64_int8/reconstruct.cuh"
#include "cuda_native/fp64_int8/residues.cuh"
#include "cuda_native/fp64_int8/scales.hpp"
#include "cuda_native/hopper/tensor_map.hpp"
#include "cuda_native/launch.cuh"

/// The host code of fp64 from int8 products. A file for each element type instantiates the functions.
namespace rooftile::cuda_native {
namespace residues {

/// @param first  first row of the chunk
template <class T>
void start_residues(cudaStream_t stream, const Operand<T>& of, Index first, const Guard& guard) {
  using Tile = ResidueTile<T>;
  const dim3 grid(blocks_of(of.planes.rows, Tile::rows), blocks_of(of.X.cols, Tile::k));
  with_layout(of.X, [&]<bool contiguous>() {
    launch_kernel(stream, make_residues<contiguous, T>, grid, dim3(Tile::threads), 0, of, first, guard);
  });
}

/// @param count  number of planes
inline CUtensorMap map_of(const Planes& planes, int count, int box_rows) {
  return tensor_map<std::int8_t>({planes.data, planes.rows, planes.ld, planes.ld, count, planes.apart()},
                                 box_rows, Elements::copied);
}

inline Moduli all_moduli() {
  return [&]<int... i>(std::integer_sequence<int, i...>) {
    return Moduli{{modulus<i>...}};
  }
  (std::make_integer_sequence<int, max_moduli>());
}

/// @tparam products  products per modulus
template <int products>
void start_products(cudaStream_t stream, const Planes& a, const Planes& b, const Planes& result,
                    const Guard& guard) {
  using G = ProductTile;
  constexpr int planes = products * max_moduli;
  const int k_blocks = static_cast<int>(a.ld / G::bk);
  const WarpgroupWork work{static_cast<int>(blocks_of(a.rows, G::bm)),
                           static_cast<int>(blocks_of(b.rows, G::bn)),
                           k_blocks,
                           k_blocks,
                           1,
                           planes,
                           1,
                           1,
                           {2, 1}};
  const auto kernel = multiply_residues<G, products>;
  allow_shared_bytes(kernel, G::shared_bytes);
  const int size = work.cluster.size(), clusters = std::min(work.items(), sm_count() / size);
  launch_behind(stream, kernel, dim3(static_cast<unsigned>(clusters * size)), dim3(G::threads),
                G::shared_bytes, size, map_of(a, planes, slab_rows), map_of(b, planes, slab_rows / size),
                map_of(result, planes, StoreStaging::rows), work, guard, all_moduli());
}

/// @param first_row,first_column  first row and column of the chunk in C
template <class T>
void start_reconstruct(cudaStream_t stream, const BatchArgs<T>& product, const Parts<T>& parts,
                       const Planes& result, Index first_row, Index first_column, Index columns,
                       const Guard& guard) {
  using Tile = ReconstructTile;
  const auto& [alpha, A, B, beta, C] = product.first;
  const dim3 grid(blocks_of(result.rows, Tile::rows), blocks_of(columns, Tile::columns));
  launch_kernel(stream, reconstruct_result<T>, grid, dim3(Tile::threads), 0,
                C.block(first_row, first_column, result.rows, columns), product.pointers.c,
                first_row * C.row_stride + first_column * C.col_stride, alpha, beta, result,
                parts.a.exponents + first_row, parts.b.exponents + first_column, guard);
}

}  // namespace residues

template <class T>
const int* multiply_by_residues(cudaStream_t stream, const BatchArgs<T>& product, int named,
                                const detail::ResidueChunks& chunks, void* memory) {
  using namespace residues;
  Parts<T> parts(memory, product, chunks);
  const auto [m, n, k] = chunks.shape;
  const Guard guard = start_scales(stream, parts, k, named);
  for (Index row = 0; row < m; row += chunks.rows) {
    const Index rows = std::min(chunks.rows, m - row);
    parts.a.planes = parts.a.planes.with(rows, k);
    start_residues(stream, parts.a, row, guard);
    for (Index column = 0; column < n; column += chunks.columns) {
      const Index columns = std::min(chunks.columns, n - column);
      parts.b.planes = parts.b.planes.with(columns, k);
      if (row == 0 || columns < n) start_residues(stream, parts.b, column, guard);
      const Planes result = parts.result.with(rows, columns);
      start_products<product_count<T>>(stream, parts.a.planes, parts.b.planes, result, guard);
      start_reconstruct(stream, product, parts, result, row, column, columns, guard);
    }
  }
  return &parts.seen->moduli;
}

template <class T>
KernelResources residue_products_resources() {
  using namespace residues;
  using G = ProductTile;
  return resources_of(multiply_residues<G, product_count<T>>, G::threads, G::shared_bytes);
}

}  // namespace rooftile::cuda_native
