// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <Kokkos_Core.hpp>

#include "backends/backend.hpp"
#include "rooftile/matrix.hpp"

/// Runs the tiled rungs on CPUs: each tile of C is a team of one thread.
namespace rooftile::portable {

/// Scratch memory of a tile in bytes, on the stack of its thread: the size of a level-1 cache.
inline constexpr std::size_t tile_scratch_bytes = 32 * 1024;

/// The thread that computes a tile, with the members of a Kokkos team member that the rungs use.
template <class Exec>
class LoneMember {
 public:
  using execution_space = Exec;

  LoneMember(Index rank, Index teams) : rank_(static_cast<int>(rank)), teams_(static_cast<int>(teams)) {}

  int league_rank() const { return rank_; }
  int league_size() const { return teams_; }
  static constexpr int team_rank() { return 0; }
  static constexpr int team_size() { return 1; }
  static constexpr void team_barrier() {}

  const LoneMember& team_scratch(int) const { return *this; }
  /// Returns the next bytes of the scratch memory. @pre all parts fit, each rounded up to the alignment
  void* get_shmem_aligned(std::size_t bytes, std::size_t alignment) const {
    std::byte* const part = scratch_ + used_;
    used_ += (bytes + alignment - 1) / alignment * alignment;
    return part;
  }

 private:
  int rank_, teams_;
  mutable std::size_t used_ = 0;
  alignas(64) mutable std::byte scratch_[tile_scratch_bytes];
};

/// Computes all tiles: on the calling thread if it computes alone, otherwise on the threads of the space.
template <class Exec, class Functor>
void start_tiles(const Exec& exec, const std::string& name, Index tiles, const Functor& functor) {
  const auto compute = [functor, tiles](Index tile) { functor(LoneMember<Exec>(tile, tiles)); };
  if (Backend<Exec>::computes_alone(exec)) {
    for (Index tile = 0; tile < tiles; ++tile) compute(tile);
  } else {
    Kokkos::parallel_for(name, Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, tiles), compute);
  }
}

}  // namespace rooftile::portable
