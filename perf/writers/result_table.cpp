// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "result_table.hpp"

#include <map>

#include "output.hpp"

namespace rooftile::perf {
namespace {

/// The headings of the metrics that are not 0 throughout, by tag.
std::map<std::string, std::string> metric_headings(const std::vector<Result>& results) {
  std::map<std::string, std::string> headings;
  for (const Result& r : results) {
    for (const Metric& m : r.metrics) {
      if (m.value != 0) headings[m.tag] = m.tag + (m.unit.empty() ? "" : " " + m.unit);
    }
  }
  return headings;
}

std::string cell_of(const Result& r, const std::string& tag) {
  const auto found =
      std::find_if(r.metrics.begin(), r.metrics.end(), [&](const Metric& m) { return m.tag == tag; });
  return found == r.metrics.end() ? "-" : fmt::format("{:.4g}", found->value);
}

std::string percent_or_dash(double fraction) {
  return fraction > 0 ? fmt::format("{:.1f}%", 100 * fraction) : "-";
}

}  // namespace

void print_table(const std::string& title, const std::vector<Result>& results) {
  const auto headings = metric_headings(results);
  fmt::print("\n{}\n", title);
  fmt::print("{:<9} {:<7} {:<23} {:<13} {:>10} {:>7} {:>9} {:>7} {:>7} {:>6} {:>8} {:>8} {:>7}", "path",
             "backend", "kernel", "tile", "ms", "spread", "GFLOP/s", "asked", "bound", "roof", "vendor",
             "peer", "error");
  for (const auto& [tag, heading] : headings) fmt::print("  {}", heading);
  fmt::print("\n");
  for (const Result& r : results) {
    fmt::print("{:<9} {:<7} {:<23} {:<13} ", r.path, r.backend,
               r.kernel + (r.tuned       ? " (tuned)"
                           : r.automatic ? " (auto)"
                                         : ""),
               r.tile);
    if (!r.ok()) {
      fmt::print("{}: {}\n", r.status == "unsupported" ? "n/a" : "FAILED", r.reason);
      continue;
    }
    fmt::print("{:>10.4f} {:>7} {:>9} {:>7} {:>7} {:>6} {:>8} {:>8} {:>7.3f}", 1e3 * r.seconds.median,
               percent_or_dash((r.seconds.max - r.seconds.min) / r.seconds.median),
               r.multiplied() ? fmt::format("{:.1f}", r.gflops) : "-",
               r.request_intensity > 0 ? fmt::format("{:.2f}", r.request_intensity) : "-",
               r.bound.empty() ? "-" : r.bound, percent_or_dash(r.roofline_fraction),
               percent_or_dash(r.vendor_ratio), r.peer_ratio > 0 ? fmt::format("{:.2f}x", r.peer_ratio) : "-",
               r.error_ratio);
    for (const auto& [tag, heading] : headings) fmt::print("  {:>{}}", cell_of(r, tag), heading.size());
    fmt::print("\n");
  }
}

void print_summaries(const std::vector<Summary>& summaries) {
  fmt::print(
      "\nThe vendor's time over ours; aligned: every row is a multiple of 16 bytes; peer: its time over "
      "ours\n");
  Table table({"path", "backend", "dtype", "math", "rows", "mean", "worst", "at", "products", "missing"});
  for (const Summary& s : summaries) {
    const auto add = [&](const char* rows, const Ratios& r) {
      if (r.products + r.missing == 0) return;
      const auto number = [&](double x) { return r.products > 0 ? fmt::format("{:.2f}", x) : "-"; };
      table.add({s.path, s.backend, s.dtype, s.math, rows, number(r.geometric_mean), number(r.worst),
                 r.products > 0 ? r.worst_product : "-", std::to_string(r.products),
                 std::to_string(r.missing)});
    };
    add("aligned", s.aligned);
    add("unaligned", s.unaligned);
    if (s.peer.products > 0) add("all, peer", s.peer);
  }
  table.print();
}

}  // namespace rooftile::perf
