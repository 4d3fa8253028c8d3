// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>

#include <Kokkos_Core.hpp>

#include "cpu/thread_of_launch.hpp"
#include "device/common/tile.hpp"
#include "plan/block_limits.hpp"
#include "plan/costs/cost_model.hpp"
#include "plan/device_accessible.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/matrix.hpp"
#include "rooftile/tile.hpp"

namespace rooftile::portable {

/// Tiles in scratch memory begin at multiples of this, in bytes: the widest load of the GPUs.
inline constexpr std::size_t scratch_alignment = 16;

/// What a GPU's backend starts.
struct TeamLaunch {
  Index teams;                ///< of the league
  int threads;                ///< of a team
  std::size_t scratch_bytes;  ///< that a team takes at most, alignment included
};

/// What differs between execution spaces, each of which has a specialisation in a folder of its own: all that
/// the portable ladder asks of a backend.
///
/// The folder is the space's name in small letters, and `cmake/RooftileBackends.cmake` lists the spaces. A
/// folder for GPUs also has
/// - `workspace.hpp`: `DeviceWorkspace(exec, bytes, memory)`, memory in the instance's order, or the
/// caller's, a `detail::WorkspaceParts`; and
///   `KernelArgs<Args>(exec, workspace, args)`, whose `*` is the arguments of a kernel, and whose `bytes` it
///   takes of the workspace;
/// - `fragments.hpp`: `FragmentTile<T, Tile>`, the sums of a thread; `FragmentRing<kernel, T, Tile, a, b>`,
/// the panels in
///   scratch memory; `multiply_by_fragments`, which adds A·B over a tile of C: the matrix instructions.
template <class Exec>
struct Backend;

/// The members of `Backend<Exec>`.
template <class Exec>
concept HasBackend = requires(const Exec& exec, Type type, TileShape tile, const Rung& rung, void* memory) {
  /// Whether a team is one thread, which computes a whole tile: on CPUs, whose vector units stand for the
  /// threads that a GPU has.
  { Backend<Exec>::one_thread_teams } -> std::convertible_to<bool>;
  /// Threads and scratch memory that a team can have.
  { Backend<Exec>::limits(exec) } -> std::same_as<BlockLimits>;
  /// The device's number among those of its runtime. No CPU is asked for it.
  { Backend<Exec>::device(exec) } -> std::same_as<int>;
  /// As tuning tables name the device. What it points to outlives the instance.
  { Backend<Exec>::device_name(exec) } -> std::same_as<std::string_view>;
  /// SMs or compute units; 0 on CPUs.
  { Backend<Exec>::sm_count(exec) } -> std::same_as<int>;
  /// What products take of the GPU, looked up once for each device. No CPU is asked for it.
  { Backend<Exec>::costs(exec) } -> std::convertible_to<model::Costs>;
  /// Modes in which the matrix instructions of a warp compute, and whether this device has them.
  { Backend<Exec>::warp_mma } -> std::convertible_to<std::span<const ComputeMode>>;
  { Backend<Exec>::has_warp_mma(exec) } -> std::same_as<bool>;
  /// The same of those of a warpgroup, which TMA feeds: of the backend as it is built.
  { Backend<Exec>::wgmma } -> std::convertible_to<std::span<const ComputeMode>>;
  { Backend<Exec>::has_warpgroups(exec) } -> std::same_as<bool>;
  /// Whether copies into a team's scratch memory run by themselves.
  { Backend<Exec>::asynchronous_copies } -> std::convertible_to<bool>;
  /// Gives back the memory that is kept for workspaces and not in use: of a CPU, the calling thread's.
  Backend<Exec>::release_workspace(exec);
  /// Whether the GPU reaches what lies at an address, as far as its runtime tells, also while the instance's
  /// stream is captured. No CPU is asked for it.
  { Backend<Exec>::device_accessible(exec, memory) } -> std::same_as<detail::Access>;
  /// Blocks for the rung that packs: MC,NC,KC and MR,NR; zero on GPUs.
  { Backend<Exec>::cache_blocks(type) } -> std::same_as<TileShape>;
  /// The second launch bound; 0: none.
  { Backend<Exec>::min_teams(rung, tile, type) } -> std::same_as<int>;
  /// Whether the products of a batch share a launch.
  { Backend<Exec>::batch_in_one_launch } -> std::convertible_to<bool>;
  /// How often the loop over a tile's k is unrolled.
  { Backend<Exec>::template unroll<Tile<square_tile(16)>> } -> std::convertible_to<int>;
  /// The same pointer, known to the compiler as a multiple of `scratch_alignment`.
  { Backend<Exec>::aligned_scratch(memory) } -> std::same_as<void*>;
  // And barrier(member), of a kernel whose registers a launch bound counts; of a GPU also
  // start<max_threads, min_teams>(exec, name, TeamLaunch, functor), with all the scratch memory that
  // `limits` says a team can have.
};

/// What the backend of a CPU has besides: its threads share out a product by themselves.
template <class Exec>
concept HasThreads = requires(const Exec& exec) {
  /// Whether the calling thread computes a product without the others: there are none, as in a
  /// forked process, or it is one of a launch already, which cannot wait for another.
  { Backend<Exec>::computes_alone(exec) } -> std::same_as<bool>;
  /// Threads of an instance that share a product.
  { Backend<Exec>::threads(exec) } -> std::same_as<int>;
  /// The calling one.
  { Backend<Exec>::this_thread() } -> std::same_as<ThreadOfLaunch>;
};

}  // namespace rooftile::portable
