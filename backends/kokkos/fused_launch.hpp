// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/07_pipelined.hpp"
#include "backends/kokkos/08_tensor_core.hpp"
#include "backends/kokkos/backend.hpp"
#include "backends/kokkos/host_pointers.hpp"
#include "backends/kokkos/region.hpp"
#include "backends/kokkos/target.hpp"
#include "plan/call_name.hpp"
#include "plan/group.hpp"
#include "plan/known.hpp"
#include "plan/log_call.hpp"
#include "plan/plan_fused.hpp"
#include "plan/prepare.hpp"
#include "plan/reach.hpp"
#include "rooftile/detail/call_epilogue.hpp"
#include "rooftile/detail/kokkos.hpp"

/// Products with an epilogue on GPUs, whose kernels the user's file compiles: those of a rung of matrix
/// instructions where the backend has them, else of one without.
namespace rooftile::portable {

/// Whether the kernel is compiled with epilogues.
template <Kernel kernel, class Exec, class T>
constexpr bool has_epilogues = rung_of(kernel).supports(own_math<T>(), Path::portable) &&
                               detail::fuses(rung_of(kernel),
                                             contains(Backend<Exec>::fragments, own_math<T>()),
                                             Backend<Exec>::asynchronous_copies);

/// Starts the kernel in the tile of a plan, as many products in a launch as it has room for.
template <Kernel kernel, class Exec, class T, class Epilogue>
void launch_fused(const Exec& exec, const BatchArgs<T>& args, const GemmPlan& plan,
                  const Epilogue& epilogue) {
  constexpr const Rung& rung = rung_of(kernel);
  const auto launch_if = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
    constexpr TileShape shape = rung.tiles[i];
    if constexpr (detail::takes_epilogue(rung, shape, type_of<T>())) {
      using Fused = FusedTile<TileOn<Exec, kernel, T, shape>, Epilogue>;
      if (shape != plan.tile) return;
      const Index most =
          max_products_of_launch<Exec>(args, tiles_of_league(args.first.C, Fused{{}, epilogue}));
      detail::for_each_part(args, most, knows_both_dimensions<Fused>,
                            [&](const BatchArgs<T>& part, Index begin) {
                              launch<kernel>(exec, part, Fused{{}, epilogue.of_entry(begin)}, plan.vectors);
                            });
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
  return plan_fused(exec, detail::prepared(args, false), options);
}

/// @throws Error where the GPU does not reach what an epilogue says that it reads, or cannot read its
/// elements
template <class Exec, class Epilogue>
void check_epilogue_reached(const Exec& exec, const Epilogue& epilogue) {
  detail::for_each_array(epilogue, [&]<class E>(const char* name, const E* address) {
    if constexpr (!std::is_void_v<E>) detail::check_aligned(name, address);
    detail::check_reached(name, address, [&](const void* x) { return Backend<Exec>::reach(exec, x); });
  });
}

/// Starts products as they were prepared. @param C  that the caller gave, of the first
template <class Exec, class T, class Epilogue>
void start_fused(const Exec& exec, const BatchArgs<T>& ready, const MatrixRef<T>& C, const GemmPlan& plan,
                 const Epilogue& epilogue, Index entry) {
  // As `prepared` changes C.
  const detail::PlacedEpilogue<Epilogue> placed{epilogue, detail::has_rows_inside(C) ? 1 : 0,
                                                detail::reads_conjugates(C) ? 1 : 0, entry};
  const auto launch_if = [&]<Kernel kernel>(std::integral_constant<Kernel, kernel>) {
    if constexpr (has_epilogues<kernel, Exec, T>) {
      if (kernel == plan.kernel) launch_fused<kernel>(exec, ready, plan, placed);
    }
  };
  launch_if(std::integral_constant<Kernel, Kernel::pipelined>());
  launch_if(std::integral_constant<Kernel, Kernel::tensor_core>());
}

/// `gemm_fused`, for nobody to see.
template <class Exec, class T, class Epilogue>
void compute_fused(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options,
                   const Epilogue& epilogue) {
  detail::require_kokkos();
  const BatchArgs<T> ready = detail::prepared(args, false);
  const GemmPlan plan = plan_fused(exec, ready, options);
  if (detail::nothing_to_do(ready)) return;
  detail::check_call_reached(args, plan.memory, [&](const void* x) { return Backend<Exec>::reach(exec, x); });
  check_epilogue_reached(exec, epilogue);
  if constexpr (!kernels_read_pointers) {
    if (ready.pointers.any()) {
      const HostPointers<T> pointers(exec, ready);
      return start_fused(exec, pointers.args(), args.first.C, plan, epilogue, 0);
    }
  }
  start_fused(exec, ready, args.first.C, plan, epilogue, 0);
}

/// The plan of each product of a group, prepared. @throws Error with the number of one that has none
template <class Exec, class T>
std::vector<GemmPlan> plans_fused(const Exec& exec, const std::vector<GemmArgs<T>>& ready,
                                  const GemmOptions& options) {
  std::vector<GemmPlan> plans(ready.size());
  detail::for_each_product(ready.size(),
                           [&](std::size_t i) { plans[i] = plan_fused<Exec, T>(exec, ready[i], options); });
  return plans;
}

/// `gemm_grouped_fused`, for nobody to see: a launch for each product.
template <class Exec, class T, class Epilogue>
void compute_group_fused(const Exec& exec, std::span<const GemmArgs<T>> products, const GemmOptions& options,
                         const Epilogue& epilogue) {
  detail::require_kokkos();
  detail::require_known(options.kernel);
  const std::vector<GemmArgs<T>> ready = detail::prepared_group(products);
  const std::vector<GemmPlan> plans = plans_fused(exec, ready, options);
  if (ready.empty()) return;
  detail::check_group_reached(products, options.workspace.data,
                              [&](const void* x) { return Backend<Exec>::reach(exec, x); });
  check_epilogue_reached(exec, epilogue);
  for (std::size_t i = 0; i < ready.size(); ++i) {
    if (detail::nothing_to_do<T>(ready[i])) continue;
    start_fused<Exec, T>(exec, ready[i], products[i].C, plans[i], epilogue, static_cast<Index>(i));
  }
}

template <class Exec, class T, class Epilogue>
void gemm_grouped_fused(const Exec& exec, std::span<const GemmArgs<T>> products, const GemmOptions& options,
                        const Epilogue& epilogue) {
  const auto how = [&] { return plans_fused(exec, detail::prepared_group(products), options); };
  const auto compute = [&] {
    in_region(
        exec,
        [&] { return detail::call_name("rooftile::gemm_grouped_fused", products, detail::try_to(how)); },
        [&] { compute_group_fused(exec, products, options, epilogue); });
  };
  detail::with_log(
      "rooftile::gemm_grouped_fused", products, true, compute, [&] { exec.fence("rooftile::log"); }, how);
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
