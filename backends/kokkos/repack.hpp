// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "backends/kokkos/run.hpp"
#include "backends/kokkos/teams.hpp"
#include "backends/kokkos/tile_ops.hpp"
#include "backends/kokkos/workspace.hpp"
#include "device/common/repack.hpp"
#include "device/common/repacked.hpp"
#include "plan/batch_parts.hpp"

namespace rooftile::portable {

template <class T, class Store>
struct Repack {
  using Copies = detail::Repack<T, Store>;

  Copies copies;

  static constexpr std::size_t scratch_bytes = Copies::tile_elements * sizeof(T);

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    auto* const tile = static_cast<T*>(scratch_memory(member, scratch_bytes));
    copies.compute(static_cast<unsigned>(member.league_rank()), static_cast<unsigned>(member.team_rank()),
                   tile, [&member] { member.team_barrier(); });
  }
};

/// Copies the operands that are repacked.
template <class Exec, class T, class Store>
void launch_repack(const Exec& exec, const detail::Repack<T, Store>& copies) {
  constexpr int threads = detail::Repack<T, Store>::threads;
  const Index teams = copies.teams();
  if (teams == 0) return;
  start_teams<threads, 0>(exec, "rooftile::repack", teams, threads, Repack<T, Store>::scratch_bytes,
                          Repack<T, Store>{copies});
}

/// Repacks operands before a kernel multiplies them, if threads could only copy them element by element.
/// Without device memory for the copies, the kernel reads the operands in their own layout.
template <class Exec, class T>
void run_repacked(const Exec& exec, const BatchArgs<T>& args, const GemmPlan& plan, Run<Exec, T> run) {
  for_each_part(args, plan.batch_chunk, [&](const BatchArgs<T>& part) {
    const detail::RepackedProducts<T> products(part, plan);
    std::optional<DeviceWorkspace> workspace;
    try {
      workspace.emplace(exec, products.workspace_bytes(), plan.memory);
    } catch (const OutOfMemory&) {
      return run(exec, part, detail::without_repacking(plan));
    }
    const detail::Repack<T> copies = products.copies(*workspace);
    launch_repack(exec, copies);
    run(exec, products.of(copies), plan);
  });
}

}  // namespace rooftile::portable
