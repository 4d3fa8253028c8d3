// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "output.hpp"
#include "roofline_plot.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {

/// What a file of `bench --json` says of one type in its own math mode: the kernels that ran, and each
/// device's measured ceilings.
struct BenchPoints {
  std::vector<MeasuredPoint> points;
  std::vector<PlottedRoof> roofs;
};

inline BenchPoints points_in(const nlohmann::ordered_json& bench, const std::string& dtype) {
  BenchPoints found;
  for (const auto& result : bench.at("results")) {
    if (result.at("status") != "ok" || result.at("math") != dtype) continue;
    found.points.push_back(
        {result.at("path"), result.at("backend"), result.at("intensity"), result.at("gflops")});
  }
  for (const auto& device : bench.at("devices")) {
    const auto& ceilings = device.at("ceilings");
    const double peak = ceilings.value(dtype + "_gflops", 0.0), bandwidth = ceilings.at("bandwidth_gbs");
    if (peak <= 0 || bandwidth <= 0) continue;
    const std::string backend = device.at("backend");
    found.roofs.push_back({{{backend + " memory, measured " + rate(bandwidth, "B/s"), bandwidth}},
                           {{backend + ' ' + dtype + ", measured " + rate(peak, "FLOP/s"), peak}}});
  }
  return found;
}

/// @throws Error that names the option, for a file that `bench --json` did not write or without such a kernel
inline BenchPoints read_points(const std::string& file, const std::string& dtype) {
  std::ifstream stream(file);
  if (!stream) {
    throw Error(detail::text("cannot read (--points ", file, "): name a file that `bench --json` wrote"));
  }
  try {
    const BenchPoints found = points_in(nlohmann::ordered_json::parse(stream), dtype);
    if (!found.points.empty()) return found;
  } catch (const nlohmann::ordered_json::exception& problem) {
    throw Error(detail::text("not a benchmark (--points ", file, ", ", problem.what(),
                             "): name a file that `bench --json` wrote"));
  }
  throw Error(
      detail::text("no measured ", dtype, " kernel (--points ", file, "): take another --dtype or file"));
}

}  // namespace rooftile::perf
