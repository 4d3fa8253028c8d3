// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/gemm.hpp"
#include "backends/kokkos/threads.hpp"
#include "backends/openmp/driver.hpp"
#include "rooftile/detail/block_epilogue.hpp"
#include "rooftile/detail/plan_fused.hpp"

/// A product with an epilogue, on an execution space of CPUs: kernel `packed`, which calls it for each block
/// of C.
namespace rooftile::detail {

/// `gemm_fused`, for nobody to see.
template <class Exec, class T>
void compute_fused(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options,
                   const BlockEpilogue<T>& epilogue) {
  require_kokkos();
  const BatchArgs<T> ready = prepared_for(exec, args);
  if (nothing_to_do(ready)) {
    require_known(options.kernel);
    resolved(options.math, type_of<T>());
    return;
  }
  // As `prepared` changes C.
  BlockEpilogue<T> given = has_rows_inside(args.first.C) ? epilogue.transposed() : epilogue;
  given.is_conjugated = reads_conjugates(args.first.C);
  with_plan(exec, ready, options, [&](const GemmPlan& plan) {
    require_epilogue(plan.kernel);
    portable::run_packed(portable::KokkosThreads<Exec>(exec), ready, plan.tile, given);
  });
}

template <class Exec, class T>
void gemm_fused(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options,
                const BlockEpilogue<T>& epilogue) {
  const auto how = [&] { return explain(exec, args, options); };
  const auto compute = [&] {
    portable::in_region(
        exec, [&] { return call_name("rooftile::gemm_fused", args, try_to(how)); },
        [&] { compute_fused(exec, args, options, epilogue); });
  };
  with_log("rooftile::gemm_fused", args, true, compute, wait_for(exec), how);
}

}  // namespace rooftile::detail
