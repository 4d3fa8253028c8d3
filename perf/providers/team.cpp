// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Candidates of `bench --team`: a kernel computes a batch with `team_gemm`, one product per team or thread.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "kokkos_devices.hpp"
#include "plan/batch_parts.hpp"
#include "rooftile/team_gemm.hpp"

namespace rooftile::perf {
namespace {

/// A team kernel. @tparam N  extent of cubes, known at compile time; 0: any shape
template <class Exec, class T, Index N>
struct TeamProducts {
  using Policy = Kokkos::TeamPolicy<Exec>;

  StridedArgs<T> batch;
  bool by_vectors;  ///< one product per thread's vector lanes, several per team
  std::size_t scratch_bytes;

  KOKKOS_FUNCTION void operator()(const typename Policy::member_type& team) const {
    const Index entry =
        by_vectors ? Index{team.league_rank()} * team.team_size() + team.team_rank() : team.league_rank();
    if (entry >= batch.batch.count) return;
    const GemmArgs<T> p = batch.product(entry);
    TeamGemmOptions<N, N, N> options;
    options.barrier_before = options.barrier_after = false;  // the kernel contains nothing else
    if (by_vectors) {
      vector_gemm(team, p.alpha, p.A, p.B, p.beta, p.C, options);
    } else {
      options.scratch_bytes = scratch_bytes;
      if (scratch_bytes > 0) options.scratch = team.team_scratch(0).get_shmem_aligned(scratch_bytes, 16);
      team_gemm(team, p.alpha, p.A, p.B, p.beta, p.C, options);
    }
  }
};

template <class Exec, class T, Index N>
void launch(const Exec& exec, const BatchArgs<T>& args) {
  using Policy = Kokkos::TeamPolicy<Exec>;
  const TeamTarget target = detail::team_target_of(exec);
  const TeamPlan plan = plan_team(args.shape(), own_mode<T>(), target);
  const auto [m, n, k] = args.shape();
  const bool by_vectors = target.vendor != model::Vendor::cpu && std::max({m, n, k}) <= 16;
  const int threads = by_vectors ? 4 : plan.team_size;
  const int lanes = by_vectors ? (target.vendor == model::Vendor::amd ? 64 : 32) : 1;
  const Index teams = by_vectors ? (args.batch.count + threads - 1) / threads : args.batch.count;
  Policy policy(exec, static_cast<int>(teams), threads, lanes);
  if (plan.scratch_bytes > 0)
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(plan.scratch_bytes) + 16));
  Kokkos::parallel_for("team_gemm", policy,
                       TeamProducts<Exec, T, N>{{args.first, args.batch}, by_vectors, plan.scratch_bytes});
}

/// Common cube sizes have their own instantiation, as in an application with fixed sizes.
template <class Exec, class T>
void launch_team(const Exec& exec, const BatchArgs<T>& args) {
  const auto [m, n, k] = args.shape();
  const Index cube = m == n && n == k ? m : 0;
  if constexpr (std::is_floating_point_v<T>) {
    if (cube == 8) return launch<Exec, T, 8>(exec, args);
    if (cube == 16) return launch<Exec, T, 16>(exec, args);
    if (cube == 32) return launch<Exec, T, 32>(exec, args);
    if (cube == 64) return launch<Exec, T, 64>(exec, args);
  }
  launch<Exec, T, 0>(exec, args);
}

template <class T, class Exec>
void add_team(Machine& machine, Device& device, const Exec& exec) {
  const auto refusal = [](const BatchArgs<T>& args) -> Refusal {
    if (args.pointers.any() || args.batch.inner != 0)
      return {Reason::addresses, "teams compute batches at equal distances: leave out --pointers"};
    if (args.batch.count > std::numeric_limits<int>::max())
      return {Reason::shape, "more teams than a league has: take a smaller batch"};
    return {};
  };
  const auto run = [exec](const BatchArgs<T>& args) { launch_team(exec, args); };
  Candidate<T> candidate{&device, own_mode<T>(), "team", "team_gemm", "", 0, refusal, call_of<T>(run)};
  candidate.on_request = true;
  machine.add(std::move(candidate));
}

void add(Machine& machine) {
  if (!Kokkos::is_initialized()) return;  // the portable provider reports why
  for_each_kokkos_device(machine, [&](Device& device, const auto& exec) {
    for_each_element([&]<class T>() { add_team<T>(machine, device, exec); });
  });
}

const Provider provider{Provider::peer, add};

}  // namespace
}  // namespace rooftile::perf
