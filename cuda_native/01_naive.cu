// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/launch.cuh"
#include "cuda_native/tile_ops.cuh"

namespace rooftile::cuda_native {

/// One thread per element of C. Each multiply-add loads two values from global memory: 0.25 FLOP/B in fp32.
template <class T, class Tile>
__global__ void __launch_bounds__(Tile::max_threads, Tile::min_teams) naive(BatchArgs<T> batch, Tile tile) {
  const Team team(tile);
  const auto& [alpha, A, B, beta, C] = product_of(team, batch);
  const auto [row0, col0] = tile_origin(team, C);
  const Index row = row0 + team.ty;
  const Index col = col0 + team.tx;
  if (row >= C.rows || col >= C.cols) return;

  // The loop advances pointers to the row of A and the column of B. Addresses computed from k make the kernel
  // a third slower.
  const T *a = &A(row, 0), *b = &B(0, col);
  T product = 0;
  for (Index k = 0; k < A.cols; ++k, a += A.col_stride, b += B.row_stride) {
    detail::multiply_add(product, A.read(*a), B.read(*b));
  }
  detail::update(C(row, col), alpha, product, beta);
}

template <>
struct KernelOf<Kernel::naive> {
  template <class T, class Tile>
  static constexpr auto function = &naive<T, Tile>;
};
template void run<Kernel::naive, ComputeMode::fp32>(cudaStream_t, const BatchArgs<float>&, const GemmPlan&);
template void run<Kernel::naive, ComputeMode::fp64>(cudaStream_t, const BatchArgs<double>&, const GemmPlan&);
template void run<Kernel::naive, ComputeMode::cfp32>(cudaStream_t, const BatchArgs<complex<float>>&,
                                                     const GemmPlan&);
template void run<Kernel::naive, ComputeMode::cfp64>(cudaStream_t, const BatchArgs<complex<double>>&,
                                                     const GemmPlan&);
template KernelResources resources<Kernel::naive, ComputeMode::fp32>(TileShape);
template KernelResources resources<Kernel::naive, ComputeMode::fp64>(TileShape);
template KernelResources resources<Kernel::naive, ComputeMode::cfp32>(TileShape);
template KernelResources resources<Kernel::naive, ComputeMode::cfp64>(TileShape);

}  // namespace rooftile::cuda_native
