// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/fp64_int8/multiply.hpp"
#include "cuda_native/fp64_int8/products.cuh"
#include "cuda_native/fp64_int8/reconstruct.cuh"
#include "cuda_native/fp64_int8/residues.cuh"
#include "cuda_native/fp64_int8/scales.cuh"
#include "cuda_native/hopper/tensor_map.hpp"
#include "cuda_native/launch.cuh"

namespace rooftile::cuda_native {
namespace {

using namespace residues;

unsigned blocks_of(Index extent, Index each) {
  return static_cast<unsigned>((extent + each - 1) / each);
}

/// `f` with whether rows are contiguous.
template <class F>
void with_layout(const MatrixRef<const double>& X, const F& f) {
  X.col_stride == 1 ? f.template operator()<true>() : f.template operator()<false>();
}

void start_scales(cudaStream_t stream, const Operand& of, Seen* seen, int of_b) {
  with_layout(of.X, [&]<bool contiguous>() {
    using Readers = RowReaders<contiguous>;
    launch_kernel(stream, find_scales<contiguous>, dim3(blocks_of(of.X.rows, Readers::rows)),
                  dim3(Readers::threads), 0, of.X, of.scales, seen, of_b);
  });
}

void start_residues(cudaStream_t stream, const Operand& of, const Guard& guard) {
  using Tile = ResidueTile;
  const dim3 grid(blocks_of(of.X.rows, Tile::rows), blocks_of(of.X.cols, Tile::k));
  with_layout(of.X, [&]<bool contiguous>() {
    launch_kernel(stream, make_residues<contiguous>, grid, dim3(Tile::threads), 0, of, guard);
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

void start_products(cudaStream_t stream, const Parts& parts, const Guard& guard) {
  using G = ProductTile;
  const Planes &a = parts.a.planes, &b = parts.b.planes;
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
                map_of(parts.result, StoreStaging::rows), work, guard, all_moduli());
}

}  // namespace

std::size_t residues_workspace_bytes(const GemmShape& shape) {
  return Parts::bytes(shape);
}

const int* multiply_by_residues(cudaStream_t stream, const GemmArgs<double>& args, int named, void* memory) {
  // Rows of the result are contiguous then, as those of its residues.
  if (args.C.col_stride != 1 && args.C.row_stride == 1)
    return multiply_by_residues(stream, args.transposed(), named, memory);
  const Parts parts(memory, args);
  const Guard guard{parts.seen, args.shape().k, named};
  check(cudaMemsetAsync(parts.seen, 0, sizeof(Seen), stream), "clear what a guard has seen");
  start_scales(stream, parts.a, parts.seen, 0);
  start_scales(stream, parts.b, parts.seen, 1);
  start_residues(stream, parts.a, guard);
  start_residues(stream, parts.b, guard);
  start_products(stream, parts, guard);
  using Tile = ReconstructTile;
  const dim3 grid(blocks_of(args.C.rows, Tile::rows), blocks_of(args.C.cols, Tile::columns));
  launch_kernel(stream, reconstruct_result, grid, dim3(Tile::threads), 0, args.C, args.alpha, args.beta,
                parts.result, parts.a.exponents, parts.b.exponents, guard, &parts.seen->moduli);
  return &parts.seen->moduli;
}

}  // namespace rooftile::cuda_native
