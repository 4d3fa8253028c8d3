// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/launch.cuh"
#include "cuda_native/tile_ops.cuh"
#include "device/common/pipeline.hpp"
#include "device/nvidia/mma_3m_tile.hpp"
#include "plan/batch_parts.hpp"

namespace rooftile::cuda_native {

/// The matrix instructions multiply three times for complex numbers in place of four. A lane adds the parts
/// of what it reads, few additions beside the products, and has three sums for an element of C.
template <class T, class Tile>
__global__ void __launch_bounds__(Tile::max_threads, Tile::min_teams)
    tensor_core_3m(BatchArgs<T> batch, Tile tile) {
  const Team team(tile);
  const GemmArgs<T> args = product_of(team, batch);
  MatrixRef<const T> A = args.A, B = args.B;
  A.data = detail::unforeseen_global(A.data), B.data = detail::unforeseen_global(B.data);
  const Origin origin = tile_origin(team, args.C);
  extern __shared__ float4 shared[];
  detail::Mma3mTile<T, Tile> acc(team.rank(), detail::conjugates_b(A, B));  // of a warp, (4·TM,8·TN)

  detail::with_majors(A, B, [&]<detail::Major a_major, detail::Major b_major>() {
    const PanelRingOf<Kernel::tensor_core_3m, T, Tile, a_major, b_major> ring{reinterpret_cast<T*>(shared)};
    detail::multiply_pipelined<T, Tile>(team, acc, ring, A, B, origin.row0, origin.col0);
  });
  store_registers(team, batch, acc);
}

template <>
struct KernelOf<Kernel::tensor_core_3m> {
  template <class T, class Tile>
  static constexpr auto function = &tensor_core_3m<T, Tile>;
};
template void run<Kernel::tensor_core_3m, Math::cfp64_3m>(cudaStream_t, const BatchArgs<complex<double>>&,
                                                          const GemmPlan&);
template KernelResources resources<Kernel::tensor_core_3m, Math::cfp64_3m>(TileShape);

}  // namespace rooftile::cuda_native
