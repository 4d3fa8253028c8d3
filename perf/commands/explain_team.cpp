// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include <fmt/core.h>

#include "../command.hpp"
#include "../options.hpp"
#include "../writers/output.hpp"
#include "explain.hpp"
#include "rooftile/team_plan.hpp"

namespace rooftile::perf {

int explain_team(const TeamQuestion& asked) {
  const auto& [math, shape, device, peak_gflops, json] = asked;
  const ComputeMode mode = math_named(math);
  const bool is_team_mode =
      (mode_of(mode).is_own() && mode != ComputeMode::int8_int32 && mode != ComputeMode::fp32_fp64) ||
      mode == ComputeMode::tf32;
  if (!is_team_mode) {
    throw Error(detail::text("team_gemm does not compute this mode (--math ", math,
                             "): take the mode of an element type, or tf32"));
  }
  const TeamPlan plan = plan_team(shape, mode, team_target(device));
  const double size = static_cast<double>(size_of(type_of(mode)));
  const double m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
               k = static_cast<double>(shape.k);
  const double flops = flops_of(shape, type_of(mode)), bytes = size * (m * k + k * n + m * n);
  const double memory_gflops = device.bandwidth_gbs * flops / bytes;
  const bool memory = peak_gflops <= 0 || memory_gflops < peak_gflops;
  if (json) {
    print_json({{"device", device.name},
                {"kernel", to_string(plan.kernel)},
                {"tile", {plan.tile_rows, plan.tile_cols}},
                {"team_size", plan.team_size},
                {"scratch_bytes", plan.scratch_bytes},
                {"bound", memory ? "memory" : "compute"},
                {"attainable_gflops", memory ? memory_gflops : peak_gflops}});
    return ok;
  }
  fmt::print("{} {} in a team on {}\n", math, to_string(shape), device.name);
  fmt::print("  kernel     {}\n", to_string(plan.kernel));
  if (plan.tile_rows > 0) {
    fmt::print("  tile       {}x{} of C per {}\n", plan.tile_rows, plan.tile_cols,
               plan.kernel == TeamKernel::thread_tile ? "thread"
               : plan.kernel == TeamKernel::warp_mma  ? "warp"
                                                      : "wave");
  }
  fmt::print("  team size  {}, with a vector length of 1\n", plan.team_size);
  fmt::print("  scratch    {} bytes of level 0{}\n", plan.scratch_bytes,
             plan.scratch_bytes > 0 ? ", for copies of A and B" : "");
  fmt::print("  bound      {}, {:.0f} GFLOP/s if operands are in global memory and each moves once\n",
             memory ? "memory" : "compute", memory ? memory_gflops : peak_gflops);
  return ok;
}

}  // namespace rooftile::perf
