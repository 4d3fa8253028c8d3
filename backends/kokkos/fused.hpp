// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/gemm.hpp"
#include "backends/kokkos/group.hpp"
#include "backends/kokkos/threads.hpp"
#include "cpu/driver.hpp"
#include "plan/plan_fused.hpp"
#include "rooftile/detail/block_epilogue.hpp"

/// Products with an epilogue, on an execution space of CPUs: kernel `packed`, which calls it for each block
/// of C.
namespace rooftile::detail {

/// `gemm_fused`, for nobody to see.
template <class Exec, class T>
void compute_fused(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options,
                   const BlockEpilogue<T>& epilogue) {
  require_kokkos();
  require_own_math(options, own_math<T>());
  const BatchArgs<T> ready = prepared_for(exec, args, false);
  if (nothing_to_do(ready)) return require_known(options.kernel);
  with_plan(exec, ready, options, [&](const GemmPlan& plan) {
    require_epilogue(plan.kernel);
    portable::run_packed(portable::KokkosThreads<Exec>(exec), ready, plan.tile,
                         epilogue.placed(args.first.C));
  });
}

template <class Exec, class T>
GemmPlan explain_fused(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options) {
  require_own_math(options, own_math<T>());
  GemmPlan plan = explain_ready(exec, prepared_for(exec, args, false), options);
  require_epilogue(plan.kernel);
  plan.epilogue = true;
  return plan;
}

template <class Exec, class T>
void gemm_fused(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options,
                const BlockEpilogue<T>& epilogue) {
  const auto how = [&] { return explain_ready(exec, prepared_for(exec, args, false), options); };
  const auto compute = [&] {
    portable::in_region(
        exec, [&] { return call_name("rooftile::gemm_fused", args, try_to(how)); },
        [&] { compute_fused(exec, args, options, epilogue); });
  };
  with_log("rooftile::gemm_fused", args, true, compute, wait_for(exec), how);
}

/// `gemm_grouped_fused`, for nobody to see.
template <class Exec, class T>
void compute_group_fused(const Exec& exec, std::span<const GemmArgs<T>> products, const GemmOptions& options,
                         const BlockEpilogue<T>& epilogue) {
  require_kokkos();
  require_known(options.kernel);
  require_own_math(options, own_math<T>());
  const std::vector<GemmArgs<T>> ready = prepared_group(products);
  if (ready.empty()) return;
  const GemmPlan usual = plan(describe<T>(ready.front()), options, portable_target(exec, own_math<T>()));
  require_epilogue(usual.kernel);
  portable::run_group<T>(portable::KokkosThreads<Exec>(exec), ready, usual.tile, [&](std::size_t number) {
    return epilogue.placed(products[number].C).of_entry(static_cast<Index>(number));
  });
}

template <class Exec, class T>
void gemm_grouped_fused(const Exec& exec, std::span<const GemmArgs<T>> products, const GemmOptions& options,
                        const BlockEpilogue<T>& epilogue) {
  const auto how = [&] { return explain_grouped(exec, products, options); };
  const auto compute = [&] {
    portable::in_region(
        exec, [&] { return call_name("rooftile::gemm_grouped_fused", products, try_to(how)); },
        [&] { compute_group_fused(exec, products, options, epilogue); });
  };
  with_log("rooftile::gemm_grouped_fused", products, true, compute, wait_for(exec), how);
}

}  // namespace rooftile::detail
