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
  nlohmann::json r = {{"device", device}, {"backend", backend},
                      {"path", path},     {"dtype", math.starts_with("tf32") ? "fp32" : math},
                      {"math", math},     {"kernel", "tiled"},
                      {"tile", "8x8x8"},  {"m", n},
                      {"n", n},           {"k", n},
                      {"batch", 1},       {"layout", "rrr"},
                      {"aligned", true},  {"alpha", 1.0},
                      {"beta", 0.0},      {"seed", 1}};
  r["status"] = gflops > 0 ? "ok" : "unsupported";
  if (gflops == 0) return r;
  r["error"] = {{"ratio", 0.1}, {"rows_checked", n}};
  r["seconds"] = {{"median", 2}, {"min", 1}, {"max", 3}, {"count", 3}, {"samples", {2, 3, 1}}};
  r["gflops"] = gflops, r["intensity"] = n / 6.0;
  return r;
}

inline nlohmann::json bench_device(const std::string& device, const std::string& backend) {
  return {{"name", device},
          {"backend", backend},
          {"ceilings", {{"fp32_gflops", 500}, {"fp64_gflops", 250}, {"bandwidth_gbs", 80}}}};
}

inline nlohmann::json bench_json(const std::vector<nlohmann::json>& devices,
                                 const std::vector<nlohmann::json>& results) {
  const nlohmann::json host = {
      {"date", "2026-11-21T06:00:00Z"}, {"rooftile", "1.2.3"}, {"compiler", "GNU 1"}, {"threads", 1}};
  return {{"schema", 3}, {"host", host}, {"devices", devices}, {"results", results}};
}

}  // namespace rooftile::testing
