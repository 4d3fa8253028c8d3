// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/model/divergence.hpp"

#include <memory>

#include <fmt/core.h>

#include "../command.hpp"
#include "../options.hpp"
#include "../writers/output.hpp"

namespace rooftile::perf {
namespace {

using model::Count;

struct Options {
  GemmShape shape;
  Count tile = 16, warp = 32, vector = 0, block = 256, above = 0, per = 1, paths = 2;
  bool json = false;
};

Json edge_json(const model::Divergence& d, Count blocks) {
  return {{"blocks", blocks},
          {"warp_phases", d.edge_checks},
          {"divergent", d.edge_divergent},
          {"fraction", d.edge_fraction()}};
}

Json to_json(const model::TiledDivergence& d) {
  return {{"warps_per_block", d.warps_per_block},
          {"phases", d.phases},
          {"blocks", d.blocks},
          {"warp_phases", d.warp_phases},
          {"divergent", {{"a", d.a.divergent}, {"b", d.b.divergent}, {"store", d.store.divergent}}},
          {"fraction", d.fraction()},
          {"fractions", {{"a", d.a.fraction()}, {"b", d.b.fraction()}, {"store", d.store.fraction()}}},
          {"edge", {{"a", edge_json(d.a, d.edge_blocks_a)}, {"b", edge_json(d.b, d.edge_blocks_b)}}}};
}

void print(const model::TiledDivergence& d) {
  print_line("blocks", "{} ({} stick out on the right, {} below), {} each", d.blocks, d.edge_blocks_b,
             d.edge_blocks_a, counted(d.warps_per_block, "warp"));
  print_line("phases", "{}: {} warp-phases", d.phases, d.warp_phases);
  Table table({"check", "made", "divergent", "share", "in blocks that stick out", "divergent", "share"});
  const auto row = [&](const char* check, const model::Divergence& x) {
    table.add({check, std::to_string(x.checks), std::to_string(x.divergent), percent(x.fraction()),
               std::to_string(x.edge_checks), std::to_string(x.edge_divergent), percent(x.edge_fraction())});
  };
  row("load of A", d.a);
  row("load of B", d.b);
  row("store of C", d.store);
  table.print();
}

int run_product(const Options& o) {
  const model::TiledDivergence d = model::tiled_divergence(o.shape, o.tile, o.warp);
  print_either(o.json, to_json(d), [&] { print(d); });
  return ok;
}

int run_vector(const Options& o) {
  const model::VectorDivergence d = model::vector_divergence(o.vector, o.block, o.warp);
  print_either(o.json, {{"threads", d.threads}, {"warps", d.warps}, {"divergent", d.divergent}}, [&] {
    fmt::print("{} of {} diverge: {} threads for {} elements\n", d.divergent, counted(d.warps, "warp"),
               d.threads, o.vector);
  });
  return ok;
}

int run_branch(const Options& o) {
  const Count divergent = model::branch_divergence(o.block, o.above, o.per, o.warp);
  const Count warps = model::ceil_div(o.block, o.warp);
  const double lost = model::lost_issue_slots(o.paths);
  print_either(o.json, {{"warps", warps}, {"divergent", divergent}, {"lost_issue_slots", lost}}, [&] {
    fmt::print(
        "threadIdx.x / {} > {}: {} of {} diverge; such a warp loses {} of its issue slots to {} paths\n",
        o.per, o.above, divergent, counted(warps, "warp"), percent(lost), o.paths);
  });
  return ok;
}

Command::Run setup(Arguments& app) {
  auto o = std::make_shared<Options>();
  auto* m = app.add_option("--m", o->shape.m, "rows of A and C")->transform(whole(1));
  auto* n = app.add_option("--n", o->shape.n, "columns of B and C")->transform(whole(1));
  auto* k = app.add_option("--k", o->shape.k, "columns of A, rows of B")->transform(whole(1));
  auto* tile =
      app.add_option("--tile", o->tile, "T of T×T tiles and threads (16)")->transform(whole(1, 1024));
  app.add_option("--warp", o->warp, "threads per warp (32)")->transform(whole(1));
  auto* vector =
      app.add_option("--vector", o->vector, "instead: the check i < n of a vector of n")->transform(whole(1));
  auto* block = app.add_option("--block", o->block, "with --vector or --above: threads per block (256)")
                    ->transform(whole(1));
  auto* above = app.add_option("--above", o->above, "instead: the branch threadIdx.x / PER > ABOVE")
                    ->transform(whole(0));
  app.add_option("--per", o->per, "with --above: divisor of the thread index (1)")
      ->needs(above)
      ->transform(whole(1));
  app.add_option("--paths", o->paths, "with --above: equally long paths that a warp takes (2)")
      ->needs(above)
      ->transform(whole(1));
  app.add_flag("--json", o->json, "as JSON");
  vector->excludes(above)->excludes(m)->excludes(n)->excludes(k);
  above->excludes(m)->excludes(n)->excludes(k);
  tile->needs(m);
  m->needs(n)->needs(k);
  n->needs(m);
  k->needs(m);
  return [o, vector, above, block, m] {
    if (*block && !*vector && !*above)
      throw Error("block without a vector or a branch (--block): give --vector or --above");
    if (*vector) return run_vector(*o);
    if (*above) return run_branch(*o);
    if (!*m) throw Error("no product: give --m, --n and --k, or --vector, or --above");
    return run_product(*o);
  };
}

const Command divergence{
    "divergence",
    "Which warps diverge at the edges of a matrix or a vector, or in a branch?",
    {"rooftile divergence --m 100 --n 100 --k 100 --tile 16", "rooftile divergence --vector 1000"},
    setup};

}  // namespace
}  // namespace rooftile::perf
