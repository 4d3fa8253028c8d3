// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "result.hpp"

#include <chrono>
#include <thread>

#include <fmt/core.h>

#include "rooftile/version.hpp"

namespace rooftile::perf {

nlohmann::ordered_json to_json(const Result& r) {
  nlohmann::ordered_json json = {{"path", r.path},       {"device", r.device}, {"backend", r.backend},
                                 {"kernel", r.kernel},   {"tile", r.tile},     {"dtype", r.dtype},
                                 {"math", r.math},       {"m", r.shape.m},     {"n", r.shape.n},
                                 {"k", r.shape.k},       {"batch", r.batch},   {"layout", r.layout},
                                 {"aligned", r.aligned}, {"alpha", r.alpha},   {"beta", r.beta},
                                 {"seed", r.seed},       {"status", r.status}};
  if (r.automatic) json["automatic"] = true;
  if (r.tuned) json["tuned"] = true;
  if (!r.reason.empty()) json["reason"] = r.reason;
  if (r.status == "unsupported") return json;
  json["error"] = {{"ratio", r.error_ratio}, {"rows_checked", r.rows_checked}};
  if (r.status == "failed") return json;
  json["seconds"] = {{"median", r.seconds.median},
                     {"min", r.seconds.min},
                     {"max", r.seconds.max},
                     {"samples", r.seconds.samples}};
  if (r.multiplied()) {
    json["gflops"] = r.gflops;
    json["intensity"] = r.intensity;
  }
  if (r.request_intensity > 0) json["request_intensity"] = r.request_intensity;
  if (!r.bound.empty()) {
    json["bound"] = r.bound;
    json["roofline_fraction"] = r.roofline_fraction;
  }
  if (r.vendor_ratio > 0) json["vendor_ratio"] = r.vendor_ratio;
  if (r.peer_ratio > 0) json["peer_ratio"] = r.peer_ratio;
  return json;
}

void compare_with_baselines(std::vector<Result>& results) {
  double vendor = 0, peer = 0;
  for (const Result& r : results) {
    if (r.status != "ok") continue;
    if (r.path == "vendor") vendor = r.seconds.median;
    if (r.path == "peer") peer = r.seconds.median;
  }
  for (Result& r : results) {
    if (r.seconds.median <= 0) continue;
    r.vendor_ratio = vendor / r.seconds.median;
    r.peer_ratio = peer / r.seconds.median;
  }
}

nlohmann::ordered_json describe_host() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return {{"date", date},
          {"rooftile", version},
          {"compiler", ROOFTILE_COMPILER},
          {"threads", std::thread::hardware_concurrency()}};
}

void print_table(const std::string& title, const std::vector<Result>& results) {
  fmt::print("\n{}\n", title);
  fmt::print("{:<9} {:<7} {:<23} {:<13} {:>10} {:>7} {:>9} {:>7} {:>7} {:>6} {:>8} {:>8} {:>7}\n", "path",
             "backend", "kernel", "tile", "ms", "spread", "GFLOP/s", "asked", "bound", "roof", "vendor",
             "peer", "error");
  for (const Result& r : results) {
    fmt::print("{:<9} {:<7} {:<23} {:<13} ", r.path, r.backend,
               r.kernel + (r.tuned       ? " (tuned)"
                           : r.automatic ? " (auto)"
                                         : ""),
               r.tile);
    if (r.status != "ok") {
      fmt::print("{}: {}\n", r.status == "unsupported" ? "n/a" : "FAILED", r.reason);
      continue;
    }
    const auto percent = [](double fraction) {
      return fraction > 0 ? fmt::format("{:.1f}%", 100 * fraction) : "-";
    };
    fmt::print("{:>10.4f} {:>7} {:>9} {:>7} {:>7} {:>6} {:>8} {:>8} {:>7.3f}\n", 1e3 * r.seconds.median,
               percent((r.seconds.max - r.seconds.min) / r.seconds.median),
               r.multiplied() ? fmt::format("{:.1f}", r.gflops) : "-",
               r.request_intensity > 0 ? fmt::format("{:.2f}", r.request_intensity) : "-",
               r.bound.empty() ? "-" : r.bound, percent(r.roofline_fraction), percent(r.vendor_ratio),
               r.peer_ratio > 0 ? fmt::format("{:.2f}x", r.peer_ratio) : "-", r.error_ratio);
  }
}

}  // namespace rooftile::perf
