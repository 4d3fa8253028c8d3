// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <vector>

#include "distributed/mpi/owners.hpp"
#include "distributed/mpi/panel_buffers.hpp"
#include "rooftile/error.hpp"

namespace rooftile::distributed {

namespace {

/// The number of indices of each dimension of a product that one process holds or computes.
struct Share {
  Index a_rows = 0, a_cols = 0, b_rows = 0, b_cols = 0, c_rows = 0, c_cols = 0;  ///< held
  Index m = 0, n = 0;                                                            ///< of C, computed

  static Share of(const Operands& x, const Division& division, int rank) {
    const auto of_slice = [&](const Slice& slice) { return held_by(slice, x.grid, rank); };
    return {of_slice(x.a_rows),
            of_slice(x.a_cols),
            of_slice(x.b_rows),
            of_slice(x.b_cols),
            of_slice(x.c_rows),
            of_slice(x.c_cols),
            division.computed(division.c_rows, rank),
            division.computed(division.c_cols, rank)};
  }
};

/// Groups the rows, or columns, of a grid into kinds with equal numbers of indices of each slice. There are
/// few kinds: in a block-cyclic layout, numbers of whole blocks differ by at most one, apart from the first
/// and last block.
class Kinds {
 public:
  Kinds(int processes, bool rows, std::initializer_list<Slice> slices) {
    std::vector<std::array<Index, 6>> seen;
    for (int p = 0; p < processes; ++p) {
      std::array<Index, 6> counts{};
      std::size_t next = 0;
      for (const Slice& slice : slices) {
        if (slice.to_rows == rows) counts[next++] = held(slice, processes, p, 0, slice.extent);
      }
      const auto found = std::find(seen.begin(), seen.end(), counts);
      kind_of_.push_back(static_cast<std::size_t>(found - seen.begin()));
      if (found == seen.end()) seen.push_back(counts);
    }
    count_ = seen.size();
  }
  std::size_t count() const { return count_; }
  std::size_t operator[](int p) const { return kind_of_[static_cast<std::size_t>(p)]; }

 private:
  std::vector<std::size_t> kind_of_;
  std::size_t count_ = 0;
};

/// The shares of all processes, without duplicates.
std::vector<Share> shares_of(const Operands& x, const Division& division) {
  const auto held_kinds = [&](int processes, bool rows) {
    return Kinds(processes, rows, {x.a_rows, x.a_cols, x.b_rows, x.b_cols, x.c_rows, x.c_cols});
  };
  const Kinds rows = held_kinds(x.grid.rows, true), cols = held_kinds(x.grid.cols, false);
  const Kinds computed_rows(division.grid.rows, true, {division.c_rows, division.c_cols}),
      computed_cols(division.grid.cols, false, {division.c_rows, division.c_cols});
  // The extra row kind of a layer is for processes that compute nothing.
  std::vector<bool> seen(rows.count() * cols.count() * (computed_rows.count() + 1) * computed_cols.count());
  std::vector<Share> shares;
  for (int row = 0, rank = 0; row < x.grid.rows; ++row) {
    for (int col = 0; col < x.grid.cols; ++col, ++rank) {
      std::size_t computed = computed_rows.count() * computed_cols.count();
      if (division.computes(rank)) {
        const auto [layer, layer_row, layer_col] = division.place(rank);
        computed = computed_rows[layer_row] * computed_cols.count() + computed_cols[layer_col];
      }
      const std::size_t both = rows[row] * cols.count() + cols[col];
      const std::size_t kind = both * (computed_rows.count() + 1) * computed_cols.count() + computed;
      if (seen[kind]) continue;
      seen[kind] = true;
      shares.push_back(Share::of(x, division, rank));
    }
  }
  return shares;
}

/// The maximum depth of a panel.
Index max_depth(const Operands& x, const Options& options) {
  if (options.depth != 0) return options.depth;
  return x.on_gpus ? usual_depth_on_gpus : usual_depth;
}

/// The fastest grid of layers by the model, with the requested number of layers, or with more than one.
/// @param flat  receives the time with one layer
model::SharedCost best_layers(const Operands& x, const Options& options, double& flat) {
  const auto counted = [](Index extent) { return std::min<model::Count>(extent, model::unlimited); };
  const model::SharedProduct product{.m = counted(x.c_rows.extent),
                                     .n = counted(x.c_cols.extent),
                                     .k = counted(x.a_cols.extent),
                                     .element_bytes = static_cast<model::Count>(size_of(x.type)),
                                     .flops = 2.0 * real_multiply_adds(x.type),
                                     .depth = std::clamp<Index>(max_depth(x, options), 1, model::unlimited),
                                     .senders = x.grid.rows + x.grid.cols - 1};
  const int processes = x.grid.size();
  flat = model::shared_cost(product, options.process, x.grid.rows, x.grid.cols, processes).seconds;
  if (options.layers == 0) return model::best_grid(product, options.process, processes, 2);
  return model::best_grid_in_layers(product, options.process, processes, options.layers);
}

/// The largest workspace of any process in bytes, with panels of a given depth.
/// @param shares  the shares of all processes
std::size_t workspace_of(const Operands& x, const Division& division, const std::vector<Share>& shares,
                         Index depth) {
  const bool a_moves = !x.on_gpus || !stays(x.a_rows, x.a_cols, division.c_rows, x.grid),
             b_moves = !x.on_gpus || !stays(x.b_cols, x.b_rows, division.c_cols, x.grid);
  const auto panels = [&](bool moves, Index outer, Index inner, Index wanted) {
    if (!moves) return Index{0};
    return x.on_gpus ? GpuPanelSizes::of(outer, inner, wanted, depth).all()
                     : PanelSizes::of(outer, inner, wanted, division.layers, depth).all();
  };
  std::size_t most = 0;
  for (const Share& share : shares) {
    const SumSizes sums = SumSizes::of(share.m * share.n, share.c_rows * share.c_cols, division.layers);
    const Index elements = sums.partial + std::max(panels(a_moves, share.a_rows, share.a_cols, share.m) +
                                                       panels(b_moves, share.b_cols, share.b_rows, share.n),
                                                   sums.sent + sums.received);
    most = std::max(most, static_cast<std::size_t>(elements));
  }
  return most * size_of(x.type) + (x.on_gpus ? padding_on_gpus : padding_of_buffers);
}

/// Sets depth, block, panels and workspace of a plan. @return whether the workspace suffices
bool fit(Plan& plan, const Operands& x, const Options& options) {
  const Index steps = (plan.shape.k + plan.layers - 1) / plan.layers;  // steps of a layer
  plan.block = 1;
  const Division division = division_of(plan, x.c_rows, x.c_cols, x.a_cols);
  const std::vector<Share> shares = shares_of(x, division);
  const auto workspace = [&](Index depth) { return workspace_of(x, division, shares, depth); };
  const auto fits = [&](Index depth) { return workspace(depth) <= options.workspace; };
  if (!fits(1)) {
    plan.workspace = workspace(1);
    return false;
  }
  Index longest = 1;
  for (Index too_long = std::clamp<Index>(max_depth(x, options), 1, steps) + 1; longest + 1 < too_long;) {
    const Index middle = longest + (too_long - longest) / 2;
    (fits(middle) ? longest : too_long) = middle;
  }
  // Panels have equal lengths. With layers they consist of whole blocks of A, if each layer gets enough
  // blocks.
  plan.panels = (steps + longest - 1) / longest;
  plan.depth = (steps + plan.panels - 1) / plan.panels;
  plan.block = plan.layers > 1 ? plan.depth : 0;
  constexpr Index enough = 8;
  const Index of_a = x.a_cols.dealing.block;
  if (plan.layers > 1 && of_a <= longest && of_a * enough <= steps) {
    plan.block = of_a;
    plan.depth = std::min((plan.depth + of_a - 1) / of_a, longest / of_a) * of_a;
  }
  // On GPUs, panels consist of whole lines. The first panel is a quarter, to start computing early.
  constexpr Index line = 128;
  const auto lines = [&](Index extent) {
    return extent < line ? extent : std::min((extent + line - 1) / line * line, longest);
  };
  if (x.on_gpus) plan.depth = lines(plan.depth);
  plan.first = x.on_gpus ? lines(std::max<Index>(plan.depth / 4, 1)) : plan.depth;
  const Index at_once = plan.depth * plan.layers, first = std::min(plan.first * plan.layers, plan.shape.k);
  plan.panels = 1 + (plan.shape.k - first + at_once - 1) / at_once;
  plan.workspace = workspace(plan.depth);
  return true;
}

/// For each rank, the number of indices that the rank both holds and computes from.
/// @param ranks_at  calls f(rank) for each rank at one of the `wanted_count` coordinates of `wanted`
template <class RanksAt>
std::vector<Index> in_place(const Slice& held, const Slice& wanted, int wanted_count, const Grid& grid,
                            const RanksAt& ranks_at) {
  std::vector<Index> of_ranks(static_cast<std::size_t>(grid.size()));
  const int owners = processes_of(held, grid);
  struct Count {
    Index indices = 0;
    int at = -1;  ///< the coordinate that `indices` belongs to
  };
  std::vector<Count> counts(static_cast<std::size_t>(owners));
  for (int p = 0; p < wanted_count; ++p) {
    for_each_owner(held, owners, wanted, wanted_count, p, 0, wanted.extent, [&](int owner, Index length) {
      Count& count = counts[static_cast<std::size_t>(owner)];
      if (count.at != p) count = {0, p};
      count.indices += length;
    });
    ranks_at(p, [&](int rank) {
      const int owner = coordinate_of(held, rank / grid.cols, rank % grid.cols);
      const Count& count = counts[static_cast<std::size_t>(owner)];
      of_ranks[static_cast<std::size_t>(rank)] = count.at == p ? count.indices : 0;
    });
  }
  return of_ranks;
}

/// `in_place` for a dimension of C.
std::vector<Index> in_place(const Slice& held, const Slice& wanted, const Division& division,
                            const Grid& grid) {
  return in_place(held, wanted, processes_of(wanted, division.grid), grid, [&](int p, const auto& f) {
    for_each_rank(division.grid, wanted, p, [&](int in_layer) {
      for (int layer = 0; layer < division.layers; ++layer) f(division.rank(layer, in_layer));
    });
  });
}

/// `in_place` for K.
std::vector<Index> in_place(const Slice& held, const Division& division, const Grid& grid) {
  return in_place(held, division.k, division.layers, grid, [&](int layer, const auto& f) {
    for (int in_layer = 0; in_layer < division.grid.size(); ++in_layer) f(division.rank(layer, in_layer));
  });
}

/// Elements of a matrix that are sent between processes: all wanted elements minus those already in place.
double elements_moved(double wanted, const std::vector<Index>& rows, const std::vector<Index>& cols) {
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    wanted -= static_cast<double>(rows[rank] * cols[rank]);
  }
  return wanted;
}

/// Elements of all matrices that are sent between processes.
double elements_moved(const Operands& x, const Division& division) {
  const auto extent = [](Index value) { return static_cast<double>(value); };
  const auto operand = [&](const Slice& outer, const Slice& inner, const Slice& wanted) {
    const int who_want_the_same = division.grid.size() / processes_of(wanted, division.grid);
    return elements_moved(extent(outer.extent) * extent(inner.extent) * who_want_the_same,
                          in_place(outer, wanted, division, x.grid), in_place(inner, division, x.grid));
  };
  const double operands =
      operand(x.a_rows, x.a_cols, division.c_rows) + operand(x.b_cols, x.b_rows, division.c_cols);
  if (division.layers == 1) return operands;
  return operands + elements_moved(extent(x.c_rows.extent) * extent(x.c_cols.extent) * division.layers,
                                   in_place(x.c_rows, division.c_rows, division, x.grid),
                                   in_place(x.c_cols, division.c_cols, division, x.grid));
}

}  // namespace

Plan plan_product(const Operands& x, const Options& asked) {
  Options options = asked;
  if (options.workspace == 0) options.workspace = usual_workspace;
  Plan plan;
  plan.grid = plan.layer_grid = x.grid, plan.type = x.type;
  plan.shape = {x.c_rows.extent, x.c_cols.extent, x.a_cols.extent};
  const int processes = x.grid.size();
  if (options.layers < 0 || options.layers > processes) {
    throw Error(detail::text("invalid number of layers (", options.layers, " of ", processes,
                             " processes): take at most one layer per process, or 0"));
  }
  if (x.on_gpus && options.layers > 1) {
    throw Error(detail::text("layers are not supported on GPUs (", options.layers, "): take 1, or 0"));
  }
  plan.in_place = processes == 1;
  const auto [m, n, k] = plan.shape;
  if (m == 0 || n == 0 || k == 0 || !x.reads || plan.in_place) return plan;

  const auto refuse = [&] {
    throw Error(detail::text("too little workspace for a distributed product (", options.workspace, " of ",
                             plan.workspace, " bytes): allow more, or take more processes",
                             options.layers > 1 ? " or fewer layers" : ""));
  };
  if (options.layers != 1 && !x.on_gpus) {
    double flat = 0;
    const model::SharedCost best = best_layers(x, options, flat);
    if (options.layers > 1 || best.seconds < flat) {
      plan.layers = static_cast<int>(best.layers);
      plan.layer_grid = {static_cast<int>(best.rows), static_cast<int>(best.cols)};
      if (fit(plan, x, options)) return plan;
      if (options.layers > 1) refuse();
      plan.layers = 1, plan.layer_grid = x.grid;
    }
  }
  if (!fit(plan, x, options)) refuse();
  return plan;
}

Plan explain(const Operands& x, const Options& options) {
  Plan plan = plan_product(x, options);
  if (plan.panels == 0) return plan;
  const Division division = division_of(plan, x.c_rows, x.c_cols, x.a_cols);
  plan.bytes_moved = static_cast<double>(size_of(plan.type)) * elements_moved(x, division);
  return plan;
}

std::string to_string(const Plan& plan) {
  std::string head = detail::text(to_string(plan.shape), " ", to_string(plan.type), " on ", plan.grid.rows,
                                  "x", plan.grid.cols, " processes");
  if (plan.in_place) return head + ": where the operands lie";
  if (plan.layers > 1) {
    head += detail::text(" in ", plan.layers, " layers of ", plan.layer_grid.rows, "x", plan.layer_grid.cols);
  }
  return head + detail::text(": ", plan.panels, " panels of ", plan.depth, " along K, ", plan.workspace,
                             " bytes of workspace, ", plan.bytes_moved, " bytes moved");
}

}  // namespace rooftile::distributed
