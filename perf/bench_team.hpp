// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "interrupt.hpp"
#include "machine.hpp"
#include "measure/sampler.hpp"
#include "record/record.hpp"

namespace rooftile::perf {

/// Verifies and times the kernels of examples/08_team; prints them with the memory and compute ceilings.
/// @return the number of kernels with wrong results
inline int time_team_examples(const Machine& machine, const std::vector<MeasuredDevice>& devices,
                              const Sampling& sampling) {
  int wrong = 0;
  fmt::print("\n{:<8} {:<22} {:>8} {:>9} {:>8} {:>8} {:>9}  {}\n", "backend", "kernel", "count", "ms",
             "GFLOP/s", "GB/s", "of bound", "bound");
  for (const TeamExample& example : machine.team_examples) {
    Device& device = *example.device;
    const auto measured = std::find_if(devices.begin(), devices.end(), [&](const auto& d) {
      return d.name == device.name && d.backend == device.backend;
    });
    if (measured == devices.end()) continue;
    if (Interrupts::noted() != 0) throw Interrupted();
    const TeamRun run = example.prepare();
    std::vector<double> seconds;
    for (std::size_t i = 0; i <= sampling.samples; ++i) {
      run.before();
      const double time = device.seconds(run.launch);
      if (i > 0) seconds.push_back(time);
    }
    const double median = summarise(seconds).median, error = run.error();
    const Ceilings& ceilings = measured->ceilings;
    const double memory = example.bytes / (1e9 * ceilings.bandwidth_gbs);
    const double pipe = example.flops / (1e9 * std::max(ceilings.fp64_gflops, ceilings.matrix("fp64")));
    fmt::print("{:<8} {:<22} {:>8} {:>9.3f} {:>8.0f} {:>8.0f} {:>8.0f}%  {}{}\n", device.backend,
               example.name, example.count, 1e3 * median, 1e-9 * example.flops / median,
               1e-9 * example.bytes / median, 100 * std::max(memory, pipe) / median,
               memory > pipe ? "memory" : "pipe", error <= 1 ? "" : fmt::format("  WRONG: error {}", error));
    wrong += error <= 1 ? 0 : 1;
  }
  return wrong;
}

}  // namespace rooftile::perf
