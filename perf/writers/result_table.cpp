// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "result_table.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "output.hpp"

namespace rooftile::perf {
namespace {

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

std::string kernel_of(const Result& r) {
  return r.kernel + (r.tuned ? " (tuned)" : r.automatic ? " (auto)" : "");
}

/// Prints kernels that did not run, grouped by problem, in one line. A single problem is printed with its
/// full reason; for several, the remedies are only in the JSON.
void print_unsupported(const std::vector<Result>& results) {
  std::vector<std::pair<std::string, std::vector<std::string>>> kernels_of;
  const Result* first = nullptr;
  std::size_t count = 0;
  for (const Result& r : results) {
    if (r.status != "unsupported") continue;
    if (count++ == 0) first = &r;
    const std::string problem = r.reason.substr(0, std::min(r.reason.find(" ("), r.reason.find(": ")));
    auto found = std::find_if(kernels_of.begin(), kernels_of.end(),
                              [&](const auto& group) { return group.first == problem; });
    if (found == kernels_of.end()) found = kernels_of.insert(found, {problem, {}});
    found->second.push_back(r.path + ' ' + kernel_of(r) + (r.tile.empty() ? "" : ' ' + r.tile));
  }
  if (count == 1) fmt::print("n/a: {}: {}\n", kernels_of[0].second[0], first->reason);
  if (count < 2) return;
  std::string line;
  for (const auto& [problem, kernels] : kernels_of) {
    line += fmt::format("{}{} ({})", line.empty() ? "" : "; ", problem, fmt::join(kernels, ", "));
  }
  fmt::print("n/a: {}\n", line);
}

/// Prints one line each for outliers, which do not affect the median, and for clock drops.
void print_disturbances(const std::vector<Result>& results) {
  std::size_t samples = 0, outliers = 0;
  double farthest = 0;
  std::string where;
  std::vector<std::string> throttled;
  for (const Result& r : results) {
    const std::string name = r.path + ' ' + kernel_of(r);
    samples += r.seconds.count, outliers += r.seconds.outliers.size();
    for (const std::size_t i : r.seconds.outliers) {
      const double ratio = r.seconds.samples[i] / r.seconds.median;
      if (std::max(ratio, 1 / ratio) <= farthest) continue;
      farthest = std::max(ratio, 1 / ratio);
      where = fmt::format("{:.3g} of the median, {}", ratio, name);
    }
    if (is_throttled(r.seconds)) throttled.push_back(name);
  }
  if (outliers > 0) {
    fmt::print("outliers by Tukey's fences: {} of {} samples, the farthest {}\n", outliers, samples, where);
  }
  if (!throttled.empty()) {
    fmt::print("clock fell by more than {:.0f} % between samples: {}\n", 100 * steady_clock_share,
               fmt::join(throttled, ", "));
  }
}

void print_headings(const std::map<std::string, std::string>& headings) {
  fmt::print("{:<9} {:<7} {:<23} {:<13} {:>10} {:>7} {:>9} {:>7} {:>7} {:>6} {:>8} {:>8} {:>7}", "path",
             "backend", "kernel", "tile", "ms", "spread", "GFLOP/s", "asked", "bound", "roof", "vendor",
             "peer", "error");
  for (const auto& [tag, heading] : headings) fmt::print("  {}", heading);
  fmt::print("\n");
}

}  // namespace

void print_table(const std::string& title, const std::vector<Result>& results) {
  const auto headings = metric_headings(results);
  fmt::print("\n{}\n", title);
  const auto runs = [](const Result& r) { return r.status != "unsupported"; };
  if (std::any_of(results.begin(), results.end(), runs)) print_headings(headings);
  for (const Result& r : results) {
    if (!runs(r)) continue;
    fmt::print("{:<9} {:<7} {:<23} {:<13} ", r.path, r.backend, kernel_of(r), r.tile);
    if (!r.ok()) {
      fmt::print("FAILED: {}\n", r.reason);
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
  print_disturbances(results);
  print_unsupported(results);
}

namespace {

void print_choices(const std::vector<Summary>& summaries) {
  Table table({"path", "backend", "math", "regret", "worst", "noise", "products", "worst at"});
  bool any = false;
  for (const Summary& s : summaries) {
    const Regret& c = s.choice;
    if (c.products == 0) continue;
    any = true;
    table.add({s.path, s.backend, s.math, fmt::format("{:.3f}", c.regret),
               fmt::format("{:.2f}", c.worst_regret), fmt::format("{:.1f}%", 100 * c.noise),
               std::to_string(c.products), c.worst_product});
  }
  if (!any) return;
  fmt::print(
      "\nRegret: the chosen kernel's time over the fastest own one's; noise: between the chosen kernel's two "
      "times\n");
  table.print();
}

constexpr auto best_line = "{:<38} {:<10} {:>10} {:>10} {:>10} {:>7} {:>6} {:<8} {}\n";

const Result* fastest_of(const std::vector<Result>& results, std::string_view path) {
  const Result* fastest = nullptr;
  for (const Result& r : results) {
    if (r.path != path || !r.ok() || r.seconds.median <= 0) continue;
    if (fastest == nullptr || r.seconds.median < fastest->seconds.median) fastest = &r;
  }
  return fastest;
}

}  // namespace

void print_headings_of_best() {
  fmt::print("\n");
  fmt::print(best_line, "product", "math", "portable", "native", "vendor", "ratio", "roof", "bound",
             "fastest of ours (times in us)");
}

void print_best(const std::vector<Result>& results) {
  for (const Result& r : results) {
    if (r.status == "failed")
      fmt::print("FAILED: {} {} {}, {} {}: {}\n", r.path, kernel_of(r), r.tile, r.math, product_of(r),
                 r.reason);
  }
  const Result *const portable = fastest_of(results, "portable"),
                      *const native = fastest_of(results, "native"),
                      *const vendor = fastest_of(results, "vendor");
  const Result* ours = native;
  if (portable != nullptr && (ours == nullptr || portable->seconds.median < ours->seconds.median))
    ours = portable;
  const Result* const any = ours != nullptr ? ours : vendor;
  if (any == nullptr) return;
  const auto time = [](const Result* r) {
    return r == nullptr ? std::string("-") : fmt::format("{:.2f}", 1e6 * r->seconds.median);
  };
  std::string name =
      ours == nullptr ? "-" : fmt::format("{} {} {}", ours->path, kernel_of(*ours), ours->tile);
  if (!any->disturbed.empty()) name += "; ratio does not count: " + any->disturbed;
  if (any->roofline_fraction > 1) name += "; ceiling too low";
  fmt::print(best_line, product_of(*any), any->math, time(portable), time(native), time(vendor),
             ours != nullptr && ours->vendor_ratio > 0 ? fmt::format("{:.2f}", ours->vendor_ratio) : "-",
             any->roofline_fraction > 0 ? fmt::format("{:.0f}%", 100 * any->roofline_fraction) : "-",
             any->bound.empty() ? "-" : any->bound, name);
}

void print_summaries(const std::vector<Summary>& summaries) {
  fmt::print("\nThe fastest vendor call's time over ours; slow: ratio below {}\n", slow_ratio);
  Table table({"path", "backend", "math", "mean", "worst", "slow", "products", "missing", "worst at"});
  for (const Summary& s : summaries) {
    const auto add = [&](const std::string& path, const Ratios& r) {
      if (r.products + r.missing == 0) return;
      const auto number = [&](double x) { return r.products > 0 ? fmt::format("{:.2f}", x) : "-"; };
      table.add(
          {path, s.backend, s.math, number(r.geometric_mean), number(r.worst),
           r.products > 0
               ? fmt::format("{:.0f}%", 100.0 * static_cast<double>(r.slow) / static_cast<double>(r.products))
               : "-",
           std::to_string(r.products), std::to_string(r.missing), r.products > 0 ? r.worst_product : "-"});
    };
    add(s.path, s.all);
    if (s.peer.products > 0) add(s.path + " to peer", s.peer);
  }
  table.print();
  print_choices(summaries);
}

void print_replay(const std::vector<Result>& results, const std::vector<std::string>& left_out) {
  std::vector<Result> measured;
  struct Sum {
    double seconds = 0;
    Index calls = 0;  // fewer than all if some do not run or are wrong
  };
  std::map<std::string, Sum> sums;  // key: device, path and kernel
  const auto way = [](const Result& r) {
    return r.device + ' ' + r.path + ' ' + (r.automatic ? "automatic" : r.kernel + ' ' + r.tile);
  };
  const auto seconds = [](const Result& r) { return static_cast<double>(r.calls) * r.seconds.median; };
  for (const Result& r : results) {
    if (!r.ok()) continue;
    measured.push_back(r);
    Sum& sum = sums[way(r)];
    sum.seconds += seconds(r), sum.calls += r.calls;
  }
  std::stable_sort(measured.begin(), measured.end(), [&](const Result& x, const Result& y) {
    return std::pair(way(x), -seconds(x)) < std::pair(way(y), -seconds(y));
  });
  fmt::print("\nAll calls of the log: how often each was made, by the time that this takes\n");
  Table table(
      {"path", "backend", "kernel", "math", "calls", "us", "calls x ms", "share", "vendor", "product"});
  for (const Result& r : measured) {
    table.add({r.path, r.backend, kernel_of(r), r.math, std::to_string(r.calls),
               fmt::format("{:.2f}", 1e6 * r.seconds.median), fmt::format("{:.3f}", 1e3 * seconds(r)),
               percent_or_dash(seconds(r) / sums[way(r)].seconds), percent_or_dash(r.vendor_ratio),
               product_of(r)});
  }
  if (!measured.empty()) table.print();
  for (const auto& [name, sum] : sums)
    fmt::print("{}: {:.3f} ms for {}\n", name, 1e3 * sum.seconds, counted(sum.calls, "call"));
  for (const std::string& line : left_out) fmt::print("{}\n", line);
}

}  // namespace rooftile::perf
