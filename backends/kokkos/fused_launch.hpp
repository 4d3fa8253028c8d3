// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/07_pipelined.hpp"
#include "backends/kokkos/08_tensor_core.hpp"
#include "backends/kokkos/backend.hpp"
#include "backends/kokkos/region.hpp"
#include "rooftile/detail/batch.hpp"
#include "rooftile/detail/call_name.hpp"
#include "rooftile/detail/kokkos.hpp"
#include "rooftile/detail/log_call.hpp"
#include "rooftile/detail/plan_fused.hpp"
#include "rooftile/detail/reach.hpp"

namespace rooftile::detail {

// In the library.
template <class Exec>
Target portable_target(const Exec& exec, Math math);

}  // namespace rooftile::detail

/// Products with an epilogue on GPUs, whose kernels the user's file compiles: those of a rung of matrix
/// instructions where the backend has them, else of one without.
namespace rooftile::portable {

/// Whether the kernel is compiled with epilogues.
template <Kernel kernel, class Exec, class T>
constexpr bool has_epilogues = rung_of(kernel).supports(own_math<T>(), Path::portable) &&
                               detail::fuses(rung_of(kernel),
                                             contains(Backend<Exec>::fragments, own_math<T>()),
                                             Backend<Exec>::asynchronous_copies);

/// Starts the kernel in the tile of a plan.
template <Kernel kernel, class Exec, class T, class Epilogue>
void launch_fused(const Exec& exec, const BatchArgs<T>& args, const GemmPlan& plan,
                  const Epilogue& epilogue) {
  constexpr const Rung& rung = rung_of(kernel);
  const auto launch_if = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
    constexpr TileShape shape = rung.tiles[i];
    if constexpr (detail::takes_epilogue(rung, shape, type_of<T>())) {
      using Fused = FusedTile<TileOn<Exec, kernel, T, shape>, Epilogue>;
      if (shape == plan.tile) launch<kernel>(exec, args, Fused{{}, epilogue}, plan.vectors);
    }
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (launch_if(std::integral_constant<std::size_t, i>{}), ...);
  }
  (std::make_index_sequence<rung.tiles.size()>{});
}

/// The plan of prepared products.
template <class Exec, class T>
GemmPlan plan_fused(const Exec& exec, const BatchArgs<T>& ready, const GemmOptions& options) {
  return detail::plan_fused(describe(ready), options, detail::portable_target(exec, own_math<T>()));
}

template <class Exec, class T>
GemmPlan explain_fused(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options) {
  return plan_fused(exec, detail::prepared(args), options);
}

/// `gemm_fused`, for nobody to see.
template <class Exec, class T, class Epilogue>
void compute_fused(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options,
                   const Epilogue& epilogue) {
  detail::require_kokkos();
  const BatchArgs<T> ready = detail::prepared(args);
  const GemmPlan plan = plan_fused(exec, ready, options);
  if (detail::nothing_to_do(ready)) return;
  detail::check_aligned(ready);
  detail::check_call_reached(args, plan.memory,
                             [&](const void* x) { return Backend<Exec>::reaches(exec, x); });
  // As `prepared` changes C.
  const detail::PlacedEpilogue<Epilogue> placed{epilogue, detail::has_rows_inside(args.first.C) ? 1 : 0,
                                                detail::reads_conjugates(args.first.C) ? 1 : 0};
  const auto launch_if = [&]<Kernel kernel>(std::integral_constant<Kernel, kernel>) {
    if constexpr (has_epilogues<kernel, Exec, T>) {
      if (kernel == plan.kernel) launch_fused<kernel>(exec, ready, plan, placed);
    }
  };
  launch_if(std::integral_constant<Kernel, Kernel::pipelined>());
  launch_if(std::integral_constant<Kernel, Kernel::tensor_core>());
}

template <class Exec, class T, class Epilogue>
void gemm_fused(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options,
                const Epilogue& epilogue) {
  const auto how = [&] { return explain_fused(exec, args, options); };
  const auto compute = [&] {
    in_region(
        exec, [&] { return detail::call_name("rooftile::gemm_fused", args, detail::try_to(how)); },
        [&] { compute_fused(exec, args, options, epilogue); });
  };
  detail::with_log(
      "rooftile::gemm_fused", args, true, compute, [&] { exec.fence("rooftile::log"); }, how);
}

}  // namespace rooftile::portable
