// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/common/vector.hpp"

/// Thread block clusters: blocks that run at the same time and read each other's shared memory.
namespace rooftile::detail::cluster {

/// Returns the rank of the block in its cluster.
__device__ inline unsigned rank() {
  unsigned found;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(found));
  return found;
}

/// Returns the number of blocks in the cluster.
__device__ inline unsigned size() {
  unsigned found;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(found));
  return found;
}

/// Waits for all threads of the cluster. Their earlier writes to shared memory are then visible to all of
/// them.
__device__ inline void barrier() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

/// Reads 16 bytes at address `shared` in the shared memory of a block of the cluster.
template <class Vector>
__device__ inline Vector read(const Vector* shared, unsigned block) {
  static_assert(sizeof(Vector) == 16);
  uint4 words;
  asm volatile(
      "{.reg .u32 there;\n"
      "mapa.shared::cluster.u32 there, %4, %5;\n"
      "ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [there];}"
      : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
      : "r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))), "r"(block)
      : "memory");
  return reinterpret_cast<const Vector&>(words);
}

}  // namespace rooftile::detail::cluster
