// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include "backends/kokkos/run.hpp"
#include "backends/openmp/five_loops.hpp"
#include "rooftile/error.hpp"

namespace rooftile::portable {

/// A Kokkos team as the threads that share a product.
template <class Member>
struct KokkosTeam {
  const Member& member;

  int rank() const { return member.team_rank(); }
  int size() const { return member.team_size(); }
  void barrier() const { member.team_barrier(); }
};

/// Panels of A and B packed for the caches, multiplied out of the registers: BLIS' five loops. Teams divide C
/// along its longer side; there is one as long as Kokkos can put all threads into it.
template <class T>
struct Packed {
  GemmArgs<T> args;
  Plan plan;
  WorkspaceSize size;  ///< of a team

  template <class Member>
  void operator()(const Member& member) const {
    const auto bytes = static_cast<std::size_t>(size.elements()) * sizeof(T);
    T* const memory = static_cast<T*>(member.team_scratch(1).get_shmem_aligned(bytes, cache_line));
    const auto [m, n, k] = args.shape();
    const Index teams = member.league_size(), team = member.league_rank();
    const bool by_rows = m > n;
    const Range rows = by_rows ? part(m, plan.blocks.tm, teams, team) : Range{0, m};
    const Range cols = by_rows ? Range{0, n} : part(n, plan.blocks.tn, teams, team);
    const GemmArgs<T> mine{args.alpha, block_of(args.A, rows, {0, k}), block_of(args.B, {0, k}, cols),
                           args.beta, block_of(args.C, rows, cols)};
    multiply(KokkosTeam<Member>{member}, mine, plan, Workspace<T>{memory, size});
  }
};

/// Starts the rung. What is small is done at once by the calling thread: host execution spaces are
/// synchronous, and its workspace is on the stack. Larger workspace is team scratch of level 1, which Kokkos
/// keeps with the execution space instance.
template <Kernel kernel, Math math, class Exec>
void run(const Exec& exec, const GemmArgs<ElementIn<math>>& given, TileShape blocks) {
  using T = ElementIn<math>;
  static_assert(kernel == Kernel::packed, "this file has one kernel");
  const GemmArgs<T> args = vectors_along_columns(given, blocks);
  const Plan plan = plan_for(args, blocks, exec.concurrency());
  if (plan.alone) {
    alignas(cache_line) T memory[stack_bytes / sizeof(T)];
    five_loops(OneThread{}, args, plan, memory, memory);
    return;
  }
  using Policy = Kokkos::TeamPolicy<Exec>;
  Packed<T> functor{args, plan, {}};
  const int most = Policy(exec, 1, 1).team_size_max(functor, Kokkos::ParallelForTag());
  const int teams = static_cast<int>(ceil_div(exec.concurrency(), most));
  const int threads = exec.concurrency() / teams;
  const auto most_bytes = static_cast<std::size_t>(Policy::scratch_size_max(1)) - cache_line;
  functor.size =
      fit_workspace(args.shape(), functor.plan, threads, static_cast<Index>(most_bytes / sizeof(T)));
  const std::size_t bytes = static_cast<std::size_t>(functor.size.elements()) * sizeof(T) + cache_line;
  Kokkos::parallel_for(detail::text("rooftile::", rung_of(kernel).name),
                       Policy(exec, teams, threads).set_scratch_size(1, Kokkos::PerTeam(bytes)), functor);
}

}  // namespace rooftile::portable
