// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <cuda.h>

#include "device/nvidia/hopper/mbarrier.hpp"

/// TMA (PTX ISA, "cp.async.bulk.tensor"): one thread requests a box of a tensor, the box lands in shared
/// memory, and a barrier counts its bytes. Elements outside the tensor arrive as zeros.
namespace rooftile::detail::hopper::tma {

/// Where a box starts in a tensor: elements along the contiguous dimension, rows, and planes.
struct BoxOrigin {
  int column;
  int row;
  int plane;
};

__device__ inline void prefetch(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

/// Copies the box to this block.
__device__ inline void load(SharedAddress to, const CUtensorMap& map, BoxOrigin from, SharedAddress barrier) {
  detail::shake<detail::Step::copy>();
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to),
      "l"(&map), "r"(from.column), "r"(from.row), "r"(from.plane), "r"(barrier)
      : "memory");
}

/// Copies the box to the same address in every block of the cluster whose bit is set in `blocks`. Each
/// block's own barrier counts the bytes that arrive there.
__device__ inline void load_multicast(SharedAddress to, const CUtensorMap& map, BoxOrigin from,
                                      SharedAddress barrier, std::uint16_t blocks) {
  detail::shake<detail::Step::copy>();
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(to),
      "l"(&map), "r"(from.column), "r"(from.row), "r"(from.plane), "r"(barrier), "h"(blocks)
      : "memory");
}

/// Makes this thread's ordinary writes to shared memory visible to TMA.
__device__ inline void fence_writes() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Copies a box from shared memory to the tensor, as one group. Elements outside the tensor are not written.
__device__ inline void store(const CUtensorMap& map, BoxOrigin to, SharedAddress from) {
  detail::shake<detail::Step::store>();
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];\n"
      "cp.async.bulk.commit_group;" ::"l"(&map),
      "r"(to.column), "r"(to.row), "r"(to.plane), "r"(from)
      : "memory");
}

/// Waits until at most `pending` of this thread's stores still read from shared memory.
template <int pending>
__device__ inline void wait_for_stores() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}

}  // namespace rooftile::detail::hopper::tma
