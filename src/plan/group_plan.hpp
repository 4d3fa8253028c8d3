// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "plan/group.hpp"
#include "plan/group_entries.hpp"
#include "plan/plan.hpp"
#include "plan/plan_steps.hpp"
#include "plan/register_blocks.hpp"
#include "plan/validate_enum.hpp"

/// Plans for groups on a GPU: which products share launches.
namespace rooftile::detail {

/// Whether a rung supports shared launches for an element type.
constexpr bool shares_launches(const Rung& rung, Type type) {
  return std::any_of(rung.groups.begin(), rung.groups.end(),
                     [&](const GroupTiles& x) { return x.type == type; });
}

/// Returns the tiles of a rung's shared launch. On the portable path, two tiles in one kernel with matrix
/// instructions would spill registers, so the small one is omitted.
constexpr GroupTiles group_tiles(const Rung& rung, std::size_t launch, Path path) {
  GroupTiles tiles = rung.groups[launch];
  if (rung.is_warp_mma() && path == Path::portable) tiles.small = {};
  return tiles;
}

/// A tile for shared launches, and its cost.
struct GroupTile {
  int launch = 0;           ///< index in `Rung::groups`
  std::uint16_t small = 0;  ///< bit that it sets in `GroupEntry::facts`
  TileShape shape = {};
  int log_m = 0, log_n = 0;  ///< log2 of the extents, which are powers of 2
  double step = 0;           ///< cycles of an SM for a step along K
  int start = 0;             ///< cost of the first panels and the store, in steps

  /// `tile_count` without divisions, whose time would matter for many small products.
  Index count(const GemmShape& c) const {
    return ((c.m + shape.bm - 1) >> log_m) * ((c.n + shape.bn - 1) >> log_n);
  }
};

/// The kernel of the shared launches, and its tiles.
class GroupChoice {
 public:
  /// Selects the kernel that the options name, or the first that the target supports. Selects none if the
  /// options name another kernel or mode, a tile, or repacking, for which launches are not shared.
  GroupChoice(const GemmOptions& options, Target target);

  Kernel kernel = Kernel::automatic;
  ComputeMode math = ComputeMode::automatic;

  bool none() const { return count_ == 0; }

  /// Returns the tile with the least SM time; null if the product fills the GPU by itself.
  /// @param cycles  total SM cycles of the group, to which the time of the product is added
  const GroupTile* tile_for(const GemmShape& shape, double& cycles) const {
    if (tiles_[0].count(shape) >= sms_) return nullptr;  // tiles_[0] is the largest
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < count_; ++i) {  // branchless: mispredictions would be frequent
      const GroupTile& tile = tiles_[i];
      const double cost = static_cast<double>(tile.count(shape) * (shape.k + tile.start)) * tile.step;
      best = cost < least ? i : best;
      least = std::min(cost, least);
    }
    cycles += least;
    return &tiles_[best];
  }

  /// Whether one tile of a product with a long K takes longer than the share of each SM in the whole group. A
  /// kernel that splits K is then faster.
  bool ends_last(Index k, double cycles) const {
    return k >= long_k && static_cast<double>(k) * tiles_[count_ - 1].step * sms_ > cycles;
  }

 private:
  static constexpr Index long_k = 2048;

  void add_tiles(const Rung& rung, const Target& target);

  std::array<GroupTile, 4> tiles_ = {};
  std::size_t count_ = 0;
  int sms_;
};

/// Products that share one launch.
template <class T>
struct SharedLaunch {
  std::size_t tiles;  ///< index in `Rung::groups`
  std::vector<GroupEntry<T>> entries;
  std::vector<std::uint32_t> numbers;  ///< numbers of the entries in the group
};

/// A product with a launch of its own.
template <class T>
struct LoneProduct {
  std::size_t number;  ///< number in the group
  GemmArgs<T> args;
  GemmPlan plan;
};

/// The plan of a group.
template <class T>
struct GroupPlan {
  Kernel kernel = Kernel::automatic;  ///< kernel of the shared launches
  ComputeMode math = ComputeMode::automatic;
  std::vector<SharedLaunch<T>> shared;
  std::vector<LoneProduct<T>> alone;
};

/// Checks a product and normalizes it for kernels. @return the product itself, or `changed` with the result
template <class T>
const GemmArgs<T>* ready_of_group(const GemmArgs<T>& args, GemmArgs<T>& changed) {
  const GemmArgs<T>* ready = &args;
  const bool plain = args.alpha != Scalar<T>(0) && args.A.cols > 0 && !is_empty(args.C) &&
                     !has_rows_inside(args.C) && !reads_conjugates(args.C);  // `is_prepared`
  if (!plain || !passes_at_a_glance(args)) {
    changed = prepared<T>(args).first;
    ready = &changed;
  }
  return ready;
}

/// Checks products and decides which of them share launches.
/// @throws Error with the number of a product that cannot be computed
template <class T>
GroupPlan<T> plan_group(std::span<const GemmArgs<T>> products, const GemmOptions& options,
                        const Target& target) {
  check_memory(options.workspace, target);
  const GroupChoice choice(options, target);
  GroupPlan<T> plan{choice.kernel, choice.math, {}, {}};
  double cycles = 0;
  if (!choice.none()) {
    for (std::size_t i = 0; i < rung_of(choice.kernel).groups.size(); ++i) plan.shared.push_back({i, {}, {}});
  }
  const auto add_alone = [&](std::size_t i, const GemmArgs<T>& args) {
    plan.alone.push_back({i, args, rooftile::plan(describe<T>(args), options, target)});
  };
  GemmArgs<T> changed;
  Index longest = 0;
  for_each_product(products.size(), [&](std::size_t i) {
    const GemmArgs<T>& args = *ready_of_group(products[i], changed);
    if (choice.none()) return add_alone(i, args);
    if (nothing_to_do<T>(args)) return;
    const GroupTile* tile = fits_entry(args) ? choice.tile_for(args.shape(), cycles) : nullptr;
    if (tile == nullptr) return add_alone(i, args);
    SharedLaunch<T>& launch = plan.shared[static_cast<std::size_t>(tile->launch)];
    if (launch.entries.empty())
      launch.entries.reserve(products.size()), launch.numbers.reserve(products.size());
    launch.entries.push_back(GroupEntry<T>::of(args));
    launch.entries.back().facts |= tile->small;
    launch.numbers.push_back(static_cast<std::uint32_t>(i));
    longest = std::max(longest, args.A.cols);
  });
  if (!choice.ends_last(longest, cycles)) return plan;
  for (SharedLaunch<T>& launch : plan.shared) {
    std::size_t kept = 0;
    for (std::size_t e = 0; e < launch.entries.size(); ++e) {
      const std::size_t number = launch.numbers[e];
      if (choice.ends_last(launch.entries[e].k, cycles)) {
        add_alone(number, *ready_of_group(products[number], changed));
      } else {
        launch.entries[kept] = launch.entries[e], launch.numbers[kept++] = launch.numbers[e];
      }
    }
    launch.entries.resize(kept), launch.numbers.resize(kept);
  }
  std::sort(plan.alone.begin(), plan.alone.end(),
            [](const LoneProduct<T>& x, const LoneProduct<T>& y) { return x.number < y.number; });
  return plan;
}

/// Returns the plan of each product.
template <class T>
std::vector<GemmPlan> plans_in_group(std::span<const GemmArgs<T>> products, const GemmOptions& options,
                                     const Target& target) {
  const GroupPlan<T> group = plan_group(products, options, target);
  std::vector<GemmPlan> plans(products.size());
  std::vector<bool> planned(products.size());
  GemmArgs<T> changed;
  const auto desc_of = [&](std::size_t i) { return describe<T>(*ready_of_group(products[i], changed)); };
  for (const auto& [number, args, plan] : group.alone) plans[number] = plan, planned[number] = true;
  const std::string_view why = options.kernel == Kernel::automatic
                                   ? "products of a group share launches; the fastest of their tiles"
                                   : "named by the caller";
  for (const SharedLaunch<T>& launch : group.shared) {
    for (std::size_t e = 0; e < launch.entries.size(); ++e) {
      const std::size_t i = launch.numbers[e];
      const TileShape tile = rung_of(group.kernel).groups[launch.tiles][launch.entries[e].is_small() ? 1 : 0];
      plans[i] = GemmPlan{{group.kernel, tile, why, group.math}, desc_of(i), target.path, target.device};
      plan_panels(plans[i], target.sms, options.workspace.bytes);
      plans[i].together = true, planned[i] = true;
    }
  }
  for (std::size_t i = 0; i < products.size(); ++i) {
    if (!planned[i]) plans[i] = rooftile::plan(desc_of(i), options, target);
  }
  return plans;
}

/// Returns a launch of one product by the plan of a group. @pre `plan.together`
template <class T>
SharedLaunch<T> launch_of(const GemmPlan& plan, const GemmArgs<T>& args) {
  const auto groups = rung_of(plan.kernel).groups;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const bool small = plan.tile == groups[i].small;
    if (groups[i].type != type_of<T>() || (plan.tile != groups[i].large && !small)) continue;
    SharedLaunch<T> launch{i, {GroupEntry<T>::of(args)}, {0}};
    if (small) launch.entries[0].facts |= GroupEntry<T>::small;
    return launch;
  }
  return {};
}

/// Returns the number of tiles of an entry.
template <class T>
unsigned tiles_of_entry(const GroupEntry<T>& entry, const GroupTiles& tiles) {
  return static_cast<unsigned>(tile_count(tiles[entry.is_small() ? 1 : 0], {entry.m, entry.n, entry.k}));
}

/// Sorts entries by K in classes of similar length, longest first, so that the last blocks are short. Sets
/// the first tile of each entry.
/// @param placed  one element more than `entries`
/// @return the number of all tiles
template <class T>
unsigned place_longest_first(std::span<const GroupEntry<T>> entries, const GroupTiles& tiles,
                             GroupEntry<T>* placed, GroupIndex& index) {
  constexpr unsigned classes = 64, apart = 16;
  const auto of = [](const GroupEntry<T>& e) {
    return classes - 1 - std::min<unsigned>(e.k / apart, classes - 1);
  };
  std::array<unsigned, classes + 1> next = {};
  for (const GroupEntry<T>& entry : entries) ++next[of(entry) + 1];
  for (unsigned i = 0; i < classes; ++i) next[i + 1] += next[i];
  for (const GroupEntry<T>& entry : entries) placed[next[of(entry)]++] = entry;
  unsigned begin = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    placed[i].begin = begin;
    begin += tiles_of_entry(placed[i], tiles);
  }
  placed[entries.size()].begin = begin;
  index.shift = 0;
  while ((begin - 1) >> index.shift >= GroupIndex::size) ++index.shift;
  std::uint16_t entry = 0;
  for (unsigned i = 0; i << index.shift < begin; ++i) {
    while (i << index.shift >= placed[entry + 1].begin) ++entry;
    index.first[i] = entry;
  }
  return begin;
}

}  // namespace rooftile::detail
