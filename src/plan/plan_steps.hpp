// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "plan/predict.hpp"
#include "plan/target.hpp"
#include "rooftile/gemm_plan.hpp"
#include "rooftile/options.hpp"

/// The steps of a kernel that was chosen: which operands it repacks, and how it splits K.
namespace rooftile::detail {

/// Whether the work of tiles that TMA feeds may be split along K: of the narrowest.
constexpr bool splits_k(TileShape tile, Type type) {
  return tile.bn == (rooftile::is_complex(type) ? 32 : 64);
}

/// The shapes of a cluster. A GPC, which holds a cluster, has 16 or 18 SMs.
inline constexpr ClusterShape cluster_shapes[] = {{1, 1}, {2, 1}, {1, 2}, {2, 2},
                                                  {4, 1}, {1, 4}, {4, 2}, {2, 4}};

/// The shape with which blocks read their panels fastest: large ones read less from L2, but start later,
/// leave SMs idle and round up to more tiles. @param rows,columns  tiles of C @param planes  also splits
ClusterShape cluster_shape_of(const TmaPanels& panels, Index rows, Index columns, Index planes, Index steps,
                              int sms);

/// How the factors of a plan are named, K is split into at most so many parts, and blocks are clustered.
void set_tma_steps(GemmPlan& plan, bool swapped, Index splits, int sms);

/// Whether a transposed product would store single elements of C across its rows, which is several times
/// slower than along them.
bool stores_across_rows(const GemmPlan& plan);

/// K is split over the blocks of a cluster, at most so many.
void set_cluster(GemmPlan& plan, Index splits);

/// Whether clusters of some size split K into so many parts.
bool has_splits(GemmPlan plan, Index splits);

/// The same of the rungs whose threads copy panels.
void plan_panels(GemmPlan& plan, int sms, std::size_t allowed);

/// The steps of a GPU's kernel, residues aside. It may take more workspace than the caller allows.
/// @param costs  of the choice's tile; null: nothing is expected of its time
GemmPlan kernel_plan_of(const Choice& choice, const GemmDesc& desc, const WorkspaceMemory& memory,
                        const Target& target, const ModeModel& model, const model::TileCosts* costs);
/// The same with the costs that the target has.
GemmPlan kernel_plan_of(const Choice& choice, const GemmDesc& desc, const WorkspaceMemory& memory,
                        const Target& target, const ModeModel& model);

}  // namespace rooftile::detail
