// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "rooftile/error.hpp"
#include "rooftile/model/limits.hpp"

namespace rooftile::model {

/// A grid of blocks dealt to the SMs one at a time, all blocks taking equally long.
struct GridOverSms {
  Count blocks = 0;             ///< of the grid
  Count max_per_sm = 0;         ///< blocks that the busiest SMs execute …
  Count busiest_sms = 0;        ///< … and how many SMs those are; the others execute one block less
  Count waves = 0;              ///< rounds of resident blocks, the last one counted whole
  Count last_wave = 0;          ///< blocks of the last round
  double efficiency = 0;        ///< blocks executed per block slot of all waves: 1 without a tail
  Count warps_per_block = 0;    ///< the last one may be cut short
  Count last_warp_threads = 0;  ///< threads of a block's last warp, `warp_size` when it is full
};

/// @param blocks         of the grid
/// @param block_threads  threads per block
/// @param resident       blocks that one SM holds at a time, as `occupancy()` says
/// @throws Error if anything is not positive or absurd
constexpr GridOverSms grid_over_sms(Count blocks, Count block_threads, Count resident, Count sms,
                                    Count warp_size) {
  if (std::min({blocks, block_threads, resident, sms, warp_size}) < 1 ||
      std::max({blocks, block_threads, resident, sms, warp_size}) > unlimited) {
    throw Error(rooftile::detail::text("no grid to deal out (", blocks, " blocks of ", block_threads,
                                       " threads, ", resident, " at a time on ", sms, " SMs, warps of ",
                                       warp_size, "): give 1 to ", unlimited));
  }
  GridOverSms grid;
  const Count slots = resident * sms;
  grid.blocks = blocks;
  grid.max_per_sm = ceil_div(blocks, sms);
  grid.busiest_sms = blocks - (grid.max_per_sm - 1) * sms;
  grid.waves = ceil_div(blocks, slots);
  grid.last_wave = blocks - (grid.waves - 1) * slots;
  grid.efficiency = ratio(blocks, grid.waves * slots);
  grid.warps_per_block = ceil_div(block_threads, warp_size);
  grid.last_warp_threads = block_threads - (grid.warps_per_block - 1) * warp_size;
  return grid;
}

}  // namespace rooftile::model
