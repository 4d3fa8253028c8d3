// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Hardware occupancy compared with NVIDIA's own header. Compiled only if the CUDA toolkit has this header.
#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <iterator>
#include <random>

#include <catch2/catch_test_macros.hpp>
#include <cuda_occupancy.h>

#include "rooftile/model/architecture.hpp"
#include "rooftile/model/occupancy.hpp"

namespace {

using namespace rooftile::model;

cudaOccDeviceProp properties(const ComputeCapability& cc, const SmLimits& limits) {
  cudaOccDeviceProp p;
  p.computeMajor = cc.major;
  p.computeMinor = cc.minor;
  p.maxThreadsPerBlock = static_cast<int>(limits.block_threads);
  p.maxThreadsPerMultiprocessor = static_cast<int>(limits.threads);
  p.regsPerBlock = static_cast<int>(limits.block_registers);
  p.regsPerMultiprocessor = static_cast<int>(limits.registers);
  p.warpSize = static_cast<int>(limits.warp_size);
  p.sharedMemPerBlock = static_cast<std::size_t>(limits.block_shared_default);
  p.sharedMemPerMultiprocessor = static_cast<std::size_t>(limits.shared);
  p.numSms = 1;
  p.sharedMemPerBlockOptin = static_cast<std::size_t>(limits.block_shared);
  p.reservedSharedMemPerBlock = static_cast<std::size_t>(limits.granularity.shared_reserved);
  return p;
}

cudaOccResult theirs(const cudaOccDeviceProp& properties, const Launch& launch, std::size_t static_shared) {
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = INT_MAX;
  attributes.numRegs = static_cast<int>(launch.registers);
  attributes.sharedSizeBytes = static_shared;
  attributes.maxDynamicSharedSizeBytes = static_cast<std::size_t>(launch.shared) - static_shared;
  attributes.shmemLimitConfig = launch.opt_in ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
  attributes.numBlockBarriers = static_cast<int>(launch.barriers);
  cudaOccDeviceState state;
  state.carveoutConfig = launch.carveout_percent;
  cudaOccResult result{};
  const cudaOccError status = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &properties, &attributes, &state, static_cast<int>(launch.threads),
      attributes.maxDynamicSharedSizeBytes);
  REQUIRE(status == CUDA_OCC_SUCCESS);
  return result;
}

// Compares each limit, not the header's `limitingFactors`, which are stale if barriers are the limit.
void require_same(const Occupancy& ours, const cudaOccResult& expected) {
  REQUIRE(ours.blocks == expected.activeBlocksPerMultiprocessor);
  const std::array<Count, 5> limits = {expected.blockLimitWarps, expected.blockLimitBlocks,
                                       expected.blockLimitRegs, expected.blockLimitSharedMem,
                                       expected.blockLimitBarriers};
  REQUIRE(std::equal(limits.begin(), limits.end(), ours.blocks_by.begin()));
  REQUIRE(ours.block_registers == expected.allocatedRegistersPerBlock);
  REQUIRE(ours.block_shared == static_cast<Count>(expected.allocatedSharedMemPerBlock));
}

}  // namespace

TEST_CASE("hardware occupancy is NVIDIA's own for 10,000 random launches per compute capability", "[model]") {
  constexpr unsigned seed = 20261121;
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto upto = [&](Count most) { return std::uniform_int_distribution<Count>(0, most)(random); };
  const auto one_in = [&](Count n) { return upto(n - 1) == 0; };

  for (const ComputeCapability& cc : compute_capabilities) {
    if (cc.major < 3) continue;
    const SmLimits limits = nvidia_limits(cc.major, cc.minor);
    const cudaOccDeviceProp device = properties(cc, limits);
    for (int i = 0; i < 10'000; ++i) {
      Launch launch;
      launch.threads = 1 + upto(one_in(10) ? 2047 : 1023);
      launch.registers = upto(one_in(2) ? 260 : 64);
      launch.shared = one_in(4) ? 0 : upto(one_in(2) ? limits.shared + 4096 : 16384);
      launch.barriers = upto(one_in(4) ? 16 : 2);
      launch.carveout_percent = one_in(2) ? 100 : static_cast<int>(upto(100));
      launch.opt_in = !one_in(4);
      const auto static_shared = static_cast<std::size_t>(upto(launch.shared));
      CAPTURE(cc.major, cc.minor, launch.threads, launch.registers, launch.shared, launch.barriers,
              launch.carveout_percent, launch.opt_in, static_shared);
      require_same(occupancy(limits, launch), theirs(device, launch, static_shared));
    }
  }
}

TEST_CASE("the test of NVIDIA's occupancy notices a wrong granularity", "[model]") {
  const ComputeCapability& newest = compute_capabilities[std::size(compute_capabilities) - 1];
  SmLimits wrong = nvidia_limits(newest.major, newest.minor);
  const cudaOccDeviceProp device = properties(newest, wrong);
  wrong.granularity.register_unit = 128;
  const Launch launch{.threads = 128, .registers = 44};
  REQUIRE(occupancy(wrong, launch).blocks != theirs(device, launch, 0).activeBlocksPerMultiprocessor);
}
