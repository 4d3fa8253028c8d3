// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Plans of products within a team, by shape, mode and device.
#include "rooftile/team_plan.hpp"

#include <catch2/catch_test_macros.hpp>

#include "rooftile/model/find_device.hpp"

namespace rooftile {
namespace {

TeamPlan plan_on(const char* device, const GemmShape& shape, ComputeMode math) {
  return plan_team(shape, math, team_target(model::find_device(device)));
}

TEST_CASE("a product in a team is multiplied by matrix instructions where the device has them",
          "[team_plan]") {
  const GemmShape shape{64, 64, 64};
  CHECK(plan_on("H100", shape, ComputeMode::fp64).kernel == TeamKernel::warp_mma);
  CHECK(plan_on("H100", shape, ComputeMode::bf16).kernel == TeamKernel::warp_mma);
  CHECK(plan_on("H100", shape, ComputeMode::tf32).kernel == TeamKernel::warp_mma);
  CHECK(plan_on("H100", shape, ComputeMode::fp32).kernel == TeamKernel::thread_tile);
  CHECK(plan_on("H100", shape, ComputeMode::cfp32).kernel == TeamKernel::thread_tile);
  CHECK(plan_on("V100", shape, ComputeMode::fp64).kernel == TeamKernel::thread_tile);
  CHECK(plan_on("MI300X", shape, ComputeMode::fp32).kernel == TeamKernel::wave_mfma);
  CHECK(plan_on("MI300X", shape, ComputeMode::cfp64).kernel == TeamKernel::thread_tile);
  CHECK(plan_on("CPU", shape, ComputeMode::fp64).kernel == TeamKernel::host);
}

TEST_CASE("a team has whole warps, and one thread on a CPU", "[team_plan]") {
  for (const Index n : {1, 8, 17, 32, 64, 100, 128, 500}) {
    for (const ComputeMode math :
         {ComputeMode::fp32, ComputeMode::fp64, ComputeMode::bf16, ComputeMode::cfp64}) {
      CAPTURE(n, to_string(math));
      const int h100 = plan_on("H100", {n, n, n}, math).team_size,
                mi300 = plan_on("MI300X", {n, n, n}, math).team_size;
      CHECK(h100 % 32 == 0);
      CHECK((h100 >= 32 && h100 <= 256));
      CHECK(mi300 % 64 == 0);
      CHECK((mi300 >= 64 && mi300 <= 512));
      CHECK(plan_on("CPU", {n, n, n}, math).team_size == 1);
    }
  }
}

TEST_CASE("scratch memory for copies is asked for where threads multiply, and fits every team",
          "[team_plan]") {
  CHECK(team_gemm_scratch({64, 64, 64}, Type::fp64) == 0);
  CHECK(team_gemm_scratch({8, 8, 8}, Type::fp32) == 0);
  CHECK(team_gemm_scratch({64, 64, 64}, Type::fp32) == 2 * 64 * 68 * 4);
  CHECK(team_gemm_scratch({128, 128, 128}, Type::fp32) == 0);  // needs 135 KiB
  for (Index n = 1; n < 200; ++n) CHECK(team_gemm_scratch({n, n, n}, Type::fp32) <= max_team_scratch);
  CHECK(plan_on("CPU", {64, 64, 64}, ComputeMode::fp32).scratch_bytes == 0);
}

}  // namespace
}  // namespace rooftile
