// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "numerics/residue.hpp"
#include "plan/cluster_shape.hpp"
#include "plan/describe.hpp"
#include "plan/stream.hpp"
#include "rooftile/error.hpp"
#include "rooftile/ladder.hpp"

namespace rooftile {

/// The kernel that a product gets, and why.
struct Choice {
  Kernel kernel = Kernel::automatic;  ///< not `automatic` of a choice that was made
  TileShape tile = {};                ///< that it computes in
  std::string_view why = {};          ///< in a few words; lives as long as the program
  Math math = Math::automatic;        ///< not `automatic` either
  bool repack = false;  ///< operands that threads would copy element by element are repacked first
  bool tuned = false;   ///< from `GemmOptions::tuning`
};

/// How a kernel gets an operand.
struct OperandPlan {
  bool repack = false;   ///< as a copy, made first
  bool k_major = false;  ///< with lines along k
};

/// How the kernel `packed` computes on a CPU.
enum class CpuAlgorithm {
  none,          ///< another kernel
  in_place,      ///< tiles of C, A and B read where they are
  dot_products,  ///< vectors along K
  few_rows,      ///< B read row by row
  panels,        ///< blocks for the caches, packed where that pays
};

/// In words; empty for `none`.
constexpr std::string_view to_string(CpuAlgorithm algorithm) {
  constexpr std::string_view names[] = {"", "in place", "dot products", "few rows", "panels"};
  return names[static_cast<std::size_t>(algorithm)];
}

/// How products are computed, and why: all that is decided of a call. Made on the host without running
/// anything; `explain` returns what `gemm` runs.
struct GemmPlan : Choice {
  GemmDesc desc = {};            ///< of the products as they are computed: with C's rows one behind the other
  Path path = Path::portable;    ///< that computes it
  std::string_view device = {};  ///< `Target::device`
  bool swapped = false;          ///< Cᵀ = Bᵀ·Aᵀ is computed; A and B below are Bᵀ and Aᵀ then
  OperandPlan a = {};            ///< how the kernel gets the first factor
  OperandPlan b = {};            ///< and the second
  bool vectors = false;          ///< threads copy both operands in whole vectors
  Index split_steps = 0;         ///< along K that a split takes: of a tile, or of 128 bytes where TMA feeds
  Index splits = 1;              ///< of K, each with sums of its own, which are added in a fixed order
  detail::ClusterShape cluster = {};  ///< tiles of C whose blocks share A and B, where TMA feeds
  detail::Stream stream = {};         ///< what the rungs that share tiles deal out at a time
  bool together = false;              ///< in a launch with other products of a group
  Index at_a_time = 1;                ///< batch entries that have a workspace together
  std::size_t workspace = 0;          ///< bytes of device memory at a time
  void* memory = nullptr;             ///< where it is, if the caller's; a plan that is kept refers to it
  double seconds = 0;                 ///< expected; 0: there are no costs for the kernel
  CpuAlgorithm algorithm = CpuAlgorithm::none;  ///< of the kernel `packed`
  int threads = 0;                              ///< of a CPU; 0: a GPU, or another kernel than `packed`
  bool by_caller = false;                       ///< the calling thread computes by itself
  bool epilogue = false;                        ///< elements of C go through one (`gemm_fused`)
  int moduli = 0;     ///< of residues, where the caller names them; 0: as many as the guard finds
  Index columns = 0;  ///< there: of C that a thread, or on a GPU all, has a workspace for at a time
  Index rows = 0;     ///< there, on a GPU
  /// There, on a GPU: the tile of `tensor_core`, which computes in fp64 itself where the guard asks for it.
  TileShape fallback = {};
};

/// What is done, in its order, in words: `repack B`, `multiply`, `add the sums of 4 splits of K`.
inline std::vector<std::string> steps_of(const GemmPlan& plan) {
  using detail::text;
  std::vector<std::string> steps;
  const bool cpu = plan.threads > 0;
  const std::string_view copy = cpu                                   ? "pack "
                                : plan.math == Math::tf32x3           ? "split into tf32 parts "
                                : plan.kernel == Kernel::warpgroup_1m ? "make real numbers of "
                                                                      : "repack ";
  if (takes_residues(plan.math)) {
    const std::string moduli = plan.moduli > 0 ? std::to_string(plan.moduli)
                                               : text(residues::min_moduli, " to ", residues::max_moduli);
    steps = {"scale rows of A and columns of B to integers",
             text("multiply in INT8 modulo ", moduli, " numbers"),
             "put C together by the Chinese remainder theorem"};
    if (plan.kernel == Kernel::warpgroup_int8) {
      const auto& [m, n, k] = plan.desc.shape;
      if (k == 0) return {"scale C"};
      if (plan.rows < m || plan.columns < n)
        steps.back() += text(", ", plan.rows, "x", plan.columns, " elements at a time");
      steps.push_back(text("or, where ", plan.moduli > 0 ? "an element is not finite" : "the guard fails",
                           ", multiply in fp64 by tensor_core ", to_string(plan.fallback)));
    }
    return steps;
  }
  if (plan.swapped) steps.emplace_back("compute the transposed product");
  if (plan.a.repack) steps.push_back(text(cpu ? copy : "repack ", plan.swapped ? 'B' : 'A'));
  if (plan.b.repack) steps.push_back(text(copy, plan.swapped ? 'A' : 'B'));
  const std::string_view how = to_string(plan.algorithm);
  steps.push_back(text("multiply", how.empty() ? "" : " by ", how,
                       plan.together ? " in a launch with others of the group" : ""));
  if (plan.splits > 1) steps.push_back(text("add the sums of ", plan.splits, " splits of K"));
  if (plan.stream.shared > 0)
    steps.push_back(
        text("add the sums of ", plan.stream.shared, " tiles, done in ", plan.stream.units, " work units"));
  if (plan.epilogue) steps.emplace_back("apply the epilogue");
  return steps;
}

}  // namespace rooftile
