// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_fused.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>

#include "plan/choose.hpp"
#include "plan/int8_choice.hpp"
#include "plan/plan.hpp"
#include "plan/plan_steps.hpp"
#include "plan/refusal.hpp"
#include "plan/validate_enum.hpp"

namespace rooftile::detail {

void require_epilogue(Kernel kernel) {
  if (kernel == cpu_kernel) return;
  throw Error(text("kernel takes no epilogue (", rung_of(kernel).name, "): name ", rung_of(cpu_kernel).name,
                   ", or none"));
}

namespace {

/// Returns the tile of a GPU kernel that is the fastest with an epilogue by the model.
/// @throws Error if no tile with an epilogue fits a thread block
TileShape fused_tile(const Rung& rung, const GemmDesc& desc, const Target& target) {
  TileShape fastest;
  double least = std::numeric_limits<double>::infinity();
  const ModeModel model(target.costs, target.path, target.math);
  for (const TileShape tile : rung.tiles) {
    if (!takes_epilogue(rung, tile, desc.type) || !too_large(rung, tile, target).empty()) continue;
    const double seconds =
        kernel_plan_of({rung.kernel, tile, {}, target.math}, desc, {}, target, model).seconds;
    if (!fastest || seconds < least) fastest = tile, least = seconds;
  }
  if (fastest) return fastest;
  throw Error(text("no tile with an epilogue fits a block of this device (", rung.name, ", ",
                   target.limits.shared_bytes,
                   " bytes): call gemm, then a kernel of your own for the epilogue"));
}

}  // namespace

void require_own_mode(const GemmOptions& options, ComputeMode own) {
  if (resolved(options.math, own) == own) return;
  throw Error(text("compute mode without epilogues (", to_string(options.math), "): take ", to_string(own)));
}

GemmPlan plan_fused(const GemmDesc& desc, GemmOptions options, const Target& target) {
  validate_enum(options.kernel);
  require_own_mode(options, target.math);
  check_moduli(options.moduli, target.math);
  if (options.repack) throw Error("operands are not repacked with an epilogue (repack): leave out repack");
  const bool chooses = options.kernel == Kernel::automatic;
  if (chooses) {
    const bool fragments = contains(target.warp_mma, target.math);
    options.kernel = std::find_if(std::begin(ladder), std::end(ladder), [=](const Rung& rung) {
                       return rung.fused && rung.is_warp_mma() == fragments;
                     })->kernel;
  }
  const Rung& rung = rung_of(options.kernel);
  std::string tiles;
  for (const TileShape tile : rung.tiles) {
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
  if (chooses) made.why = "the fastest kernel and tile with an epilogue, by the model";
  made.epilogue = true;
  return made;
}

}  // namespace rooftile::detail
