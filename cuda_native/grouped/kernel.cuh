// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <type_traits>

#include "cuda_native/group.hpp"
#include "cuda_native/launch.cuh"
#include "cuda_native/tile_ops.cuh"
#include "device/common/register_tile.hpp"
#include "device/common/tile.hpp"
#include "device/nvidia/mma_pipeline.hpp"
#include "device/nvidia/mma_tile.hpp"
#include "plan/batch_parts.hpp"

/// Products of any shapes in one launch.
namespace rooftile::cuda_native {

/// Products as kernel parameters: no copy to the device precedes the launch, and a captured graph keeps the
/// products.
template <class T>
struct GroupArgs {
  static constexpr std::size_t bytes =
      CUDART_VERSION >= 12010 ? 32764 : 4096;  ///< of parameters that a launch takes
  static constexpr std::size_t max_count =
      (bytes - sizeof(detail::GroupIndex) - 16) / sizeof(detail::GroupEntry<T>) - 1;

  detail::GroupEntry<T> entries[max_count + 1];
  detail::GroupIndex index;
};

template <Kernel kernel>
inline constexpr bool by_fragments = rung_of(kernel).is_warp_mma();

/// C = alpha·A·B + beta·C for the block's tile, with the loop of the rung's kernel.
template <Kernel kernel, class Tile, class T>
__device__ void compute_tile(const GroupArgs<T>& group, const detail::TileOfGroup& here, T* shared) {
  const Team team(Tile{});
  const GemmArgs<T> args = group.entries[here.entry].product();
  const MatrixRef<const T> A = args.A, B = args.B;
  const auto [row0, col0] = tile_origin(team, args.C, here.rank);
  const auto store = [&](const auto& acc) {
    const GemmArgs<T> again = group.entries[detail::unforeseen(here.entry)].product();
    store_registers(team, again.C, acc, again.alpha, again.beta, here.rank,
                    detail::reads_conjugates(again.A));
  };
  if constexpr (by_fragments<kernel>) {
    detail::MmaTile<T, Tile> acc(team.rank(), detail::conjugates_b(A, B));  // (4·TM,8·TN) per warp
    detail::with_majors(A, B, [&]<detail::Major a_major, detail::Major b_major>() {
      const PanelRingOf<kernel, T, Tile, a_major, b_major> ring{shared};
      detail::multiply_any_fragments<T, Tile>(team, acc, ring, A, B, row0, col0);
    });
    store(acc);
  } else {
    const PanelRingOf<kernel, T, Tile> ring{shared};
    detail::RegisterTile<T, Tile> acc(team.rank(), detail::conjugates_b(A, B));  // (TM,TN)
    detail::multiply_pipelined<T, Tile>(team, acc, ring, A, B, row0, col0);
    store(acc);
  }
}

/// Each block looks up its product and its tile. Blocks of the next launch may start once all blocks of this
/// launch have started. No block ends before the previous launch, so that waiting for the last launch waits
/// for all.
template <Kernel kernel, class T, class Large, class Small>
__global__ void __launch_bounds__(Large::max_threads, Large::min_teams)
    grouped(const __grid_constant__ GroupArgs<T> group) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
  extern __shared__ float4 shared[];
  const detail::TileOfGroup here = detail::tile_of_group(group.entries, group.index, blockIdx.x);
  if (std::is_same_v<Large, Small> || !group.entries[here.entry].is_small()) {
    compute_tile<kernel, Large>(group, here, reinterpret_cast<T*>(shared));
  } else {
    compute_tile<kernel, Small>(group, here, reinterpret_cast<T*>(shared));
  }
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Launches the kernel. The parameters are passed by address, because they are too large to copy.
template <class T>
void launch_group(cudaStream_t stream, void (*kernel)(GroupArgs<T>), const GroupArgs<T>& group,
                  unsigned blocks, int threads, std::size_t shared_bytes, bool behind) {
  void* parameters[] = {const_cast<GroupArgs<T>*>(&group)};
  cudaLaunchConfig_t config =
      launch_config(stream, dim3(blocks), dim3(static_cast<unsigned>(threads)), shared_bytes);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute;
  config.numAttrs = behind && waits_itself(kernel) ? 1 : 0;
  check(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), parameters), "launch a kernel");
}

/// @tparam number  number of the launch in the rung's row
template <Kernel kernel, std::size_t number, class T>
void run_group_by(cudaStream_t stream, const detail::SharedLaunch<T>& launch, bool behind) {
  constexpr GroupTiles tiles = rung_of(kernel).groups[number];
  constexpr TileShape small = tiles.small ? tiles.small : tiles.large;
  static_assert(small.threads() == tiles.large.threads(), "tiles of a launch have equally many threads");
  constexpr int teams = detail::teams_per_sm(tiles.large, tiles.type);
  constexpr auto function = &grouped<kernel, T, Tile<tiles.large, teams>, Tile<small, teams>>;
  const std::size_t shared_bytes = std::max(dynamic_shared_bytes<kernel>(tiles.large, tiles.type),
                                            dynamic_shared_bytes<kernel>(small, tiles.type));
  allow_shared_bytes(function, shared_bytes);
  GroupArgs<T> group;
  for (std::size_t begin = 0; begin < launch.entries.size(); begin += group.max_count) {
    const auto part =
        std::span(launch.entries).subspan(begin, std::min(launch.entries.size() - begin, group.max_count));
    const unsigned blocks = detail::place_longest_first<T>(part, tiles, group.entries, group.index);
    launch_group(stream, function, group, blocks, tiles.large.threads(), shared_bytes, behind || begin > 0);
  }
}

template <Kernel kernel, ComputeMode math>
void run_group(cudaStream_t stream, const detail::SharedLaunch<ElementIn<math>>& launch, bool behind) {
  constexpr const Rung& rung = rung_of(kernel);
  const auto run_if = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
    if constexpr (rung.groups[i].type == type_of(math)) {
      if (launch.tiles == i) run_group_by<kernel, i>(stream, launch, behind);
    }
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (run_if(std::integral_constant<std::size_t, i>{}), ...);
  }
  (std::make_index_sequence<rung.groups.size()>{});
}

}  // namespace rooftile::cuda_native
