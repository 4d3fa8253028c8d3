// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/group_plan.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "plan/costs/cost_model.hpp"
#include "plan/int8_choice.hpp"
#include "plan/predict.hpp"
#include "plan/preferences.hpp"
#include "plan/refusal.hpp"
#include "rooftile/tuning.hpp"

namespace rooftile::detail {

namespace {

/// Values of `GroupTile::start`. With large tiles of multiply-adds, too few blocks share an SM to hide the
/// start of a block. Fitted to 1,000 products with extents from 16 to 256 on an H200.
constexpr int short_start = 16, long_start = 96;

}  // namespace

GroupChoice::GroupChoice(const GemmOptions& options, Target target) : sms_(std::max(target.sms, 1)) {
  validate_enum(options.kernel);
  if (options.math != ComputeMode::automatic) target.math = resolved(options.math, target.math);
  check_moduli(options.moduli, target.math);
  if (options.tuning != nullptr)
    target.costs = model::costs_over(options.tuning->on(target.device), target.costs);
  if (options.tile || options.repack || target.math != own_mode(target.type())) return;
  for (const Rung* rung : preferred_rungs) {
    const bool named = options.kernel == Kernel::automatic || options.kernel == rung->kernel;
    if (named && computes(*rung, target)) add_tiles(*rung, target);
    if (none()) continue;
    kernel = rung->kernel, math = target.math;
    return;
  }
}

void GroupChoice::add_tiles(const Rung& rung, const Target& target) {
  const auto log = [](int extent) { return std::countr_zero(static_cast<unsigned>(extent)); };
  for (std::size_t launch = 0; launch < rung.groups.size(); ++launch) {
    const GroupTiles tiles = group_tiles(rung, launch, target.path);
    for (const int i : {0, 1}) {
      const TileShape tile = tiles[i];
      if (tiles.type != target.type() || !tile || !too_large(rung, tile, target).empty()) continue;
      const ModeModel model(target.costs, target.path, target.math);
      const model::TileCosts* costs = model.find(rung.kernel, tile);
      if (costs == nullptr)  // only stream-K has the tile outside groups, in the same loop
        costs = model.find(rung_with(rung.engine, SplitK::stream_k).kernel, tile);
      // Without costs, the time of a step is proportional to the size of the tile.
      const double step = costs != nullptr ? static_cast<double>(costs->busy) / tile.bk
                                           : 1e-3 * tile.bm * tile.bn * real_multiply_adds(target.type());
      const auto small = static_cast<std::uint16_t>(i == 1 ? GroupEntry<float>::small : 0);
      const int start = i == 0 && tiles.small && !rung.is_warp_mma() ? long_start : short_start;
      tiles_[count_++] = {static_cast<int>(launch), small, tile, log(tile.bm), log(tile.bn), step, start};
    }
  }
}

}  // namespace rooftile::detail
