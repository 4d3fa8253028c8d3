// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/nvidia/hopper/wgmma_widths.hpp"
#include "device/nvidia/warpgroup/fragment.hpp"
#include "device/nvidia/warpgroup/tile.hpp"

/// How a consumer warpgroup multiplies the stages that the producer warpgroup fills.
namespace rooftile::detail::hopper {

/// Returns the block of the cluster that thread i notifies when its warpgroup releases a stage. The blocks to
/// notify are in the row or the column of this block, and each loads a part of the stage. Negative: none.
__device__ inline int sharing_block(ClusterShape shape, ClusterPlace own, int i) {
  if (i < shape.m) return i + own.column * shape.m;
  const int other = i - shape.m, column = other < own.column ? other : other + 1;
  return column < shape.n ? own.row + column * shape.m : -1;
}
/// Returns the number of blocks to notify.
__device__ inline int sharing_blocks(ClusterShape shape) {
  return shape.m + shape.n - 1;
}

/// Notifies a block that this warpgroup no longer needs the stage. If threads read A from the stage
/// themselves, each warp notifies the block.
/// @param block  this thread's `sharing_block`
template <class G>
__device__ void release(const WarpgroupShared<G>& shared, int block, int stage) {
  if constexpr (G::a_in_registers) __syncwarp();
  if (block >= 0) mbarrier::arrive_at(shared.empty(stage), block);
}

/// Starts acc (64,BN) = or += the product of two parts of a stage. Does not wait for the result.
/// @tparam Kind  names the instruction; not G::T if the formats of 8-bit floats are known at run time only
template <class G, class Kind = typename G::T, class Sum>
__device__ void multiply_stage(Sum (&acc)[G::bn / 2], SharedAddress a, SharedAddress b, bool accumulate) {
  constexpr int steps = swizzle_bytes / wgmma::step_bytes;
  const wgmma::Descriptor at_a = wgmma::descriptor(a), at_b = wgmma::descriptor(b);
#pragma unroll
  for (int step = 0; step < steps; ++step) {
    wgmma::Multiply<Kind, G::a_major, G::b_major, G::bn>::run(
        acc, at_a + wgmma::descriptor_step<typename G::T, G::a_major>(step),
        at_b + wgmma::descriptor_step<typename G::T, G::b_major>(step), accumulate || step > 0);
  }
}

/// acc (64,BN) = this warpgroup's rows of A (BM,K) · B (K,BN). The instructions of the next stage are always
/// queued in the tensor cores while those of the current stage run.
template <class G, class Kind = typename G::T, class Sum>
__device__ void multiply(Sum (&acc)[G::bn / 2], const WarpgroupShared<G>& shared, int thread, int sharer,
                         int k_blocks, RingPosition<G::stages>& at) {
  int previous = at.stage;
  const int warpgroup = warpgroup_of(thread);
  for (int i = 0; i < k_blocks; ++i) {
    mbarrier::wait(shared.full(at.stage), at.parity);
    wgmma::fence();
    multiply_stage<G, Kind>(acc, shared.a(at.stage, warpgroup), shared.b(at.stage), i > 0);
    wgmma::commit();
    wgmma::wait<1>();
    if (i > 0) release<G>(shared, sharer, previous);
    previous = at.stage;
    at.advance();
  }
  wgmma::wait_for(acc);
  release<G>(shared, sharer, previous);
}

/// Starts acc = or += a · one part of B of a stage. Does not wait for the result.
template <class G>
__device__ void multiply_fragment(float (&acc)[G::bn / 2], const Fragment& a, SharedAddress b,
                                  bool accumulate) {
  const wgmma::Descriptor at_b = wgmma::descriptor(b);
#pragma unroll
  for (int step = 0; step < Fragment::steps; ++step) {
    wgmma::MultiplyRegisters<G::bn>::run(acc, a.x[step], at_b + wgmma::descriptor_step<float, Major::k>(step),
                                         accumulate || step > 0);
  }
}

/// `multiply` with A in registers. The registers must not change until the tensor cores have finished. While
/// this warpgroup then reads its next elements, the tensor cores work for the other warpgroup.
template <class G>
__device__ void multiply_registers(float (&acc)[G::bn / 2], const WarpgroupShared<G>& shared, int thread,
                                   int sharer, int k_blocks, RingPosition<G::stages>& at) {
  for (int i = 0; i < k_blocks; ++i) {
    mbarrier::wait(shared.full(at.stage), at.parity);
    const Fragment a = load_fragment<G::a_major>(thread, shared.a_rows(at.stage, thread / 128));
    wgmma::fence();
    multiply_fragment<G>(acc, a, shared.b(at.stage), i > 0);
    wgmma::commit();
    wgmma::wait_for(acc);
    release<G>(shared, sharer, at.stage);
    at.advance();
  }
}

/// `multiply` for operands in two parts. The tensor cores truncate the bits that an addition shifts out. Over
/// a long K this bias would exceed the rounding error of fp32. The tensor cores therefore accumulate only one
/// stage, the small products first, and rounded fp32 additions sum the stages.
template <class G>
__device__ void multiply_parts(float (&sum)[G::bn / 2], const WarpgroupShared<G>& shared, int thread,
                               int sharer, int k_blocks, RingPosition<G::stages>& at) {
  float acc[G::bn / 2];
#pragma unroll
  for (float& x : sum) x = 0;
  for (int i = 0; i < k_blocks; ++i) {
    mbarrier::wait(shared.full(at.stage), at.parity);
    Fragment big = load_fragment<G::a_major>(thread, shared.a_rows(at.stage, thread / 128));
    const Fragment small = split_fragment(big);
    wgmma::fence();
    multiply_fragment<G>(acc, small, shared.b(at.stage, 0), false);
    multiply_fragment<G>(acc, big, shared.b(at.stage, 1), true);
    multiply_fragment<G>(acc, big, shared.b(at.stage, 0), true);
    wgmma::commit();
    wgmma::wait_for(acc);
    release<G>(shared, sharer, at.stage);
#pragma unroll
    for (int j = 0; j < G::bn / 2; ++j) sum[j] += acc[j];
    at.advance();
  }
}

}  // namespace rooftile::detail::hopper
