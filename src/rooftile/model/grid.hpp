// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "rooftile/error.hpp"
#include "rooftile/model/limits.hpp"

namespace rooftile::model {

/// The distribution of a grid's thread blocks to SMs, if all blocks take equally long.
struct GridOverSms {
  Count blocks = 0;             ///< of the grid
  Count max_per_sm = 0;         ///< blocks that the busiest SMs execute …
  Count busiest_sms = 0;        ///< … and the number of such SMs; the others execute one less
  Count waves = 0;              ///< rounds of resident blocks
  Count last_wave = 0;          ///< blocks of the last round
  double efficiency = 0;        ///< blocks per block slot of all waves: 1 without a tail
  Count warps_per_block = 0;    ///< warps of a block; the last one may be partial
  Count last_warp_threads = 0;  ///< threads of a block's last warp
};

/// Returns the distribution of a grid to SMs.
/// @param block_threads  threads of a block
/// @param resident  blocks on an SM at a time (`occupancy`)
/// @throws Error  if an argument is not positive or too large
constexpr GridOverSms grid_over_sms(Count blocks, Count block_threads, Count resident, Count sms,
                                    Count warp_size) {
  if (std::min({blocks, block_threads, resident, sms, warp_size}) < 1 ||
      std::max({blocks, block_threads, resident, sms, warp_size}) > unlimited) {
    throw Error(rooftile::detail::text("invalid grid (", blocks, " blocks of ", block_threads, " threads, ",
                                       resident, " resident per SM on ", sms, " SMs, warps of ", warp_size,
                                       "): give 1 to ", unlimited));
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
