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

/// Tiles in scratch memory begin at multiples of this number of bytes, the widest load of the GPUs.
inline constexpr std::size_t scratch_alignment = 16;

/// The parameters of a launch of teams by a GPU backend.
struct TeamLaunch {
  Index teams;                ///< teams of the league
  int threads;                ///< threads of a team
  std::size_t scratch_bytes;  ///< per team at most, alignment included
};

/// The interface between the portable ladder and an execution space. Each space has a specialisation in its
/// own folder.
///
/// The folder is the space's name in lower case, and `cmake/RooftileBackends.cmake` lists the spaces. The
/// folder of a GPU space also has
/// - `workspace.hpp`: `DeviceWorkspace(exec, bytes, memory)`, a `detail::WorkspaceParts`: memory in stream
///   order of the instance, or the caller's memory. `KernelArgs<Args>(exec, workspace, args)`: its `*`
///   returns the arguments of a kernel, and it takes `bytes` of the workspace;
/// - `fragments.hpp`: the matrix instructions. `FragmentTile<T, Tile>`: the sums of a thread.
///   `FragmentRing<kernel, T, Tile, a, b>`: the panels in scratch memory. `multiply_by_fragments`: adds A·B
///   over a tile of C.
template <class Exec>
struct Backend;

/// The members of `Backend<Exec>`.
template <class Exec>
concept HasBackend = requires(const Exec& exec, Type type, TileShape tile, const Rung& rung, void* memory) {
  /// Whether a team is one thread that computes a whole tile, as on CPUs. Their vector units replace the
  /// threads of a GPU's team.
  { Backend<Exec>::one_thread_teams } -> std::convertible_to<bool>;
  /// The threads and the scratch memory that a team can have.
  { Backend<Exec>::limits(exec) } -> std::same_as<BlockLimits>;
  /// The device's index in its runtime. Not called for CPUs.
  { Backend<Exec>::device(exec) } -> std::same_as<int>;
  /// The device's name in tuning tables. The characters outlive the instance.
  { Backend<Exec>::device_name(exec) } -> std::same_as<std::string_view>;
  /// The number of SMs or compute units; 0 on CPUs.
  { Backend<Exec>::sm_count(exec) } -> std::same_as<int>;
  /// The costs of products on the GPU, looked up once per device. `unknown_costs` on CPUs.
  { Backend<Exec>::costs(exec) } -> std::convertible_to<model::Costs>;
  /// The compute modes of warp-level MMA, and whether this device has the instructions.
  { Backend<Exec>::warp_mma } -> std::convertible_to<std::span<const ComputeMode>>;
  { Backend<Exec>::has_warp_mma(exec) } -> std::same_as<bool>;
  /// The compute modes of wgmma with TMA in this build, and whether this device has the instructions.
  { Backend<Exec>::wgmma } -> std::convertible_to<std::span<const ComputeMode>>;
  { Backend<Exec>::has_warpgroups(exec) } -> std::same_as<bool>;
  /// Whether copies into a team's scratch memory are asynchronous.
  { Backend<Exec>::asynchronous_copies } -> std::convertible_to<bool>;
  /// Frees workspace memory that is kept but not in use. On CPUs, this is the calling thread's memory.
  Backend<Exec>::release_workspace(exec);
  /// Whether the GPU can access an address, as far as its runtime reports. Also works while the instance's
  /// stream is captured. Not called for CPUs.
  { Backend<Exec>::device_accessible(exec, memory) } -> std::same_as<detail::Access>;
  /// Block sizes of the rung that packs: MC,NC,KC and MR,NR; zero on GPUs.
  { Backend<Exec>::cache_blocks(type) } -> std::same_as<TileShape>;
  /// The second launch bound; 0: none.
  { Backend<Exec>::min_teams(rung, tile, type) } -> std::same_as<int>;
  /// Whether one launch can compute several products of a batch.
  { Backend<Exec>::batch_in_one_launch } -> std::convertible_to<bool>;
  /// The unroll factor of the loop over a tile's k.
  { Backend<Exec>::template unroll<Tile<square_tile(16)>> } -> std::convertible_to<int>;
  /// Returns `memory`, known to the compiler as a multiple of `scratch_alignment`.
  { Backend<Exec>::aligned_scratch(memory) } -> std::same_as<void*>;
  // Also required: barrier(member), for kernels with a launch bound on registers. GPUs also need
  // start<max_threads, min_teams>(exec, name, TeamLaunch, functor), with all the scratch memory that `limits`
  // reports for a team.
};

/// Additional members of CPU backends, whose threads divide a product among themselves.
template <class Exec>
concept HasThreads = requires(const Exec& exec) {
  /// Whether the calling thread computes a product alone. A forked process has no other threads, and a thread
  /// inside a launch cannot wait for another launch.
  { Backend<Exec>::computes_alone(exec) } -> std::same_as<bool>;
  /// The number of an instance's threads that share a product.
  { Backend<Exec>::threads(exec) } -> std::same_as<int>;
  /// The calling thread.
  { Backend<Exec>::this_thread() } -> std::same_as<ThreadOfLaunch>;
};

}  // namespace rooftile::portable
