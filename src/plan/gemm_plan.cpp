// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/gemm_plan.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "numerics/residue.hpp"
#include "rooftile/error.hpp"
#include "rooftile/ladder.hpp"

namespace rooftile {

std::string_view to_string(CpuAlgorithm algorithm) {
  constexpr std::string_view names[] = {"", "unpacked", "dot products", "skinny M", "panels"};
  return names[static_cast<std::size_t>(algorithm)];
}

std::vector<std::string> steps_of(const GemmPlan& plan) {
  using detail::text;
  std::vector<std::string> steps;
  const bool cpu = plan.threads > 0;
  const Rung rung = plan.kernel == Kernel::automatic ? Rung{} : rung_of(plan.kernel);
  const std::string_view copy = cpu                                ? "pack "
                                : plan.math == ComputeMode::tf32x3 ? "split into tf32 parts "
                                : rung.complex_as_real             ? "make real numbers of "
                                                                   : "repack ";
  if (takes_residues(plan.math)) {
    const std::string moduli = plan.moduli > 0 ? std::to_string(plan.moduli)
                                               : text(residues::min_moduli, " to ", residues::max_moduli);
    steps = {"scale rows of A and columns of B to integers",
             text("multiply in INT8 modulo ", moduli, " numbers"),
             "reconstruct C by the Chinese remainder theorem"};
    if (rung.is_for_residues()) {
      const auto& [m, n, k] = plan.desc.shape;
      if (k == 0) return {"scale C"};
      if (plan.rows < m || plan.columns < n)
        steps.back() += text(", ", plan.rows, "x", plan.columns, " elements per chunk");
      steps.push_back(text("or, where ", plan.moduli > 0 ? "an element is not finite" : "the guard fails",
                           ", multiply in fp64 by ", rung_with(Engine::warp_mma).name, ' ',
                           to_string(plan.fallback)));
    }
    return steps;
  }
  if (plan.swapped) steps.emplace_back("compute the transposed product");
  if (plan.a.repack) steps.push_back(text(cpu ? copy : "repack ", plan.swapped ? 'B' : 'A'));
  if (plan.b.repack) steps.push_back(text(copy, plan.swapped ? 'A' : 'B'));
  const std::string_view how = to_string(plan.algorithm);
  steps.push_back(text("multiply", how.empty() ? "" : text(" (", how, ')'),
                       plan.together ? " in a launch with others of the group" : ""));
  if (plan.split_k > 1) steps.push_back(text("add the partial sums of ", plan.split_k, " splits of K"));
  if (plan.stream.shared > 0)
    steps.push_back(text("add the partial sums of ", plan.stream.shared, " tiles, done in ",
                         plan.stream.units, " work units"));
  if (plan.epilogue) steps.emplace_back("apply the epilogue");
  return steps;
}

}  // namespace rooftile
