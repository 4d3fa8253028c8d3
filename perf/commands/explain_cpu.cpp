// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "explain_cpu.hpp"

#include "rooftile/error.hpp"

namespace rooftile::perf {

MeasuredCpu::MeasuredCpu(const model::Device& cpu) : device_(cpu) {
  Device& host = *machine_.devices.front();
  const Ceilings ceilings = measured_ceilings(host);
  device_.name = host.name;
  device_.sms = host.threads;
  device_.clock_mhz = ceilings.clock_mhz;
  device_.bandwidth_gbs = ceilings.bandwidth_gbs;
  device_.vector = {.fp64 = ceilings.fp64_gflops, .fp32 = ceilings.fp32_gflops};
  device_.tensor = {.bf16 = ceilings.matrix("bf16"), .fp16 = ceilings.matrix("fp16")};
}

Target MeasuredCpu::target(Path path, Math math) const {
  for (const Target& target : machine_.devices.front()->targets) {
    if (target.path == path && target.math == math) return target;
  }
  throw Error(detail::text("no ", to_string(path), " path for ", to_string(math), " on this CPU (",
                           device_.name, "): see `rooftile bench`"));
}

}  // namespace rooftile::perf
