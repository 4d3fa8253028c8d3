// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/common/delay_injection.hpp"

/// Hopper's barriers in shared memory (PTX ISA, "mbarrier"). A phase of a barrier ends when the expected
/// number of threads have arrived and the announced bytes have landed. `parity` is the index of the phase
/// modulo 2. A barrier is identified by its 32-bit address in the shared window, as in PTX.
namespace rooftile::detail::hopper {

using SharedAddress = std::uint32_t;

__device__ inline SharedAddress shared_address(const void* pointer) {
  return static_cast<SharedAddress>(__cvta_generic_to_shared(pointer));
}

namespace mbarrier {

__device__ inline void init(SharedAddress barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}

/// Makes the barriers' initial state visible to the cluster's other blocks and to TMA.
__device__ inline void fence_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// Arrives and announces `bytes` that copies will bring in this phase.
__device__ inline void arrive_and_expect(SharedAddress barrier, int bytes) {
  detail::shake<detail::Step::arrive>();
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

/// Arrives at the barrier with the same address in block `rank` of the cluster. Without `.release.cluster`,
/// which would flush the L1 cache at each stage: the tensor cores only read the stages.
__device__ inline void arrive_at(SharedAddress barrier, int rank) {
  detail::shake<detail::Step::arrive>();
  asm volatile(
      "{\n"
      ".reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [remote];\n"
      "}" ::"r"(barrier),
      "r"(rank)
      : "memory");
}

/// Waits until the phase with this parity has ended.
__device__ inline void wait(SharedAddress barrier, int parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n"
      "}" ::"r"(barrier),
      "r"(parity)
      : "memory");
  detail::shake<detail::Step::wait>();
}

}  // namespace mbarrier

/// The position of a thread in a ring of `stages` buffers, each with its own barriers.
template <int stages>
struct RingPosition {
  int stage = 0;
  int parity = 0;

  __device__ void advance() {
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

}  // namespace rooftile::detail::hopper
