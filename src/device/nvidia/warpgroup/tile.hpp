// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "device/nvidia/hopper/cluster.hpp"
#include "device/nvidia/hopper/mbarrier.hpp"
#include "device/nvidia/hopper/wgmma.hpp"
#include "device/nvidia/warpgroup/float8_scale.hpp"
#include "device/nvidia/warpgroup/result.hpp"
#include "rooftile/float8.hpp"
#include "rooftile/gemm_plan.hpp"

namespace rooftile::detail::hopper {

/// The parameters of one instance of the kernel.
/// @tparam T_          elements of A and B; fp32 is multiplied as tf32
/// @tparam Out_        elements of C
/// @tparam consumers_  warpgroups that multiply, each 64 rows of the tile
/// @tparam parts_      2: A is split into tf32 parts big + small, B is already split, and the product is
///   small·big + big·small + big·big
template <class T_, class Out_, int consumers_, int bn_, int stages_, Major a_major_ = Major::k,
          Major b_major_ = Major::k, int parts_ = 1>
struct WarpgroupTile {
  using T = T_;
  using Out = Out_;
  static constexpr int consumers = consumers_;
  static constexpr int threads = 128 * (consumers + 1);
  static constexpr int bm = slab_rows * consumers;
  static constexpr int bn = bn_;
  static constexpr int bk = swizzle_bytes / static_cast<int>(sizeof(T));
  static constexpr int stages = stages_;
  static constexpr int parts = parts_;
  static constexpr bool is_float8 = std::is_same_v<T, float8_e4m3>;
  static constexpr Major a_major = a_major_;
  static constexpr Major b_major = b_major_;
  /// The tensor cores read tf32 from shared memory only if it is K-major. MN-major A, and A that must be
  /// split, goes through registers.
  static constexpr bool a_in_registers = std::is_same_v<T, float> && (a_major == Major::mn || parts == 2);
  /// Arrivals by which a warpgroup releases a stage: one, or one per warp if A goes through registers.
  static constexpr int releases = a_in_registers ? 4 : 1;

  static constexpr int a_bytes = bm * swizzle_bytes;
  static constexpr int b_bytes = bn * swizzle_bytes;  // of one part
  static constexpr int stage_bytes = a_bytes + parts * b_bytes;
  static constexpr int staging_bytes = consumers * 4 * StoreStaging::bytes;
  static constexpr int barrier_bytes = 2 * stages * 8;
  /// 1,024 bytes more than the block uses. The swizzle requires tiles at multiples of 1,024 bytes, which a
  /// launch does not guarantee.
  static constexpr int shared_bytes = stages * stage_bytes + staging_bytes + barrier_bytes + 1024;

  /// Registers per consumer thread. Three warpgroups share 65,536 registers.
  static constexpr int consumer_registers = is_float8 && consumers == 1 ? 248 : 224;
  using Factors = std::conditional_t<is_float8, Float8Factors, NoFactors>;

  static_assert(!std::is_same_v<T, float> || b_major == Major::k, "tf32 B is contiguous along K");
  static_assert(bn % slab_rows == 0, "B comes in whole slabs");
  static_assert(shared_bytes <= 232448, "what a block of compute capability 9.0 can have");
};

/// The block's shared memory.
template <class G>
struct WarpgroupShared {
  char* data;
  SharedAddress ring;

  __device__ explicit WarpgroupShared(char* raw) {
    data = raw + (1024 - shared_address(raw) % 1024) % 1024;
    ring = shared_address(data);
  }

  __device__ SharedAddress a(int stage, int consumer = 0) const {
    return ring + stage * G::stage_bytes + consumer * slab_bytes;
  }
  __device__ SharedAddress b(int stage, int part = 0) const {
    return a(stage) + G::a_bytes + part * G::b_bytes;
  }
  /// A's rows of a consumer, which its threads read.
  __device__ const char* a_rows(int stage, int consumer) const {
    return data + stage * G::stage_bytes + consumer * slab_bytes;
  }
  /// A warp's staging memory for stores.
  __device__ char* staging(int warp) const {
    return data + G::stages * G::stage_bytes + warp * StoreStaging::bytes;
  }
  __device__ SharedAddress full(int stage) const {
    return ring + G::stages * G::stage_bytes + G::staging_bytes + stage * 8;
  }
  __device__ SharedAddress empty(int stage) const { return full(stage) + G::stages * 8; }
};

/// Returns the thread's warpgroup. The shuffle tells the compiler that it is uniform in a warp, so that
/// addresses stay in uniform registers.
__device__ inline int warpgroup_of(int thread) {
  return __shfl_sync(~0u, thread / 128, 0);
}

/// The position of a thread.
struct Place {
  int thread;  ///< index in its block
  int block;   ///< index of its block in the grid
  int blocks;  ///< blocks of the grid
};

/// The row and the column of a block in its cluster.
struct ClusterPlace {
  int row;
  int column;

  __device__ explicit ClusterPlace(ClusterShape shape) {
    const int rank = shape.size() > 1 ? static_cast<int>(cluster::rank()) : 0;
    row = rank % shape.m, column = rank / shape.m;
  }
};

/// The barrier requires converged warps, but the threads that copy or store come from divergent branches.
__device__ inline void barrier_of_cluster(ClusterShape shape) {
  __syncwarp();
  if (shape.size() == 1) {
    __syncthreads();
  } else {
    cluster::barrier();
  }
}

}  // namespace rooftile::detail::hopper
