// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "../command.hpp"
#include "../options.hpp"
#include "../parse.hpp"
#include "../writers/output.hpp"
#include "explain.hpp"

namespace rooftile::perf {
namespace {

/// The modelled cost on the grid that the text names. @throws Error if the text is not a grid
model::SharedCost cost_on(const std::string& grid, const model::SharedProduct& product,
                          const model::Process& process, model::Count ranks) {
  if (grid == "auto") return model::best_grid(product, process, ranks);
  std::vector<model::Count> extents;
  bool is_grid = true;
  for (std::string_view rest = grid; is_grid;) {
    const std::size_t x = rest.find('x');
    is_grid = read_whole(rest.substr(0, x), model::Count{1}, model::unlimited, extents.emplace_back()) ==
              Reading::fine;
    if (x == rest.npos) break;
    rest.remove_prefix(x + 1);
  }
  if (!is_grid || extents.size() < 2 || extents.size() > 3) {
    throw Error(detail::text("no grid of processes (--grid ", grid,
                             "): give auto, or rows, columns and layers, such as 2x3 or 2x3x4"));
  }
  extents.resize(3, 1);
  return model::shared_cost(product, process, extents[0], extents[1], ranks, extents[2]);
}

}  // namespace

void add_ranks_options(Arguments& app, RanksOptions& o) {
  app.group("Processes of MPI");
  Option* const ranks =
      app.add_option("--ranks", o.ranks, "processes that share the product, each with such a device")
          ->transform(whole(1, 10'000'000));
  app.add_option("--grid", o.grid, "process grid: auto, or rows, columns and layers along K, such as 2x3x4")
      ->needs(ranks)
      ->capture_default_str();
  app.add_option("--link", o.bandwidth_gbs, "GB/s that a process sends, and receives meanwhile")
      ->needs(ranks)
      ->transform(number(1e-6, 1e6))
      ->capture_default_str();
  app.add_option("--latency", o.latency_us, "microseconds of a message")
      ->needs(ranks)
      ->transform(number(0, 1e6))
      ->capture_default_str();
  for (const char* const other : {"--batch", "--kernel", "--regs", "--workspace", "--tuning", "--measured"}) {
    ranks->excludes(app.get_option(other));
  }
}

int explain_ranks(const RanksOptions& o, const std::string& math, const model::SharedProduct& product,
                  const std::string& device, double gflops, bool json) {
  const model::SharedCost cost = cost_on(o.grid, product, {gflops, o.bandwidth_gbs, o.latency_us}, o.ranks);
  const double rate_of_all = cost.efficiency * gflops * static_cast<double>(o.ranks);
  if (json) {
    print_json({{"device", device},
                {"ranks", o.ranks},
                {"grid", {cost.rows, cost.cols, cost.layers}},
                {"panels", cost.panels},
                {"messages", cost.messages},
                {"bytes", cost.bytes},
                {"compute_seconds", cost.compute},
                {"transfer_seconds", cost.transfer},
                {"sum_seconds", cost.sum},
                {"seconds", cost.seconds},
                {"gflops", rate_of_all},
                {"efficiency", cost.efficiency},
                {"bound", cost.bound()}});
    return ok;
  }
  fmt::print("{} {}x{}x{} on {} processes, each {} of {}, {:.4g} GB/s, {:.4g} us a message\n", math,
             product.m, product.n, product.k, o.ranks, device, rate(gflops, "FLOP/s"), o.bandwidth_gbs,
             o.latency_us);
  fmt::print("grid        {}x{}x{}, {} panels of at most {} along K\n", cost.rows, cost.cols, cost.layers,
             cost.panels, product.depth);
  fmt::print("a process   receives {:.4g} GB in {:.4g} messages, {:.4g} s, and multiplies for {:.4g} s\n",
             1e-9 * cost.bytes, cost.messages, cost.transfer + cost.sum, cost.compute);
  fmt::print("all         {:.4g} s, {}, {} of what they could, bound by {}\n", cost.seconds,
             rate(rate_of_all, "FLOP/s"), percent(cost.efficiency), cost.bound());
  return ok;
}

}  // namespace rooftile::perf
