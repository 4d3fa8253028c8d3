// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// For GPUs
#pragma once

#include <optional>

#include "backends/kokkos/run.hpp"
#include "backends/kokkos/teams.hpp"
#include "backends/kokkos/tile_ops.hpp"
#include "backends/kokkos/workspace.hpp"
#include "rooftile/detail/gpu/relayout.hpp"
#include "rooftile/detail/relaid.hpp"

namespace rooftile::portable {

template <class T>
struct Relayout {
  using Copies = detail::Relayout<T>;

  Copies copies;

  static constexpr std::size_t scratch_bytes = Copies::tile_elements * sizeof(T);

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    auto* const tile = static_cast<T*>(scratch_memory(member, scratch_bytes));
    copies.compute(static_cast<unsigned>(member.league_rank()), static_cast<unsigned>(member.team_rank()),
                   tile, [&member] { member.team_barrier(); });
  }
};

/// Copies the operands that have somewhere to go.
template <class Exec, class T>
void launch_relayout(const Exec& exec, const detail::Relayout<T>& copies) {
  constexpr int threads = detail::Relayout<T>::threads;
  const Index teams = copies.teams();
  if (teams == 0) return;
  start_teams<threads, 0>(exec, "rooftile::relayout", teams, threads, Relayout<T>::scratch_bytes,
                          Relayout<T>{copies});
}

/// Lays out anew what must be, and multiplies. Where the device has no memory for it, as it lies. The rung
/// that multiplies is declared here only: its kernels are in its own object.
template <Math math, class Exec, class T = ElementIn<math>>
void multiply_relaid(const Exec& exec, const BatchArgs<T>& args, TileShape tile) {
  constexpr const Rung& rung = multiplier(rung_of(Kernel::relaid), math);
  const detail::RelaidProducts<T> products(args, rung.fragments);
  std::optional<DeviceWorkspace> workspace;
  try {
    workspace.emplace(exec, products.workspace_bytes());
  } catch (const OutOfMemory&) {
    return run<rung.kernel, math>(exec, args, tile);
  }
  const detail::Relayout<T> copies = products.copies(*workspace);
  launch_relayout(exec, copies);
  run<rung.kernel, math>(exec, products.of(copies), tile);
}

template <Math math, class Exec, class T = ElementIn<math>>
void run_relaid(const Exec& exec, const BatchArgs<T>& args, TileShape tile) {
  const bool fragments = multiplier(rung_of(Kernel::relaid), math).fragments;
  for_each_part(args, detail::relaid_at_a_time(args, fragments),
                [&](const BatchArgs<T>& part) { multiply_relaid<math>(exec, part, tile); });
}

using RelaidExec = Kokkos::DefaultExecutionSpace;  // of GPUs, of which a Kokkos has those of one vendor
template <>
inline void run<Kernel::relaid, Math::fp32>(const RelaidExec& exec, const BatchArgs<float>& args,
                                            TileShape tile) {
  run_relaid<Math::fp32>(exec, args, tile);
}
template <>
inline void run<Kernel::relaid, Math::fp64>(const RelaidExec& exec, const BatchArgs<double>& args,
                                            TileShape tile) {
  run_relaid<Math::fp64>(exec, args, tile);
}
template <>
inline void run<Kernel::relaid, Math::fp16>(const RelaidExec& exec, const BatchArgs<float16>& args,
                                            TileShape tile) {
  run_relaid<Math::fp16>(exec, args, tile);
}
template <>
inline void run<Kernel::relaid, Math::bf16>(const RelaidExec& exec, const BatchArgs<bfloat16>& args,
                                            TileShape tile) {
  run_relaid<Math::bf16>(exec, args, tile);
}
#ifdef KOKKOS_ENABLE_CUDA  // whose GPUs alone have matrix instructions in tf32
template <>
inline void run<Kernel::relaid, Math::tf32>(const RelaidExec& exec, const BatchArgs<float>& args,
                                            TileShape tile) {
  run_relaid<Math::tf32>(exec, args, tile);
}
#endif

}  // namespace rooftile::portable
