// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include <Kokkos_Core.hpp>

#include "backends/kokkos/backend.hpp"
#include "backends/kokkos/products.hpp"
#include "backends/kokkos/run.hpp"
#include "backends/kokkos/teams.hpp"
#include "device/common/pipeline.hpp"
#include "device/common/tile.hpp"
#include "plan/batch_parts.hpp"
#include "plan/operand_alignment.hpp"
#include "plan/register_blocks.hpp"
#include "rooftile/error.hpp"

namespace rooftile::portable {

/// The functor of a kernel. Each rung's file specializes it.
template <Kernel kernel>
struct KernelOf;

/// The tile type of `shape` for T on an execution space: one thread per team on a CPU.
template <class Exec, Kernel kernel, class T, TileShape shape>
using TileOn =
    std::conditional_t<Backend<Exec>::one_thread_teams, Tile<one_thread(shape)>,
                       Tile<shape, Backend<Exec>::min_teams(rung_of(kernel), shape, type_of<T>())>>;

/// Returns the number of panels in scratch memory at a time. At most two if threads multiply and an epilogue
/// follows, because nvcc has no registers for more.
template <Kernel kernel, class T, class Tile>
constexpr int stages_of_ring() {
  constexpr int stages = detail::stages(rung_of(kernel), Tile::shape, type_of<T>(),
                                        Backend<Kokkos::DefaultExecutionSpace>::asynchronous_copies);
  constexpr bool has_epilogue = requires {
    typename Tile::Epilogue;
  };
  return has_epilogue && !rung_of(kernel).is_warp_mma() ? std::min(stages, 2) : stages;
}

/// The ring of panels that a GPU kernel keeps in scratch memory. A Kokkos installation has GPUs of one
/// vendor, so the default execution space identifies the GPU.
template <Kernel kernel, class T, class Tile, detail::Major a = detail::Major::x,
          detail::Major b = detail::Major::x>
using PanelRingOf = detail::PanelRing<T, Tile, stages_of_ring<kernel, T, Tile>(),
                                      detail::has_fragments(rung_of(kernel), type_of<T>()), a, b>;

/// Returns the square tile whose width is known at run time only.
template <class Exec>
auto run_time_tile(TileShape s) {
  return std::conditional_t<Backend<Exec>::one_thread_teams, RunTimeTileOfOneThread, RunTimeTile>{s.bm};
}

/// Returns the number of tiles of C in one product. @throws Error  if a league cannot have as many teams
template <class T, class Tile>
Index tiles_of_league(const MatrixRef<T>& C, const Tile& tile) {
  const Index tiles_m = (C.rows + tile.bm() - 1) / tile.bm();
  const Index tiles_n = (C.cols + tile.bn() - 1) / tile.bn();
  if (tiles_m > max_teams / tiles_n) {
    throw Error(detail::text("too many tiles of C for one launch (", tiles_m, " x ", tiles_n,
                             "): take a larger tile or split C"));
  }
  return tiles_m * tiles_n;
}

/// Calls `f.operator()<Functor>()` with the rung's functor.
/// @param vectors  whether threads can copy both operands in whole vectors of 16 bytes
template <Kernel kernel, class T, class Tile, class F>
void with_functor([[maybe_unused]] bool vectors, const F& f) {
  using Of = KernelOf<kernel>;
  if constexpr (detail::has_vector_kernel(rung_of(kernel), type_of<T>()) &&
                Backend<Kokkos::DefaultExecutionSpace>::asynchronous_copies) {
    vectors ? f.template operator()<typename Of::template Functor<T, Tile, true>>()
            : f.template operator()<typename Of::template Functor<T, Tile, false>>();
  } else {
    f.template operator()<typename Of::template Functor<T, Tile>>();
  }
}

/// Returns the most products per launch, if each has `tiles` tiles.
template <class Exec, class T>
Index max_products_of_launch(const BatchArgs<T>& args, Index tiles) {
  return Backend<Exec>::batch_in_one_launch ? products_of_launch(args, max_teams / tiles) : 1;
}

/// Launches one team per tile of C of each product, with scratch memory for its tiles of A and B.
template <Kernel kernel, class Exec, class T, class Tile>
void launch(const Exec& exec, const BatchArgs<T>& args, const Tile& tile, bool vectors) {
  const Index tiles = tiles_of_league(args.first.C, tile);
  const int threads = (tile.bm() / tile.tm()) * (tile.bn() / tile.tn());
  const Index max_products = max_products_of_launch<Exec>(args, tiles);
  const std::string name = detail::text("rooftile::", rung_of(kernel).name);  // before any launch: may throw
  with_functor<kernel, T, Tile>(vectors, [&]<class Functor>() {
    const std::size_t bytes = static_cast<std::size_t>(Functor::scratch_elements(tile)) * sizeof(In<T>);
    detail::for_each_part(args, max_products, knows_both_dimensions<Tile>, [&](const BatchArgs<T>& part) {
      start_teams<Tile::max_threads, min_teams_of<T, Tile>>(exec, name, part.batch.count * tiles, threads,
                                                            bytes, Functor{products_of(part), tile});
    });
  });
}

/// Launches a rung that divides tiles into work units along K (`stream_k.hpp`).
template <Kernel kernel, class Exec, class T, class Tile>
void launch_stream(const Exec& exec, const BatchArgs<T>& batch, const Tile& tile, const GemmPlan& plan);

/// Launches a rung whose teams compute several tiles (`13_small_batched.hpp`).
template <Kernel kernel, class Exec, class T, class Tile>
void launch_small(const Exec& exec, const BatchArgs<T>& batch, const Tile& tile);

/// Launches a rung that splits K over the teams of a cluster (`backends/cuda/split_k.hpp`).
template <Kernel kernel, class T, class Tile, class Exec>
void launch_split(const Exec& exec, const BatchArgs<T>& args, const Tile& tile, const GemmPlan& plan);

/// Launches a rung whose operands TMA copies (`backends/cuda/on_instance.hpp`).
template <Kernel kernel, ComputeMode math, class Exec>
void launch_warpgroups(const Exec& exec, const BatchArgs<ProductIn<math>>& args, const GemmPlan& plan);

template <Kernel kernel, ComputeMode math, class Exec>
void run(const Exec& exec, const BatchArgs<ProductIn<math>>& args, const GemmPlan& plan) {
  using T = ProductIn<math>;
  constexpr const Rung& rung = rung_of(kernel);
  static_assert(math == own_mode<T>() || !rung.supports(own_mode<T>(), Path::portable) ||
                    !contains(Backend<Exec>::warp_mma, own_mode<T>()),
                "a second mode of a type needs its own run in its rung's file");
  if constexpr (rung.tma) {
    launch_warpgroups<kernel, math>(exec, args, plan);
  } else if constexpr (rung.tiles_taken == Tiles::any_square) {
    launch<kernel>(exec, args, run_time_tile<Exec>(plan.tile), plan.vectors);
  } else {
    const auto launch_if = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
      constexpr TileShape shape = rung.tiles[i];
      if constexpr (detail::is_built(rung, Path::portable, shape, type_of<T>())) {
        if (shape != plan.tile) return;
        if constexpr (rung.block_threads > 0) {
          launch_small<kernel>(exec, args, TileOn<Exec, kernel, T, shape>{});
        } else if constexpr (rung.split_k == rooftile::SplitK::stream_k) {
          launch_stream<kernel>(exec, args, TileOn<Exec, kernel, T, shape>{}, plan);
        } else if constexpr (rung.split_k == rooftile::SplitK::cluster) {
          launch_split<kernel, T>(exec, args, TileOn<Exec, kernel, T, shape>{}, plan);
        } else {
          launch<kernel>(exec, args, TileOn<Exec, kernel, T, shape>{}, plan.vectors);
        }
      }
    };
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      (launch_if(std::integral_constant<std::size_t, i>{}), ...);
    }
    (std::make_index_sequence<rung.tiles.size()>{});
  }
}

}  // namespace rooftile::portable
