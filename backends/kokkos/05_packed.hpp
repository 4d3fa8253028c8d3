// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <Kokkos_Core.hpp>

#include "backends/kokkos/run.hpp"
#include "backends/openmp/five_loops.hpp"
#include "backends/openmp/large_pages.hpp"
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

/// Some products of a batch by the calling thread, its workspace on the stack. @pre plan.alone
template <class T>
void multiply_alone(const BatchArgs<T>& batch, Range products, const Plan& plan) {
  if (plan.in_place && !plan.pack_b) return multiply_in_place(batch, products.begin, products.end);
  alignas(cache_line) T memory[stack_bytes / sizeof(T)];
  for (Index i = products.begin; i < products.end; ++i) {
    if (plan.in_place) {
      GemmArgs<T> product = batch.product(i);
      copy_by_rows(product.B, memory, product.B.cols);
      product.B = row_major<const T>(memory, product.B.rows, product.B.cols);
      multiply_in_place<T>(product, 0, 1);
      continue;
    }
    multiply_whole(OneThread{}, batch.product(i), plan, memory, memory);
  }
}

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
    if (bytes >= 2 * large_page) {
      if (member.team_rank() == 0) want_large_pages(memory, bytes);
      member.team_barrier();
    }
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

/// The same for products of a batch, of which each thread computes some by itself: the teams are of one
/// thread.
template <class T>
struct PackedEach {
  BatchArgs<T> batch;
  Plan plan;
  WorkspaceSize size;  ///< of a thread

  template <class Member>
  void operator()(const Member& member) const {
    const Range mine = part(batch.batch.count, 1, member.league_size(), member.league_rank());
    if (plan.alone) return multiply_alone(batch, mine, plan);
    const auto bytes = static_cast<std::size_t>(size.elements()) * sizeof(T);
    T* const memory = static_cast<T*>(member.team_scratch(1).get_shmem_aligned(bytes, cache_line));
    for (Index i = mine.begin; i < mine.end; ++i) {
      multiply(OneThread{}, batch.product(i), plan, Workspace<T>{memory, size});
    }
  }
};

/// Starts `functor` on `teams` teams, whose workspace is scratch of level 1, which Kokkos keeps with the
/// execution space instance.
template <class Exec, class T, template <class> class Functor>
void start(const Exec& exec, Functor<T> functor, int teams, int threads, const GemmShape& shape) {
  using Policy = Kokkos::TeamPolicy<Exec>;
  const auto most_bytes = static_cast<std::size_t>(Policy::scratch_size_max(1)) - cache_line;
  functor.size = fit_workspace(shape, functor.plan, threads, static_cast<Index>(most_bytes / sizeof(T)));
  const std::size_t bytes = static_cast<std::size_t>(functor.size.elements()) * sizeof(T) + cache_line;
  Kokkos::parallel_for(detail::text("rooftile::", rung_of(Kernel::packed).name),
                       Policy(exec, teams, threads).set_scratch_size(1, Kokkos::PerTeam(bytes)), functor);
}

/// Starts the products as they are given. What is small is done at once by the calling thread: host execution
/// spaces are synchronous, and its workspace is on the stack.
template <class Exec, class T>
void run_as_given(const Exec& exec, const BatchArgs<T>& batch, TileShape blocks) {
  const Index count = batch.batch.count;
  const int concurrency = exec.concurrency();
  const Plan plan = plan_for(batch.first, blocks, concurrency);
  if (one_thread_each(plan, batch.shape(), count, concurrency)) {
    const auto teams = static_cast<int>(std::min<Index>(count, concurrency));
    return start<Exec, T>(exec, PackedEach<T>{batch, plan, {}}, teams, 1, batch.shape());
  }
  if (plan.alone) return multiply_alone(batch, {0, count}, plan);
  for (Index i = 0; i < count; ++i) {
    const Packed<T> functor{batch.product(i), plan, {}};
    const int most = Kokkos::TeamPolicy<Exec>(exec, 1, 1).team_size_max(functor, Kokkos::ParallelForTag());
    const int teams = static_cast<int>(ceil_div(concurrency, most));
    start<Exec, T>(exec, functor, teams, concurrency / teams, batch.shape());
  }
}

/// Starts the rung.
template <Kernel kernel, Math math, class Exec>
void run(const Exec& exec, const BatchArgs<ElementIn<math>>& batch, TileShape blocks) {
  static_assert(kernel == Kernel::packed, "this file has one kernel");
  if (batch.batch.count == 1 && is_tiny(batch.first, blocks)) return multiply_in_place(batch, 0, 1);
  if (better_transposed(batch.first, blocks)) return run_as_given(exec, batch.transposed(), blocks);
  run_as_given(exec, batch, blocks);
}

}  // namespace rooftile::portable
