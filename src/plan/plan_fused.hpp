// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/plan.hpp"
#include "plan/register_blocks.hpp"
#include "rooftile/ladder.hpp"

/// How products with an epilogue are computed (`fused.hpp`): by one of a few kernels.
namespace rooftile::detail {

/// Whether a backend of GPUs compiles a rung with epilogues: that of matrix instructions where it has them in
/// the elements' mode, and `pipelined` for GPUs that have not got them. On CUDA, whose GPUs have had them
/// since 8.0, one of the two.
constexpr bool fuses(const Rung& rung, bool fragments, bool asynchronous_copies) {
  if (!rung.fused) return false;
  return rung.is_warp_mma() ? fragments : !(fragments && asynchronous_copies);
}

/// Whether it does so in a tile: in a few of them, for the user's file to compile soon. By the model, these
/// together are within 4 % of all on the mean of random products, of 16 bits within 6 %.
constexpr bool takes_epilogue(const Rung& rung, TileShape tile, Type type) {
  const bool wanted = rooftile::is_complex(type) ? tile.bm == 32
                      : rung.is_warp_mma()       ? tile.bm <= 64
                                                 : tile.bm == tile.bn || tile.bm == 32;
  return wanted && fuses(rung, rung.is_warp_mma(), true) && is_built(rung, Path::portable, tile, type);
}

/// @throws Error where a CPU's kernel takes no epilogue
void require_epilogue(Kernel kernel);

/// @throws Error where another mode than the type's own is asked for, which no kernel with an epilogue has
void require_own_mode(const GemmOptions& options, ComputeMode own);

/// The plan of a product with an epilogue on a GPU.
/// @throws Error as `plan`, and where `options` ask for what is not compiled with epilogues
GemmPlan plan_fused(const GemmDesc& desc, GemmOptions options, const Target& target);

}  // namespace rooftile::detail
