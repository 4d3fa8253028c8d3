// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "../machine.hpp"
#include "plan/default_tile.hpp"
#include "plan/plan.hpp"
#include "plan/prepare.hpp"
#include "rooftile/find_kernel.hpp"
#include "rooftile/model/traffic.hpp"

namespace rooftile::perf {

/// FLOP per byte that a kernel requests from global memory, for extents that its tile divides. 0: the device
/// does not support the tile.
inline double request_intensity(const Rung& rung, TileShape tile, Type type) {
  if (rung.tiles_taken == Tiles::whole_c) tile = cta(1, 1);  // one element per thread, whatever C's extents
  if (!tile) return 0;
  return real_multiply_adds(type) *
         model::traffic({tile.bm, tile.bn, tile.bk}, tile, size_of(type)).request_intensity();
}

/// The product for which the default tile is chosen, if the tile depends on the product.
inline constexpr GemmShape large_product{4096, 4096, 4096};

/// One candidate for each rung and tile of a path that supports the target's math mode, and `automatic`.
/// Empty if no rung supports the mode here. `launch(products, options)` is the library's entry point for a
/// batch or a group.
template <class T, class Launch>
std::vector<Candidate<T>> ladder_candidates(Device& device, const Target& target, const Launch& launch,
                                            const TuningTable* tuning = nullptr) {
  std::vector<Candidate<T>> candidates;
  if (std::none_of(std::begin(ladder), std::end(ladder),
                   [&](const Rung& rung) { return detail::computes(rung, target); })) {
    return candidates;
  }
  const std::string path(to_string(target.path));
  const auto with = [launch](const GemmOptions& options) {
    return call_of<T>([launch, options](const BatchArgs<T>& args) { launch(args, options); });
  };
  const auto add = [&](const Rung& rung, bool repack) {
    const TileShape usual = default_tile(rung, large_product, target);
    std::vector<TileShape> tiles = detail::built_tiles(rung, target);
    if (rung.tiles.empty()) tiles.push_back(usual);
    for (const TileShape tile : tiles) {
      const bool whole = rung.tiles_taken == Tiles::whole_c;
      const GemmOptions options{rung.kernel, whole ? TileShape{} : tile, target.math, nullptr, repack};
      const auto refuse = [&rung, target, options](const BatchArgs<T>& args) {
        const BatchArgs<T> ready = detail::prepared(args);
        const TileShape own = default_tile(rung, ready.shape(), target, ready.batch.count);
        return refusal(rung, ready.shape(), options.tile ? options.tile : own, target, options.repack,
                       ready.pointers.any());
      };
      candidates.push_back({&device,
                            target.math,
                            path,
                            to_string(NamedKernel{rung.kernel, repack}),
                            tile && !whole ? to_string(tile) : "",
                            request_intensity(rung, tile, type_of<T>()),
                            refuse,
                            with(options),
                            {},
                            rung.tiles.empty() || tile == usual});
    }
  };
  for (const Rung& rung : ladder) {
    if (rung.supports(target.math, target.path)) add(rung, false);
    if (rung.supports(target.math, target.path) && contains(rung.repacks, target.math)) add(rung, true);
  }
  if (candidates.empty()) return candidates;
  const GemmOptions automatic{.math = target.math, .tuning = tuning};
  const auto chosen = [target, automatic](const BatchArgs<T>& args) -> KernelName {
    const GemmPlan planned = plan(describe(detail::prepared(args)), automatic, target);
    return {to_string(NamedKernel{planned.kernel, planned.repack}), to_string(planned.tile), planned.tuned};
  };
  const auto refuse = [chosen](const BatchArgs<T>& args) -> Refusal {
    try {
      chosen(args);
    } catch (const Unsupported& refused) {
      return {refused.code(), refused.what()};
    } catch (const Error& error) {  // the tuning table is for another device
      return {Reason::hardware, error.what()};
    }
    return {};
  };
  candidates.push_back({&device, target.math, path, "automatic", "", 0, refuse, with(automatic), chosen});
  if constexpr (std::is_invocable_v<const Launch&, std::span<const GemmArgs<T>>, const GemmOptions&>) {
    candidates.back().group = [launch, automatic](std::span<const GemmArgs<T>> group) {
      return [launch, automatic, group] { launch(group, automatic); };
    };
  }
  return candidates;
}

/// Adds the candidates of each math mode of T; `target(math)` is the path's target.
template <class T, class MakeTarget, class Launch>
void add_ladder(Machine& machine, Device& device, const MakeTarget& target, const Launch& launch) {
  auto& all = machine.candidates<T>();
  for (const ComputeMode math : all_modes) {
    if (!is_mode_of<T>(math)) continue;
    const auto added = ladder_candidates<T>(device, target(math), launch, machine.tuning);
    device.tuning_name = target(math).device;
    if (!added.empty()) device.targets.push_back(target(math));
    all.insert(all.end(), added.begin(), added.end());
  }
}

}  // namespace rooftile::perf
