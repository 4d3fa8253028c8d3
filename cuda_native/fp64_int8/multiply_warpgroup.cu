// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/fp64_int8/multiply.hpp"
#include "cuda_native/fp64_int8/products.cuh"
#include "cuda_native/fp64_int8/reconstruct.cuh"
#include "cuda_native/fp64_int8/residues.cuh"
#include "cuda_native/fp64_int8/scales.hpp"
#include "cuda_native/hopper/tensor_map.hpp"
#include "cuda_native/launch.cuh"

namespace rooftile::cuda_native {
namespace {

using namespace residues;

/// @param first  of the chunk's rows
void start_residues(cudaStream_t stream, const Operand& of, Index first, const Guard& guard) {
  using Tile = ResidueTile;
  const dim3 grid(blocks_of(of.planes.rows, Tile::rows), blocks_of(of.X.cols, Tile::k));
  with_layout(of.X, [&]<bool contiguous>() {
    launch_kernel(stream, make_residues<contiguous>, grid, dim3(Tile::threads), 0, of, first, guard);
  });
}

CUtensorMap map_of(const Planes& planes, int box_rows) {
  return tensor_map<std::int8_t>({planes.data, planes.rows, planes.ld, planes.ld, max_moduli, planes.apart()},
                                 box_rows, Elements::copied);
}

Moduli all_moduli() {
  return [&]<int... i>(std::integer_sequence<int, i...>) {
    return Moduli{{modulus<i>...}};
  }
  (std::make_integer_sequence<int, max_moduli>());
}

void start_products(cudaStream_t stream, const Planes& a, const Planes& b, const Planes& result,
                    const Guard& guard) {
  using G = ProductTile;
  const int k_blocks = static_cast<int>(a.ld / G::bk);
  const WarpgroupWork work{static_cast<int>(blocks_of(a.rows, G::bm)),
                           static_cast<int>(blocks_of(b.rows, G::bn)),
                           k_blocks,
                           k_blocks,
                           1,
                           max_moduli,
                           1,
                           1};
  const auto kernel = multiply_residues<G>;
  allow_shared_bytes(kernel, G::shared_bytes);
  const int clusters = std::min(work.items(G::cluster), sm_count() / G::cluster);
  launch_behind(stream, kernel, dim3(static_cast<unsigned>(clusters * G::cluster)), dim3(G::threads),
                G::shared_bytes, G::cluster, map_of(a, slab_rows), map_of(b, slab_rows),
                map_of(result, StoreStaging::rows), work, guard, all_moduli());
}

/// @param first_row,first_column  of the chunk's in C
void start_reconstruct(cudaStream_t stream, const BatchArgs<double>& product, const Parts& parts,
                       const Planes& result, Index first_row, Index first_column, Index columns,
                       const Guard& guard) {
  using Tile = ReconstructTile;
  const auto& [alpha, A, B, beta, C] = product.first;
  const dim3 grid(blocks_of(result.rows, Tile::rows), blocks_of(columns, Tile::columns));
  launch_kernel(stream, reconstruct_result, grid, dim3(Tile::threads), 0,
                C.block(first_row, first_column, result.rows, columns), product.pointers.c,
                first_row * C.row_stride + first_column * C.col_stride, alpha, beta, result,
                parts.a.exponents + first_row, parts.b.exponents + first_column, guard);
}

}  // namespace

const int* multiply_by_residues(cudaStream_t stream, const BatchArgs<double>& product, int named,
                                const ResidueChunks& chunks, void* memory) {
  Parts parts(memory, product, chunks);
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
      start_products(stream, parts.a.planes, parts.b.planes, result, guard);
      start_reconstruct(stream, product, parts, result, row, column, columns, guard);
    }
  }
  return &parts.seen->moduli;
}

KernelResources residue_products_resources() {
  using G = ProductTile;
  return resources_of(multiply_residues<G>, G::threads, G::shared_bytes);
}

}  // namespace rooftile::cuda_native
