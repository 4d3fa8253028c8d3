// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/launch.cuh"
#include "cuda_native/tile_ops.cuh"

namespace rooftile::cuda_native {

/// One thread block computes all of C. The thread index is the index of its element. C has at most 1,024
/// elements, the limit of threads in a block.
template <class T, class Tile>
__global__ void __launch_bounds__(Tile::max_threads, Tile::min_teams)
    single_block(BatchArgs<T> batch, Tile tile) {
  const auto& [alpha, A, B, beta, C] = product_of(Team(tile), batch);
  const Index row = threadIdx.y;
  const Index col = threadIdx.x;

  const T *a = &A(row, 0), *b = &B(0, col);
  T product = 0;
  for (Index k = 0; k < A.cols; ++k, a += A.col_stride, b += B.row_stride) {
    detail::multiply_add(product, A.read(*a), B.read(*b));
  }
  detail::update(C(row, col), alpha, product, beta);
}

template <>
struct KernelOf<Kernel::single_block> {
  template <class T, class Tile>
  static constexpr auto function = &single_block<T, Tile>;
};
template void run<Kernel::single_block, ComputeMode::fp32>(cudaStream_t, const BatchArgs<float>&,
                                                           const GemmPlan&);
template void run<Kernel::single_block, ComputeMode::fp64>(cudaStream_t, const BatchArgs<double>&,
                                                           const GemmPlan&);
template void run<Kernel::single_block, ComputeMode::cfp32>(cudaStream_t, const BatchArgs<complex<float>>&,
                                                            const GemmPlan&);
template void run<Kernel::single_block, ComputeMode::cfp64>(cudaStream_t, const BatchArgs<complex<double>>&,
                                                            const GemmPlan&);
template KernelResources resources<Kernel::single_block, ComputeMode::fp32>(TileShape);
template KernelResources resources<Kernel::single_block, ComputeMode::fp64>(TileShape);
template KernelResources resources<Kernel::single_block, ComputeMode::cfp32>(TileShape);
template KernelResources resources<Kernel::single_block, ComputeMode::cfp64>(TileShape);

}  // namespace rooftile::cuda_native
