// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>

#include "plan/plan.hpp"

/// How products with an epilogue are computed (`fused.hpp`): by one of a few kernels.
namespace rooftile::detail {

/// Whether a backend of GPUs compiles a rung with epilogues: that of matrix instructions where it has them in
/// the elements' mode, and `pipelined` for GPUs that have not got them. On CUDA, whose GPUs have had them
/// since 8.0, one of the two.
constexpr bool fuses(const Rung& rung, bool fragments, bool asynchronous_copies) {
  if (rung.kernel == Kernel::tensor_core) return fragments;
  return rung.kernel == Kernel::pipelined && !(fragments && asynchronous_copies);
}

/// Whether it does so in a tile: in a few of them, for the user's file to compile soon. By the model, these
/// together are within 4 % of all on the mean of random products, of 16 bits within 6 %.
constexpr bool takes_epilogue(const Rung& rung, TileShape tile, Type type) {
  const bool wanted = rooftile::is_complex(type) ? tile.bm == 32
                      : rung.fragments           ? tile.bm <= 64
                                                 : tile.bm == tile.bn || tile.bm == 32;
  return wanted && fuses(rung, rung.fragments, true) && is_built(rung, Path::portable, tile, type);
}

/// @throws Error where a CPU's kernel takes no epilogue
inline void require_epilogue(Kernel kernel) {
  if (kernel == Kernel::packed) return;
  throw Error(text("kernel takes no epilogue (", rung_of(kernel).name, "): name packed, or none"));
}

/// Of a GPU's kernel, the tile compiled with epilogues that takes least time by the model. @throws Error
/// where none fits a team
inline TileShape fused_tile(const Rung& rung, const GemmDesc& desc, const Target& target) {
  TileShape fastest;
  double least = std::numeric_limits<double>::infinity();
  const ModeModel model(target.costs, target.path, target.math);
  for (const TileShape& tile : rung.tiles) {
    if (!takes_epilogue(rung, tile, desc.type) || !too_large(rung, tile, target).empty()) continue;
    const double seconds =
        kernel_plan_of({rung.kernel, tile, {}, target.math}, desc, {}, target, model).seconds;
    if (!fastest || seconds < least) fastest = tile, least = seconds;
  }
  if (fastest) return fastest;
  throw Error(text("no tile with an epilogue fits a block of this device (", rung.name, ", ",
                   target.limits.shared_bytes, " bytes): call gemm, and a kernel of your own for the rest"));
}

/// @throws Error where another mode than the type's own is asked for, which no kernel with an epilogue has
inline void require_own_math(const GemmOptions& options, Math own) {
  if (resolved(options.math, own) == own) return;
  throw Error(text("math mode without epilogues (", to_string(options.math), "): take ", to_string(own)));
}

/// The plan of a product with an epilogue on a GPU.
/// @throws Error as `plan`, and where `options` ask for what is not compiled with epilogues
inline GemmPlan plan_fused(const GemmDesc& desc, GemmOptions options, const Target& target) {
  require_known(options.kernel);
  require_own_math(options, target.math);
  check_moduli(options.moduli, target.math);
  if (options.repack)
    throw Error("operands are not repacked where there is an epilogue (repack): leave it out");
  const bool chooses = options.kernel == Kernel::automatic;
  if (chooses)
    options.kernel = contains(target.fragments, target.math) ? Kernel::tensor_core : Kernel::pipelined;
  const Rung& rung = rung_of(options.kernel);
  std::string tiles;
  for (const TileShape& tile : rung.tiles) {
    if (takes_epilogue(rung, tile, desc.type)) tiles += (tiles.empty() ? "" : ", ") + to_string(tile);
  }
  if (tiles.empty())
    throw Error(text("kernel takes no epilogue in ", to_string(desc.type), " (", rung.name, "): name none"));
  if (!options.tile) {
    options.tile = fused_tile(rung, desc, target);
  } else if (!takes_epilogue(rung, options.tile, desc.type)) {
    throw Error(
        text("tile without epilogues (", rung.name, " ", to_string(options.tile), "): take one of ", tiles));
  }
  GemmPlan made = plan(desc, options, target);
  if (chooses) made.why = "of the kernels and tiles that there are epilogues for, the fastest by the model";
  made.epilogue = true;
  return made;
}

}  // namespace rooftile::detail
