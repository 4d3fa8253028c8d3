// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/device/nvidia/hopper/tma.hpp"
#include "rooftile/device/nvidia/warpgroup/multiply.hpp"
#include "rooftile/device/nvidia/warpgroup/store.hpp"
#include "rooftile/device/nvidia/warpgroup/work.hpp"

/// What the warpgroups of a block do: one copies, two multiply, each half of the rows of a tile of C (BM,BN);
/// tiles of A and B pass through a ring of stages in shared memory.
namespace rooftile::detail::hopper {

template <class Out>
struct WarpgroupArgs {
  WarpgroupWork work;
  WarpgroupResult<Out> result;
};

/// Where rows from `row` on of an operand's tile begin; each product has a plane, or two of tf32 sums: the
/// big parts and the small ones.
template <Major major>
__device__ tma::BoxOrigin box_origin(int row, int k, int plane) {
  return major == Major::k ? tma::BoxOrigin{k, row, plane} : tma::BoxOrigin{row, k, plane};
}

/// Asks for A's tile (BM,BK).
template <class G>
__device__ void copy_a(const WarpgroupShared<G>& shared, int stage, const CUtensorMap& A, int row0, int k0,
                       int plane) {
  constexpr int box_rows = rows_per_box<typename G::T>(G::a_major);
  for (int row = 0; row < G::bm; row += box_rows) {
    tma::load(shared.a(stage) + row * swizzle_bytes, A, box_origin<G::a_major>(row0 + row, k0, plane),
              shared.full(stage));
  }
}

/// Asks for B's tile (BK,BN): the blocks of a cluster take turns at its slabs and bring each to all of them.
template <class G>
__device__ void copy_b(const WarpgroupShared<G>& shared, int stage, const CUtensorMap& B, int rank, int col0,
                       int k0, int plane) {
  static_assert(rows_per_box<typename G::T>(G::b_major) == slab_rows);
  constexpr std::uint16_t everyone = (1 << G::cluster) - 1;
  for (int part = 0; part < G::parts; ++part) {
    for (int row = rank * slab_rows; row < G::bn; row += G::cluster * slab_rows) {
      const SharedAddress slab = shared.b(stage, part) + row * swizzle_bytes;
      const tma::BoxOrigin from = box_origin<G::b_major>(col0 + row, k0, plane + part);
      if constexpr (G::cluster > 1) {
        tma::load_multicast(slab, B, from, shared.full(stage), everyone);
      } else {
        tma::load(slab, B, from, shared.full(stage));
      }
    }
  }
}

/// One thread copies tiles as far ahead as the ring has stages.
template <class G>
__device__ void produce(const WarpgroupShared<G>& shared, const Place& here, const CUtensorMap& A,
                        const CUtensorMap& B, const WarpgroupWork& work) {
  const int rank = G::cluster > 1 ? static_cast<int>(cluster::rank()) : 0;
  RingPosition<G::stages> at;
  for (int index = here.block / G::cluster; index < work.items(G::cluster);
       index += here.blocks / G::cluster) {
    const auto [tile_m, tile_n, split, product] = work.item(index, G::cluster);
    const int row0 = (tile_m + rank) * G::bm, col0 = tile_n * G::bn;
    const int k_begin = split * work.split_steps, k_end = k_begin + work.blocks_of(split);
    for (int k_block = k_begin; k_block < k_end; ++k_block) {
      mbarrier::wait(shared.empty(at.stage), at.parity ^ 1);
      mbarrier::arrive_and_expect(shared.full(at.stage), G::stage_bytes);
      copy_a<G>(shared, at.stage, A, row0, k_block * G::bk, product * work.a_planes);
      copy_b<G>(shared, at.stage, B, rank, col0, k_block * G::bk, product * work.b_planes);
      at.advance();
    }
  }
}

/// One warpgroup multiplies its 64 rows of each tile and stores them, while the other may be at another
/// stage.
template <class G>
__device__ void consume(const WarpgroupShared<G>& shared, const Place& here, const CUtensorMap& C,
                        const WarpgroupArgs<typename G::Out>& args) {
  const int rank = G::cluster > 1 ? static_cast<int>(cluster::rank()) : 0;
  const int thread = here.thread, warp = thread / 32;
  char* const staging = shared.staging(warp);
  RingPosition<G::stages> at;
  BoxTurn turn;
  for (int index = here.block / G::cluster; index < args.work.items(G::cluster);
       index += here.blocks / G::cluster) {
    const WarpgroupWork::Item item = args.work.item(index, G::cluster);
    float acc[G::bn / 2];
    if constexpr (G::parts == 2) {
      multiply_parts<G>(acc, shared, thread, args.work.blocks_of(item.split), at);
    } else if constexpr (G::a_in_registers) {
      multiply_registers<G>(acc, shared, thread, args.work.blocks_of(item.split), at);
    } else {
      multiply<G>(acc, shared, thread, args.work.blocks_of(item.split), at);
    }
    const int row0 = (item.tile_m + rank) * G::bm + thread / 128 * slab_rows, col0 = item.tile_n * G::bn;
    const int plane = args.work.plane(item);
    if (!G::a_in_registers && args.result.by == StoreBy::boxes) {
      store_boxes<typename G::Out>(thread, acc, staging, turn, C, args.result.alpha,
                                   {col0, row0 + warp % 4 * 16, plane});
    } else {
      store_accumulators<G::a_in_registers>(thread, acc, reinterpret_cast<float*>(staging), args.result,
                                            plane, row0, col0 / sums_of<typename G::Out>);
    }
  }
  tma::wait_for_stores<0>();
}

/// Sets the barriers up, and waits for the kernel launched just before, which writes what is read.
template <class G>
__device__ void make_ready(const WarpgroupShared<G>& shared, const Place& here, const CUtensorMap& A,
                           const CUtensorMap& B) {
  if (here.thread == 0) {
    tma::prefetch(A);
    tma::prefetch(B);
    for (int stage = 0; stage < G::stages; ++stage) {
      mbarrier::init(shared.full(stage), 1);
      mbarrier::init(shared.empty(stage), G::consumers * G::releases * G::cluster);
    }
    mbarrier::fence_init();
  }
  barrier_of_cluster<G>();
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

}  // namespace rooftile::detail::hopper
