// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "backends/kokkos/backend.hpp"
#include "backends/kokkos/engine.hpp"
#include "backends/kokkos/products.hpp"
#include "plan/describe.hpp"

/// The public entry points on one execution space.
namespace rooftile::detail {

/// Returns how many threads of a CPU share a product that the calling thread starts; 1 on GPUs.
template <class Exec>
int threads_of(const Exec& exec) {
  if constexpr (portable::Backend<Exec>::one_thread_teams) {
    return portable::Backend<Exec>::computes_alone(exec) ? 1 : portable::Backend<Exec>::threads(exec);
  } else {
    return 1;
  }
}

template <class Exec>
Target portable_target(const Exec& exec, ComputeMode math) {
  static_assert(portable::HasBackend<Exec>, "this execution space has no backend: add a folder in backends/");
  static_assert(!portable::Backend<Exec>::one_thread_teams || portable::HasThreads<Exec>,
                "the backend of a CPU says which of its threads calls: see backends/backend.hpp");
  using Backend = portable::Backend<Exec>;
  require_kokkos();
  return {.path = Path::portable,
          .limits = Backend::limits(exec),
          .math = math,
          .cache_blocks = Backend::cache_blocks(mode_of(math).accumulator),
          .sms = Backend::sm_count(exec),
          .warp_mma = Backend::has_warp_mma(exec) ? Backend::warp_mma : std::span<const ComputeMode>{},
          .asynchronous_copies = Backend::asynchronous_copies,
          .device = Backend::device_name(exec),
          .costs = Backend::costs(exec),
          .reads_pointers = portable::kernels_read_pointers,
          .threads = threads_of(exec),
          .wgmma = Backend::has_warpgroups(exec) ? Backend::wgmma : std::span<const ComputeMode>{}};
}

template <class Exec>
GemmPlan explain_row_major(const Exec& exec, const GemmShape& shape, Index count, ComputeMode own,
                           const GemmOptions& options) {
  GemmDesc desc = describe_row_major(shape, own, count);
  if (portable::Backend<Exec>::one_thread_teams) describe_strides(desc);
  return plan(desc, options, portable_target(exec, own));
}

template <class Exec>
void release_workspace(const Exec& exec) {
  require_kokkos();
  portable::Backend<Exec>::release_workspace(exec);
}

template <class Exec, class T>
void gemm(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options) {
  execute(portable::EngineOf<Exec>(exec), "rooftile::gemm", args, options);
}

template <class Exec, class T>
GemmPlan explain(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options) {
  return explain_call(portable::EngineOf<Exec>(exec), args, options);
}

template <class Exec, class T>
void run(const GemmPlan& plan, const Exec& exec, const BatchArgs<T>& args) {
  execute_plan(portable::EngineOf<Exec>(exec), "rooftile::run", args, plan);
}

template <class Exec, class T>
void gemm_grouped(const Exec& exec, std::span<const GemmArgs<T>> products, const GemmOptions& options) {
  execute_group(portable::EngineOf<Exec>(exec), "rooftile::gemm_grouped", products, options);
}

template <class Exec, class T>
std::vector<GemmPlan> explain_grouped(const Exec& exec, std::span<const GemmArgs<T>> products,
                                      const GemmOptions& options) {
  return explain_group(portable::EngineOf<Exec>(exec), products, options);
}

}  // namespace rooftile::detail
