// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/gemm.hpp"
#include "backends/kokkos/threads.hpp"
#include "cpu/group.hpp"
#include "plan/group_plan.hpp"
#include "rooftile/gemm_grouped.hpp"

/// Products of any shapes in one call, on an execution space.
namespace rooftile::detail {

/// Whether the threads of a space divide products of T among them, with kernel `packed`.
template <class Exec, class T>
constexpr bool divides_groups = portable::Backend<Exec>::one_thread_teams&& rung_of(Kernel::packed)
                                    .supports(own_math<T>(), Path::portable);

/// Whether products of T may share launches, on a GPU, which has no kernel for mixed types.
template <class Exec, class T>
constexpr bool shares_launches_of = !portable::Backend<Exec>::one_thread_teams && !is_mixed(own_math<T>());

/// Whether they do for such options: in the type's own mode.
constexpr bool divides_group(const GemmOptions& options) {
  return (options.kernel == Kernel::automatic || options.kernel == Kernel::packed) &&
         !takes_residues(options.math);
}

/// Computes a group on a GPU.
template <class Exec, class T>
void start_group(const Exec& exec, std::span<const GemmArgs<T>> products, const GemmOptions& options) {
  const GroupPlan<T> how = plan_group(products, options, portable_target(exec, own_math<T>()));
  check_group_reached<T>(products, options.workspace.data,
                         [&](const void* x) { return portable::Backend<Exec>::reach(exec, x); });
  for (const auto& [number, args, plan] : how.alone) {
    if (!nothing_to_do<T>(args)) start<Exec, T>(exec, args, plan);
  }
  for (const SharedLaunch<T>& launch : how.shared) {
    if (!launch.entries.empty()) portable_groups<Exec, T>(how.kernel, how.math)(exec, launch);
  }
}

/// `gemm_grouped`, for nobody to see.
template <class Exec, class T>
void compute_group(const Exec& exec, std::span<const GemmArgs<T>> products, const GemmOptions& options) {
  require_kokkos();
  require_known(options.kernel);
  resolved(options.math, own_math<T>());
  if constexpr (shares_launches_of<Exec, T>) return start_group(exec, products, options);
  const std::vector<GemmArgs<T>> ready = prepared_group(products);
  if (ready.empty()) return;
  const Target target = portable_target(exec, own_math<T>());
  if constexpr (divides_groups<Exec, T>) {
    if (divides_group(options)) {  // whose kernel and blocks are the same for all
      const GemmPlan usual = plan(describe<T>(ready.front()), options, target);
      return portable::run_group<T>(portable::KokkosThreads<Exec>(exec), ready, usual.tile);
    }
  }
  const std::vector<GemmPlan> plans = plans_of_group(ready, options, target);
  for (std::size_t i = 0; i < ready.size(); ++i) {
    if (!nothing_to_do<T>(ready[i])) start<Exec, T>(exec, ready[i], plans[i]);
  }
}

template <class Exec, class T>
std::vector<GemmPlan> explain_grouped(const Exec& exec, std::span<const GemmArgs<T>> products,
                                      const GemmOptions& options) {
  const Target target = portable_target(exec, own_math<T>());
  if constexpr (shares_launches_of<Exec, T>) return plans_in_group(products, options, target);
  const std::vector<GemmArgs<T>> ready = prepared_group(products);
  std::vector<GemmPlan> plans = plans_of_group(ready, options, target);
  if constexpr (divides_groups<Exec, T>) {
    if (ready.empty() || !divides_group(options)) return plans;
    const bool alone = portable::Backend<Exec>::computes_alone(exec);
    const int threads = alone ? 1 : portable::Backend<Exec>::threads(exec);
    const auto how = portable::sharing_of<T>(ready, plans.front().tile, threads);
    for (const Index i : how.together) {
      const auto number = static_cast<std::size_t>(i);
      portable::explain_packed<T>(ready[number], threads, alone, plans[number]);
    }
    for (const Index i : how.apart) {
      const auto number = static_cast<std::size_t>(i);
      portable::explain_packed<T>(ready[number], 1, false, plans[number]);
      plans[number].by_caller = false;
    }
  }
  return plans;
}

template <class Exec, class T>
void gemm_grouped(const Exec& exec, std::span<const GemmArgs<T>> products, const GemmOptions& options) {
  const auto how = [&] { return explain_grouped(exec, products, options); };
  const auto compute = [&] {
    portable::in_region(
        exec, [&] { return call_name("rooftile::gemm_grouped", products, try_to(how)); },
        [&] { compute_group(exec, products, options); });
  };
  with_log("rooftile::gemm_grouped", products, false, compute, wait_for(exec), how);
}

}  // namespace rooftile::detail
