// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "../writers/output.hpp"
#include "explain.hpp"
#include "plan/register_blocks.hpp"
#include "rooftile/find_kernel.hpp"

namespace rooftile::perf {
namespace {

constexpr std::size_t best_shown = 5;

std::string milliseconds(double ms) {
  return ms > 0 ? fmt::format("{:.3g} ms", ms) : "-";
}

/// The number of tiles; on a GPU also the computing threads and copying threads of a block.
std::string launch_of(const GemmPlan& plan, const model::Device& device) {
  const auto& [m, n, k] = plan.desc.shape;
  const GemmShape shape = plan.swapped ? GemmShape{n, m, k} : GemmShape{m, n, k};
  const Index tiles = plan.desc.count * detail::tile_count(plan.tile, shape);
  const std::string threads =
      device.has_sm_limits() ? ", " + counted(plan.tile.threads(), "thread") + " each" : "";
  return counted(tiles, "tile") + " of C" + threads;
}

void print_plan(const Explained& x) {
  const GemmPlan& plan = x.plan;
  fmt::print("{}\n", x.product);
  fmt::print("gemm takes {} {}: {}; {} bytes of workspace; {}\n",
             to_string(NamedKernel{plan.kernel, plan.repack}), to_string(plan.tile),
             fmt::join(steps_of(plan), ", "), plan.workspace, launch_of(plan, x.device));
  const std::string expected =
      x.taken.expected_ms > 0 ? milliseconds(x.taken.expected_ms) + " expected, " : "";
  const std::string least = x.taken.least_ms > 0
                                ? fmt::format("{} at least, bound by {} ({})", milliseconds(x.taken.least_ms),
                                              name(x.taken.attainable.bound), x.taken.attainable.ceiling)
                                : "no bound known";
  fmt::print("{}{}; {}\n", expected, least, x.why);
  const std::string next = listed(x.next, [](const GemmPlan& other) {
    return fmt::format("{} {} {}", to_string(NamedKernel{other.kernel, other.repack}), to_string(other.tile),
                       milliseconds(1e3 * other.seconds));
  });
  if (!next.empty()) fmt::print("closest: {}; costs: {}\n", next, x.costs);
  fmt::print("\n");
}

/// Whether the roofline bound, the model's only value for the kernel, is far below the kernel's time. This
/// holds for kernels for any machine, and for unchosen kernels for many small products.
bool is_far(const Prediction& p) {
  return p.rung->runs_on == RunsOn::anything || (p.rung->block_threads > 0 && !p.chosen);
}

/// The kernels that gemm can run, sorted by modelled time.
std::vector<const Prediction*> by_time(const std::vector<Prediction>& predictions) {
  std::vector<const Prediction*> sorted;
  for (const Prediction& p : predictions) {
    if (p.refusal.empty() && p.possible) sorted.push_back(&p);
  }
  const auto key = [](const Prediction* p) {
    return std::tuple(is_far(*p), std::max(p->expected_ms, p->least_ms), !p->chosen);
  };
  std::stable_sort(sorted.begin(), sorted.end(), [&](auto* a, auto* b) { return key(a) < key(b); });
  return sorted;
}

std::string measured_rate(const Prediction& p) {
  return p.measured_gflops > 0 ? rate(p.measured_gflops, "FLOP/s") : "-";
}
std::string measured_share(const Prediction& p) {
  return p.measured_gflops > 0 ? percent(p.measured_gflops / p.attainable.gflops) : "-";
}

void print_best(const std::vector<Prediction>& predictions) {
  const bool measured = std::any_of(predictions.begin(), predictions.end(),
                                    [](const Prediction& p) { return p.measured_gflops > 0; });
  std::vector<const Prediction*> best = by_time(predictions);
  const std::size_t candidates = best.size();
  if (best.size() > best_shown) best.resize(best_shown);
  std::vector<std::string> header = {"kernel", "tile", "expected", "at least", "bound by"};
  if (measured) header.insert(header.end(), {"measured", "of the bound"});
  Table table(header);
  for (const Prediction* p : best) {
    std::vector<std::string> row = {name_of(*p), to_string(p->tile), milliseconds(p->expected_ms),
                                    milliseconds(p->least_ms), std::string(p->attainable.ceiling)};
    if (measured) row.insert(row.end(), {measured_rate(*p), measured_share(*p)});
    table.add(row);
  }
  table.print();
  fmt::print("{} of {}, with {} not for this product: --all prints all\n", best.size(),
             counted(candidates, "candidate"), predictions.size() - candidates);
}

void print_table(const std::vector<Prediction>& predictions, bool gpu) {
  Table table({"kernel", "tile", "asked FLOP/B", "L2 GB", "DRAM GB", "occupancy", "limited by", "divergent",
               "expected", "at least", "at most", "by", "measured", "of that"});
  for (const Prediction& p : predictions) {
    if (!p.refusal.empty()) continue;
    table.add({name_of(p), to_string(p.tile), fmt::format("{:.4g}", p.traffic.request_intensity()),
               fmt::format("{:.3g}", 1e-9 * p.traffic.l2_bytes),
               fmt::format("{:.3g}", 1e-9 * p.traffic.dram_bytes), gpu ? percent(p.occupancy.fraction) : "-",
               gpu ? limiters(p.occupancy) : "-", percent(p.divergence), milliseconds(p.expected_ms),
               milliseconds(p.least_ms), rate(p.attainable.gflops, "FLOP/s"),
               std::string(p.attainable.ceiling), measured_rate(p), measured_share(p)});
  }
  table.print();
}

/// A refusal without the names of the kernel and the tile: `tile does not divide the product (m 100, n 100, k
/// 100 by ...)`.
std::string reason_of(const Prediction& p) {
  std::string text = p.refusal;
  const std::string kernel(p.rung->name), tile = to_string(p.tile);
  const auto replace = [&](const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from, text.find(" ("));
    const bool found = at < text.find(')');
    if (found) text.replace(at, from.size(), to);
    return found;
  };
  const std::string dots = "...";
  if (!replace(kernel + ' ' + tile, dots) && !replace(tile, dots)) replace(kernel, dots);
  if (!replace(" (...)", "")) replace("(..., ", "(");
  return text;
}

/// Prints each reason once, followed by the kernels and tiles that it refuses.
void print_refused(const std::vector<Prediction>& predictions) {
  struct Refusals {
    std::string reason, kernels, last;
  };
  std::vector<Refusals> all;
  for (const Prediction& p : predictions) {
    if (p.refusal.empty()) continue;
    const std::string reason = reason_of(p), kernel = name_of(p), tile = ' ' + to_string(p.tile);
    auto found = std::find_if(all.begin(), all.end(), [&](const Refusals& r) { return r.reason == reason; });
    if (found == all.end()) found = all.insert(found, {reason, "", ""});
    if (found->last != kernel) found->kernels += (found->kernels.empty() ? "" : ", ") + kernel;
    found->last = kernel;
    if (!found->kernels.ends_with(tile)) found->kernels += tile;
  }
  if (!all.empty()) fmt::print("\nNot for this product:\n");
  for (const Refusals& r : all) fmt::print("{}\n  {}\n", r.reason, r.kernels);
}

}  // namespace

std::string limiters(const model::Occupancy& occupancy) {
  std::string names;
  for (const model::Limiter limiter : occupancy.limiters()) {
    names += (names.empty() ? "" : "+") + std::string(name(limiter));
  }
  return names;
}

void print_explained(const Explained& x, bool all) {
  print_plan(x);
  if (!all) return print_best(x.predictions);
  print_table(x.predictions, x.device.has_sm_limits());
  print_refused(x.predictions);
}

}  // namespace rooftile::perf
