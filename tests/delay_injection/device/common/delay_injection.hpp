// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "rooftile/detail/function.hpp"

/// The same name as the library's header, found before it: this one holds kernels up.
namespace rooftile::detail {

enum class Step { wait, arrive, copy, store, barrier };

namespace delay_injection {

/// Each object that is linked has a seed of its own in device memory; 0 holds nothing up.
static __device__ unsigned seed;

/// All of them, to be set before kernels are launched.
inline std::vector<const void*>& seeds() {
  static std::vector<const void*> all;
  return all;
}
[[maybe_unused]] static const bool is_listed = (seeds().push_back(&seed), true);

/// Mixes bits (Wellons, "lowbias32").
inline __device__ unsigned mix(unsigned x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

}  // namespace delay_injection

/// Holds the warp up for up to 4 µs: under a third of the seeds never at this kind of step, under a third at
/// one of 32 of them, under the others at every second one. So whole roles become slow, or single warps.
template <Step step>
inline __device__ void shake() {
  if (delay_injection::seed == 0) return;
  const unsigned regime = delay_injection::mix(delay_injection::seed * 8 + static_cast<unsigned>(step)) % 3;
  if (regime == 0) return;
  unsigned now;
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(now));
  const unsigned lanes = __activemask();  // which must stay together
  now = __shfl_sync(lanes, now, __ffs(lanes) - 1);
  const unsigned warp =
      (blockIdx.z * gridDim.x + blockIdx.x) * 32 + (threadIdx.y * blockDim.x + threadIdx.x) / 32;
  const unsigned drawn = delay_injection::mix(delay_injection::mix(warp ^ delay_injection::seed) ^ now);
  if (drawn % (regime == 1 ? 32 : 2) == 0) __nanosleep(drawn / 32 % 4096);
}

}  // namespace rooftile::detail
