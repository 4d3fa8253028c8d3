// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/nvidia/hopper/tma.hpp"
#include "device/nvidia/warpgroup/float8.hpp"
#include "device/nvidia/warpgroup/multiply.hpp"
#include "device/nvidia/warpgroup/store.hpp"
#include "device/nvidia/warpgroup/work.hpp"

/// The roles of a block's warpgroups: one copies (producer), one or two multiply (consumers). Each consumer
/// has 64 rows of a tile of C (BM,BN). Tiles of A and B pass through a ring of stages in shared memory.
namespace rooftile::detail::hopper {

/// Registers per producer thread.
inline constexpr int producer_registers = 56;

/// @tparam Factors  what the kernel needs to know of the factors; empty unless they are 8-bit floats
template <class Out, class Factors = NoFactors>
struct WarpgroupArgs {
  WarpgroupWork work;
  WarpgroupResult<Out> result;
  [[no_unique_address]] Factors factors = {};
};

/// Returns the origin of an operand's box from `row` and `k` on. Each product has one plane, or two planes of
/// tf32 parts: the big parts and the small parts.
template <Major major>
__device__ tma::BoxOrigin box_origin(int row, int k, int plane) {
  return major == Major::k ? tma::BoxOrigin{k, row, plane} : tma::BoxOrigin{row, k, plane};
}

/// How a block loads an operand's tile that blocks of its cluster share. Each block loads one part of every
/// box and multicasts the part to all of them.
struct SharedCopy {
  int part;              ///< index of this block's part
  int lines;             ///< lines of a box per part
  std::uint16_t blocks;  ///< a bit per block of the cluster; 0: no other block needs the tile

  /// @param sharing  number of blocks that share the tile, `stride` ranks apart from rank `first` on
  __device__ SharedCopy(int part_, int sharing, int first, int stride, int box_lines)
      : part(part_), lines(box_lines / sharing), blocks(0) {
    for (int i = 0; sharing > 1 && i < sharing; ++i) blocks |= 1 << (first + i * stride);
  }
};

/// Starts the copy of `rows` rows of an operand's tile from `row0` and `k0` on.
template <class T, Major major, int rows>
__device__ void copy_tile(SharedAddress tile, const CUtensorMap& map, const SharedCopy& copy, int row0,
                          int k0, int plane, SharedAddress full) {
  constexpr int box_rows = rows_per_box<T>(major);
  const int line = copy.part * copy.lines;
  (major == Major::k ? row0 : k0) += line;
  tile += line * swizzle_bytes;
#pragma unroll
  for (int row = 0; row < rows; row += box_rows, tile += box_rows * swizzle_bytes) {
    const tma::BoxOrigin from = box_origin<major>(row0 + row, k0, plane);
    if (copy.blocks != 0) {
      tma::load_multicast(tile, map, from, full, copy.blocks);
    } else {
      tma::load(tile, map, from, full);
    }
  }
}

/// Whether the calling thread of the last warpgroup is the thread that copies. `elect.sync` tells the
/// compiler that only one thread is active, which saves a loop over the warp's threads around each TMA
/// instruction.
__device__ inline bool copies(const Place& here) {
  if (__shfl_sync(~0u, here.thread / 32, 0) % 4 != 0) return false;
  unsigned elected;
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "elect.sync _|p, 0xffffffff;\n"
      "selp.u32 %0, 1, 0, p;\n"
      "}"
      : "=r"(elected));
  return elected != 0;
}

/// One thread copies tiles as far ahead as the ring has stages.
template <class G>
__device__ void produce(const WarpgroupShared<G>& shared, const Place& here, const CUtensorMap& A,
                        const CUtensorMap& B, const WarpgroupWork& work) {
  using T = typename G::T;
  const ClusterShape cluster = work.cluster;
  const ClusterPlace own(cluster);
  const SharedCopy a(own.column, cluster.n, own.row, cluster.m, rows_per_box<T>(G::a_major));
  const SharedCopy b(own.row, cluster.m, own.column * cluster.m, 1, rows_per_box<T>(G::b_major));
  RingPosition<G::stages> at;
  for (int index = here.block / cluster.size(); index < work.items(); index += here.blocks / cluster.size()) {
    const auto [tile_m, tile_n, split, product] = work.item(index);
    const int row0 = (tile_m + own.row) * G::bm, col0 = (tile_n + own.column) * G::bn;
    const int a_plane = product * work.a_planes, b_plane = product * work.b_planes;
    const int k_begin = split * work.split_steps, k_end = k_begin + work.blocks_of(split);
    for (int k_block = k_begin; k_block < k_end; ++k_block) {
      const SharedAddress full = shared.full(at.stage);
      const int k0 = k_block * G::bk;
      mbarrier::wait(shared.empty(at.stage), at.parity ^ 1);
      mbarrier::arrive_and_expect(full, G::stage_bytes);
      copy_tile<T, G::a_major, G::bm>(shared.a(at.stage), A, a, row0, k0, a_plane, full);
      for (int part = 0; part < G::parts; ++part)
        copy_tile<T, G::b_major, G::bn>(shared.b(at.stage, part), B, b, col0, k0, b_plane + part, full);
      at.advance();
    }
  }
}

/// A warpgroup multiplies and stores its 64 rows of each tile. The other warpgroup may be at another stage.
template <class G>
__device__ void consume(const WarpgroupShared<G>& shared, const Place& here, const CUtensorMap& C,
                        const WarpgroupArgs<typename G::Out, typename G::Factors>& args) {
  const ClusterShape cluster = args.work.cluster;
  const ClusterPlace own(cluster);
  const int thread = here.thread, warp = thread / 32;
  const int sharer = sharing_block(cluster, own, thread % (128 / G::releases));
  char* const staging = shared.staging(warp);
  RingPosition<G::stages> at;
  BoxTurn turn;
  for (int index = here.block / cluster.size(); index < args.work.items();
       index += here.blocks / cluster.size()) {
    const WarpgroupWork::Item item = args.work.item(index);
    const int k_blocks = args.work.blocks_of(item.split);
    const int row0 = (item.tile_m + own.row) * G::bm + thread / 128 * slab_rows,
              col0 = (item.tile_n + own.column) * G::bn, plane = args.work.plane(item);
    AccumulatorOf<typename G::Out> acc[G::bn / 2];
    if constexpr (G::is_float8) {
      const Float8Tile tile{row0, col0, item.product, item.split * args.work.split_steps};
      multiply_float8<G>(acc, shared, thread, sharer, k_blocks, at, args.factors, tile);
    } else if constexpr (G::parts == 2) {
      multiply_parts<G>(acc, shared, thread, sharer, k_blocks, at);
    } else if constexpr (G::a_in_registers) {
      multiply_registers<G>(acc, shared, thread, sharer, k_blocks, at);
    } else {
      multiply<G>(acc, shared, thread, sharer, k_blocks, at);
    }
    if (!G::a_in_registers && args.result.by == StoreBy::boxes) {
      store_boxes<typename G::Out>(thread, acc, staging, turn, C, args.result.alpha,
                                   {col0, row0 + warp % 4 * 16, plane});
    } else {
      store_accumulators<G::a_in_registers>(thread, acc,
                                            reinterpret_cast<AccumulatorOf<typename G::Out>*>(staging),
                                            args.result, plane, row0, col0 / sums_of<typename G::Out>);
    }
  }
  tma::wait_for_stores<0>();
}

/// Initializes the barriers and waits for the previous kernel on the stream, which writes the data that this
/// kernel reads.
template <class G>
__device__ void make_ready(const WarpgroupShared<G>& shared, const Place& here, const CUtensorMap& A,
                           const CUtensorMap& B, ClusterShape cluster) {
  if (here.thread == 0) {
    tma::prefetch(A);
    tma::prefetch(B);
    for (int stage = 0; stage < G::stages; ++stage) {
      mbarrier::init(shared.full(stage), 1);
      mbarrier::init(shared.empty(stage), G::consumers * G::releases * sharing_blocks(cluster));
    }
    mbarrier::fence_init();
  }
  barrier_of_cluster(cluster);
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

}  // namespace rooftile::detail::hopper
