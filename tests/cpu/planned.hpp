// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/blocks.hpp"
#include "plan/cpu_plan.hpp"

namespace rooftile::testing {

/// A plan for a product as given, not transposed. Flags replace the enumerator of the algorithm.
struct Planned : CpuPlan {
  bool dots, skinny_m, unpacked, converts;

  Planned(const CpuPlan& plan, bool converts_elements)
      : CpuPlan(plan),
        dots(algorithm == CpuAlgorithm::dot_products),
        skinny_m(algorithm == CpuAlgorithm::skinny_m),
        unpacked(algorithm == CpuAlgorithm::unpacked),
        converts(converts_elements) {}
};

template <class T>
Planned plan_for(const GemmArgs<T>& args, const TileShape& blocks, int threads) {
  return {detail::plan_as_given(detail::cpu_product<T>(args), blocks, threads), portable::Converted<T>};
}

template <class T>
bool better_transposed(const GemmArgs<T>& args, const TileShape& blocks) {
  return detail::better_transposed(detail::cpu_product<T>(args), detail::CpuTypes(own_mode<T>()), blocks);
}

template <class T>
detail::TinyPlan tiny_plan(const GemmArgs<T>& args, const TileShape& blocks) {
  return detail::tiny_plan(detail::cpu_product<T>(args), detail::CpuTypes(own_mode<T>()), blocks);
}

template <class T>
bool one_thread_each(const CpuPlan& plan, const GemmShape& shape, Index count, int threads) {
  return detail::one_thread_each(plan, {shape, own_mode<T>(), {}, {}, count}, threads);
}

inline CpuWorkspace workspace_size(const GemmShape& shape, const Planned& plan, int threads) {
  return detail::cpu_workspace(shape, plan, plan.converts, threads);
}
inline CpuWorkspace fit_workspace(const GemmShape& shape, Planned& plan, int threads, Index most) {
  return detail::fit_workspace(shape, plan, plan.converts, threads, most);
}

}  // namespace rooftile::testing
