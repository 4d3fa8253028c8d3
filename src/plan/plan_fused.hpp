// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/plan.hpp"
#include "plan/register_blocks.hpp"
#include "rooftile/ladder.hpp"

/// Plans for products with an epilogue (`fused.hpp`). Only some kernels and tiles support epilogues.
namespace rooftile::detail {

/// Whether a GPU backend compiles a rung with epilogues: the rung of matrix instructions if the device has
/// them for the mode, and `pipelined` for devices without them. CUDA compiles one of the two, since its GPUs
/// have had matrix instructions since compute capability 8.0.
constexpr bool fuses(const Rung& rung, bool fragments, bool asynchronous_copies) {
  if (!rung.fused) return false;
  return rung.is_warp_mma() ? fragments : !(fragments && asynchronous_copies);
}

/// Whether a tile is compiled with epilogues. Few tiles keep the compile time of user code short.
/// By the model, random products take at most 4 % longer on average than with all tiles, and 6 % in 16 bits.
constexpr bool takes_epilogue(const Rung& rung, TileShape tile, Type type) {
  const bool wanted = rooftile::is_complex(type) ? tile.bm == 32
                      : rung.is_warp_mma()       ? tile.bm <= 64
                                                 : tile.bm == tile.bn || tile.bm == 32;
  return wanted && fuses(rung, rung.is_warp_mma(), true) && is_built(rung, Path::portable, tile, type);
}

/// @throws Error if a CPU kernel supports no epilogue
void require_epilogue(Kernel kernel);

/// @throws Error if the options name another mode than the type's own, which no kernel with an epilogue has
void require_own_mode(const GemmOptions& options, ComputeMode own);

/// Returns the plan of a product with an epilogue on a GPU.
/// @throws Error as `plan`, and if the options name a kernel or tile that is not compiled with epilogues
GemmPlan plan_fused(const GemmDesc& desc, GemmOptions options, const Target& target);

}  // namespace rooftile::detail
