// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

/// Files as `rooftile bench --json` writes them, as far as other commands read them.
namespace rooftile::testing {

/// A kernel on one product of n³ on a device; 0 GFLOP/s: it did not run.
inline nlohmann::json bench_row(const std::string& device, const std::string& backend,
                                const std::string& path, const std::string& math, int n, double gflops) {
  nlohmann::json r = {{"device", device},
                      {"backend", backend},
                      {"path", path},
                      {"math", math},
                      {"kernel", "tiled"},
                      {"tile", "8x8x8"},
                      {"m", n},
                      {"n", n},
                      {"k", n},
                      {"layout", "rrr"},
                      {"alpha", 1.0},
                      {"beta", 0.0}};
  r["status"] = gflops > 0 ? "ok" : "unsupported";
  if (gflops > 0) r["gflops"] = gflops, r["intensity"] = n / 6.0;
  return r;
}

inline nlohmann::json bench_device(const std::string& device, const std::string& backend) {
  return {{"name", device},
          {"backend", backend},
          {"ceilings", {{"fp32_gflops", 500}, {"fp64_gflops", 250}, {"bandwidth_gbs", 80}}}};
}

inline nlohmann::json bench_json(const std::vector<nlohmann::json>& devices,
                                 const std::vector<nlohmann::json>& results) {
  return {{"schema", 2}, {"devices", devices}, {"results", results}};
}

}  // namespace rooftile::testing
