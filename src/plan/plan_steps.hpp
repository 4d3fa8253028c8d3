// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "plan/predict.hpp"
#include "plan/target.hpp"
#include "rooftile/gemm_plan.hpp"
#include "rooftile/options.hpp"

/// Plans the steps of a selected kernel: which operands are repacked, and how K is split.
namespace rooftile::detail {

/// Whether a kernel with TMA can split K: only its narrowest tile can.
constexpr bool splits_k(TileShape tile, Type type) {
  return tile.bn == (rooftile::is_complex(type) ? 32 : 64);
}

/// The cluster shapes. A cluster runs in one GPC, which has 16 or 18 SMs.
inline constexpr ClusterShape cluster_shapes[] = {{1, 1}, {2, 1}, {1, 2}, {2, 2},
                                                  {4, 1}, {1, 4}, {4, 2}, {2, 4}};

/// Returns the fastest cluster shape by the model. Large clusters read less from L2, but they start later,
/// leave SMs idle and round the tiles of C up to multiples.
/// @param rows,columns  tiles of C
/// @param planes        products times splits of K
ClusterShape cluster_shape_of(const TmaPanels& panels, Index rows, Index columns, Index planes, Index steps,
                              int sms);

/// Sets the steps of a kernel with TMA: operand order, repacking, splits of K, workspace and cluster shape.
/// @param splits  largest number of splits of K
void set_tma_steps(GemmPlan& plan, bool swapped, Index splits, int sms);

/// Whether a transposed product stores single elements across the rows of C, which is several times slower
/// than along the rows.
bool stores_across_rows(const GemmPlan& plan);

/// Splits K over the blocks of a cluster. @param splits  largest number of splits
void set_cluster(GemmPlan& plan, Index splits);

/// Whether some cluster size splits K into `splits` parts.
bool has_splits(GemmPlan plan, Index splits);

/// Sets the steps of a kernel whose threads copy panels.
void plan_panels(GemmPlan& plan, int sms, std::size_t allowed);

/// Returns the plan of a GPU kernel, without the steps of the int8 modes. The workspace may exceed the
/// caller's limit.
/// @param costs  of the tile; null: the expected time is unknown
GemmPlan kernel_plan_of(const Choice& choice, const GemmDesc& desc, const WorkspaceMemory& memory,
                        const Target& target, const ModeModel& model, const model::TileCosts* costs);
/// Returns the plan with the costs of the target.
GemmPlan kernel_plan_of(const Choice& choice, const GemmDesc& desc, const WorkspaceMemory& memory,
                        const Target& target, const ModeModel& model);

}  // namespace rooftile::detail
