// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../writers/output.hpp"
#include "experiment.hpp"

/// Adds two vectors. No value is used twice, so on-chip memory cannot reduce the traffic.
namespace rooftile::perf::add {

/// FLOP/B: one addition for two values read and one value written.
inline constexpr double intensity = 1.0 / 12;

struct Row {
  Seconds seconds{};
  double gbs = 0;          ///< 0: not timed
  double ceiling_gbs = 0;  ///< measured copy bandwidth
  std::string fault{};
};

/// Describes a wrong sum of the vectors 0, 1 … 1023, 0 … and 0, 2 …; empty if all sums are correct.
inline std::string fault_of(const std::vector<float>& c) {
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (const float wanted = static_cast<float>(3 * (i % 1024)); c[i] != wanted)
      return fmt::format("element {} is {} and not {}", i, c[i], wanted);
  }
  return {};
}

inline std::string reading(const Row& row) {
  if (row.gbs <= 0) return "Nothing was measured.";
  const double gflops = intensity * row.gbs;
  std::string text =
      fmt::format("{:.4g} GFLOP/s at {:.3g} FLOP/B are {}", gflops, intensity, rate(row.gbs, "B/s"));
  if (row.ceiling_gbs > 0) {
    const double share = row.gbs / row.ceiling_gbs;
    text += fmt::format(", {:.0f} % of a copy's: {}", 100 * share,
                        share > 1.1   ? "the copy was disturbed, or caches kept part of the vectors"
                        : share > 0.8 ? "memory bounds it, and there is nothing to reuse"
                                      : "something beside memory's rate slows it down");
  }
  return text + ".";
}

inline Row measure(const Workbench& bench, const TextKernels& kernels, Index count) {
  Device& device = *kernels.device;
  const auto size = static_cast<std::size_t>(count);
  Buffer<float> a(device, size), b(device, size), c(device, size);
  std::vector<float> on_host(size);
  for (std::size_t i = 0; i < size; ++i) on_host[i] = static_cast<float>(i % 1024);
  a.upload(on_host);
  for (float& x : on_host) x *= 2;
  b.upload(on_host);
  const auto call = [&] { kernels.add(c.data(), a.data(), b.data(), count); };
  device.seconds(call);
  c.download(on_host);
  Row row;
  row.fault = fault_of(on_host);
  if (!row.fault.empty()) return row;
  row.seconds = time_in_turn({{"add", &device, call}}, bench.sampling, bench.progress).front();
  if (row.seconds.median > 0) row.gbs = 12e-9 * static_cast<double>(count) / row.seconds.median;
  row.ceiling_gbs = bench.ceilings_of(device).bandwidth_gbs;
  return row;
}

inline std::vector<ExperimentTable> run(const Workbench& bench) {
  const auto table_of = [&](const TextKernels& kernels, Index count) {
    const Row row = measure(bench, kernels, count);
    ExperimentTable table{kernels.device, kernels.path, in_words(count) + " elements"};
    table.columns = {{"intensity", "FLOP/B"},
                     {"ms", "ms"},
                     {"gflops", "GFLOP/s"},
                     {"gbs", "GB/s"},
                     {"copy_gbs", "GB/s of a copy"}};
    table.rows.push_back({{"intensity", intensity},
                          {"ms", or_nothing(1e3 * row.seconds.median)},
                          {"gflops", or_nothing(intensity * row.gbs)},
                          {"gbs", or_nothing(row.gbs)},
                          {"copy_gbs", or_nothing(row.ceiling_gbs)}});
    if (!row.fault.empty()) table.faults.push_back(row.fault);
    table.reading = reading(row);
    return table;
  };
  return tables_of(bench, &TextKernels::add, bench.sizes.elements, Index{64} << 20, Index{64} << 20,
                   table_of);
}

}  // namespace rooftile::perf::add
