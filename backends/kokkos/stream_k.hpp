// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/launch.hpp"
#include "backends/kokkos/tile_ops.hpp"
#include "backends/kokkos/workspace.hpp"
#include "device/common/stream_parts.hpp"
#include "device/common/stream_sum.hpp"
#include "plan/batch_parts.hpp"
#include "plan/stream.hpp"

/// The common part of the stream-K rungs.
namespace rooftile::portable {

template <class T>
using StreamProducts = detail::StreamArgs<T, Products<T>>;

template <class T>
struct StreamSum {
  using Sum = detail::StreamSum<T, Products<T>>;

  Sum sum;

  static constexpr std::size_t scratch_bytes = Sum::threads * sizeof(typename Sum::Sums);

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    auto* const partial = static_cast<typename Sum::Sums*>(scratch_memory(member, scratch_bytes));
    sum.compute(static_cast<unsigned>(member.league_rank()), static_cast<unsigned>(member.team_rank()),
                partial, [&member] { member.team_barrier(); });
  }
};

/// Launches the kernels for one stream of tiles. @param batch  with at most as many tiles as a league has
/// teams
template <Kernel kernel, class Exec, class T, class Tile>
void stream(const Exec& exec, const BatchArgs<T>& batch, const Tile& tile, const GemmPlan& plan) {
  using Args = KernelArgs<StreamProducts<T>>;
  const TileShape shape = Tile::shape;
  const detail::Stream stream = detail::stream_for(plan, batch.batch.count);
  const std::size_t accumulator_bytes =
      std::size_t{stream.sums()} * static_cast<std::size_t>(shape.bm * shape.bn) * sizeof(Scalar<T>);
  DeviceWorkspace workspace(exec, accumulator_bytes, plan.memory), of_args(exec, Args::bytes, nullptr);
  const StreamProducts<T> args{products_of(batch), stream, workspace.take<Scalar<T>>(accumulator_bytes)};
  const std::string name = detail::text("rooftile::", rung_of(kernel).name);
  with_functor<kernel, T, Tile>(plan.vectors, [&]<class Functor>() {
    start_teams<Tile::max_threads, Tile::min_teams>(
        exec, name, stream.blocks(), Tile::max_threads,
        sizeof(In<T>) * static_cast<std::size_t>(Functor::scratch_elements(tile)),
        Functor{Args(exec, of_args, args), tile});
  });
  if (stream.shared == 0) return;
  const typename StreamSum<T>::Sum sum{args, shape};
  start_teams<sum.threads, 1>(exec, name + "_sum", sum.teams(), sum.threads, StreamSum<T>::scratch_bytes,
                              StreamSum<T>{sum});
}

template <Kernel kernel, class Exec, class T, class Tile>
void launch_stream(const Exec& exec, const BatchArgs<T>& batch, const Tile& tile, const GemmPlan& plan) {
  detail::for_each_part(batch, plan.batch_chunk, kernels_read_pointers,
                        [&](const BatchArgs<T>& part) { stream<kernel>(exec, part, tile, plan); });
}

}  // namespace rooftile::portable
