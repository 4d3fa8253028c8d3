// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "backends/kokkos/fragments.hpp"
#include "backends/kokkos/launch.hpp"
#include "backends/kokkos/run_group.hpp"
#include "backends/kokkos/store_words.hpp"
#include "backends/kokkos/tile_ops.hpp"
#include "backends/kokkos/workspace.hpp"
#include "device/common/pipeline.hpp"
#include "device/common/register_tile.hpp"
#include "device/common/tile.hpp"
#include "plan/batch_parts.hpp"

/// Products of any shapes in one launch; `cuda_native/grouped/kernel.cuh` is the native counterpart.
namespace rooftile::portable {

template <Kernel kernel>
inline constexpr bool by_fragments = rung_of(kernel).is_warp_mma();

/// The scratch memory of a team with a tile, in elements.
template <Kernel kernel, class T, class Tile>
constexpr int group_elements() {
  if constexpr (by_fragments<kernel>) {
    constexpr auto x = detail::Major::x, k = detail::Major::k;
    return std::max(
        {FragmentRing<kernel, T, Tile, x, x>::elements, FragmentRing<kernel, T, Tile, x, k>::elements,
         FragmentRing<kernel, T, Tile, k, x>::elements, FragmentRing<kernel, T, Tile, k, k>::elements});
  } else {
    return PanelRingOf<kernel, T, Tile>::elements;
  }
}

/// Each team looks up its product and its tile, and computes the tile with the loop of the rung's kernel.
template <Kernel kernel, class T, class Large, class Small>
struct Grouped {
  static constexpr int elements =
      std::max(group_elements<kernel, T, Large>(), group_elements<kernel, T, Small>());

  const detail::GroupEntry<T>* entries;
  const detail::GroupIndex* index;

  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member& member) const {
    const auto here = detail::tile_of_group(entries, *index, static_cast<unsigned>(member.league_rank()));
    if (std::is_same_v<Large, Small> || !entries[here.entry].is_small()) {
      compute<Large>(member, here);
    } else {
      compute<Small>(member, here);
    }
  }

 private:
  template <class Tile, class Member>
  KOKKOS_FORCEINLINE_FUNCTION void compute(const Member& member, const detail::TileOfGroup& here) const {
    const Team team(member, Tile{});
    const GemmArgs<T> args = entries[here.entry].product();
    const MatrixRef<const T> A = args.A, B = args.B;
    const auto [row0, col0] = origin_of_tile(team.tile, args.C, here.rank);
    T* const scratch = scratch_tile<T>(team, 1, elements).data;
    if constexpr (by_fragments<kernel>) {
      FragmentTile<T, Tile> acc(team.rank(), detail::conjugates_b(A, B));
      detail::with_majors(A, B, [&]<detail::Major a_major, detail::Major b_major>() {
        const FragmentRing<kernel, T, Tile, a_major, b_major> ring{scratch};
        multiply_by_any_fragments<T, Tile>(team, acc, ring, A, B, row0, col0);
      });
      store(team, acc, here);
    } else {
      const PanelRingOf<kernel, T, Tile> ring{scratch};
      detail::RegisterTile<T, Tile> acc(team.rank(), detail::conjugates_b(A, B));  // (TM,TN)
      detail::multiply_pipelined<T, Tile>(team, acc, ring, A, B, row0, col0);
      store(team, acc, here);
    }
  }

  /// Looks up the product and its tile again, so that they occupy no registers during the product.
  template <class Team, class Accumulator>
  KOKKOS_FORCEINLINE_FUNCTION void store(const Team& team, const Accumulator& acc,
                                         const detail::TileOfGroup& here) const {
    const GemmArgs<T> args = entries[detail::unforeseen(here.entry)].product();
    const auto [row0, col0] = origin_of_tile(team.tile, args.C, detail::unforeseen(here.rank));
    acc.store(args.C, row0, col0, detail::unforeseen(team.rank()), args.alpha, args.beta,
              detail::reads_conjugates(args.A));
  }
};

template <Kernel kernel, std::size_t number, class Exec, class T>
void run_group_by(const Exec& exec, const detail::SharedLaunch<T>& launch) {
  using Entry = detail::GroupEntry<T>;
  constexpr const Rung& rung = rung_of(kernel);
  constexpr GroupTiles tiles = detail::group_tiles(rung, number, Path::portable);
  constexpr TileShape small = tiles.small ? tiles.small : tiles.large;
  static_assert(small.threads() == tiles.large.threads(), "tiles of a launch have equally many threads");
  constexpr int teams = Backend<Exec>::min_teams(rung, tiles.large, tiles.type);
  using Functor = Grouped<kernel, T, Tile<tiles.large, teams>, Tile<small, teams>>;
  const std::string name = detail::text("rooftile::grouped_", rung.name);
  constexpr std::size_t max_count = detail::GroupIndex::max_entries;
  std::vector<Entry> placed(std::min(launch.entries.size(), max_count) + 1);
  detail::GroupIndex index;
  for (std::size_t begin = 0; begin < launch.entries.size(); begin += max_count) {
    const auto part =
        std::span(launch.entries).subspan(begin, std::min(launch.entries.size() - begin, max_count));
    const unsigned blocks = detail::place_longest_first<T>(part, tiles, placed.data(), index);
    const std::size_t bytes = (part.size() + 1) * sizeof(Entry);
    DeviceWorkspace workspace(exec, DeviceWorkspace::rounded(bytes) + sizeof index, nullptr);
    auto* const to = workspace.take<Entry>(bytes);
    auto* const to_index = workspace.take<detail::GroupIndex>(sizeof index);
    store_words(exec, placed.data(), to, bytes);
    store_words(exec, &index, to_index, sizeof index);
    start_teams<small.threads(), teams>(exec, name, blocks, small.threads(), Functor::elements * sizeof(T),
                                        Functor{to, to_index});
  }
}

template <Kernel kernel, ComputeMode math, class Exec>
void run_group(const Exec& exec, const detail::SharedLaunch<ElementIn<math>>& launch) {
  constexpr const Rung& rung = rung_of(kernel);
  const auto run_if = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
    if constexpr (rung.groups[i].type == type_of(math)) {
      if (launch.tiles == i) run_group_by<kernel, i>(exec, launch);
    }
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (run_if(std::integral_constant<std::size_t, i>{}), ...);
  }
  (std::make_index_sequence<rung.groups.size()>{});
}

}  // namespace rooftile::portable
