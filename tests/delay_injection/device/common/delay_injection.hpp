// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "rooftile/detail/function.hpp"

/// Replaces the library's header of equal name, because its folder comes first on the include path. This
/// version delays kernels.
namespace rooftile::detail {

enum class Step { wait, arrive, copy, store, barrier };

namespace delay_injection {

/// The seed in device memory. Each object file has its own; 0: no delays.
static __device__ unsigned seed;

/// The seeds of all object files. Set them before kernels are launched.
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

/// Delays the warp by up to 4 µs. The seed selects one of three rates for each kind of step: never, at one of
/// 32 steps, or at every second step. Thus whole roles become slow, or single warps.
template <Step step>
inline __device__ void shake() {
  if (delay_injection::seed == 0) return;
  const unsigned regime = delay_injection::mix(delay_injection::seed * 8 + static_cast<unsigned>(step)) % 3;
  if (regime == 0) return;
  unsigned now;
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(now));
  const unsigned lanes = __activemask();  // all active lanes use one time
  now = __shfl_sync(lanes, now, __ffs(lanes) - 1);
  const unsigned warp =
      (blockIdx.z * gridDim.x + blockIdx.x) * 32 + (threadIdx.y * blockDim.x + threadIdx.x) / 32;
  const unsigned drawn = delay_injection::mix(delay_injection::mix(warp ^ delay_injection::seed) ^ now);
  if (drawn % (regime == 1 ? 32 : 2) == 0) __nanosleep(drawn / 32 % 4096);
}

}  // namespace rooftile::detail
