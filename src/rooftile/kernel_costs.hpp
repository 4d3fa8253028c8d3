// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "rooftile/kernel.hpp"
#include "rooftile/tile.hpp"
#include "rooftile/types.hpp"

/// The figures that predict the time of a kernel. `rooftile calibrate` fits them to a recorded sweep.
/// docs/choosing.md explains the formulas.
namespace rooftile::model {

/// The cycles of a thread block with one tile.
struct TileCosts {
  Kernel kernel = Kernel::automatic;  ///< kernel of the tile
  TileShape tile = {};                ///< the tile
  float start = 0;                    ///< of the first block on an SM: launch, first panels, storing C
  float again = 0;                    ///< of each further round of blocks
  float step = 0;                     ///< of a step along K of a single block on an SM
  float busy = 0;                     ///< of a step of each block if blocks fill the SM

  /// Compares all members.
  friend constexpr bool operator==(const TileCosts&, const TileCosts&) = default;
};

/// A member of `Costs`. The alias avoids a warning of nvcc's host compiler.
template <class Costs>
using CostMember = float Costs::*;

/// A member of `Costs` with its name in files.
template <class Costs>
struct CostFigure {
  std::string_view name;     ///< name of the member
  CostMember<Costs> member;  ///< the member
};
/// The members of `TileCosts`, in their order.
inline constexpr CostFigure<TileCosts> tile_figures[] = {{"start", &TileCosts::start},
                                                         {"again", &TileCosts::again},
                                                         {"step", &TileCosts::step},
                                                         {"busy", &TileCosts::busy}};

/// The figures that the kernels of a path share in one compute mode.
struct ModeCosts {
  Path path = Path::portable;            ///< path of the kernels
  ComputeMode math = ComputeMode::fp32;  ///< mode of the kernels
  std::size_t first = 0;                 ///< index of the first `TileCosts`
  std::size_t count = 0;                 ///< number of `TileCosts`

  float repack_start = 6000;   ///< cycles of the kernel that repacks operands
  float repack_bytes = 1500;   ///< bytes per cycle that it reads and writes
  float split_start = 5000;    ///< cycles of the kernel that adds partial sums of split-K
  float split_bytes = 2000;    ///< bytes per cycle that it reads
  float unit_start = 6000;     ///< cycles of the kernel that adds partial sums of stream-K
  float unit_bytes = 2000;     ///< bytes per cycle of its partial sums
  float memory_start = 1500;   ///< cycles before operands arrive
  float l2_bytes = 2500;       ///< bytes per cycle of operands that L2 holds
  float dram_bytes = 1500;     ///< bytes per cycle of operands that L2 does not hold
  float crowded = 0.1F;        ///< share of `start` for each further block on an SM
  float ragged_c = 0.1F;       ///< cycles per element of C whose rows are not aligned
  float ragged_c_tma = 0.1F;   ///< `ragged_c` for kernels with TMA
  float read_c = 0.1F;         ///< cycles per element of C that is read, for beta
  float read_c_tma = 0.1F;     ///< `read_c` for kernels with TMA
  float update_c = 0.2F;       ///< cycles per element of C that is read and has unaligned rows
  float update_c_tma = 0.2F;   ///< `update_c` for kernels with TMA
  float mn_major_a = 0.003F;   ///< cycles per element of A that TMA reads along M
  float mn_major_b = 0.003F;   ///< cycles per element of B that TMA reads along N
  float whole_mn = 0.02F;      ///< cycles per element copied for MMA in vectors along M or N
  float pairs_k = 0.02F;       ///< cycles per element copied for MMA in 16-bit pairs along K
  float pairs_mn = 0.02F;      ///< cycles per element copied for MMA in 16-bit pairs along M or N
  float ragged_k = 0.02F;      ///< cycles per element copied for MMA one by one along K
  float ragged_mn = 0.02F;     ///< cycles per element copied for MMA one by one along M or N
  float whole_k = 0.02F;       ///< for FMA kernels: per element in vectors along K, transposed
  float unaligned_k = 0.02F;   ///< for FMA kernels: per element one by one along K
  float unaligned_mn = 0.02F;  ///< for FMA kernels: per element one by one along M or N

  /// Compares all members.
  friend constexpr bool operator==(const ModeCosts&, const ModeCosts&) = default;
};

/// A member of `ModeCosts`.
using ModeCost = CostMember<ModeCosts>;

/// The members of `ModeCosts`, in their order.
inline constexpr CostFigure<ModeCosts> mode_figures[] = {{"repack_start", &ModeCosts::repack_start},
                                                         {"repack_bytes", &ModeCosts::repack_bytes},
                                                         {"split_start", &ModeCosts::split_start},
                                                         {"split_bytes", &ModeCosts::split_bytes},
                                                         {"unit_start", &ModeCosts::unit_start},
                                                         {"unit_bytes", &ModeCosts::unit_bytes},
                                                         {"memory_start", &ModeCosts::memory_start},
                                                         {"l2_bytes", &ModeCosts::l2_bytes},
                                                         {"dram_bytes", &ModeCosts::dram_bytes},
                                                         {"crowded", &ModeCosts::crowded},
                                                         {"ragged_c", &ModeCosts::ragged_c},
                                                         {"ragged_c_tma", &ModeCosts::ragged_c_tma},
                                                         {"read_c", &ModeCosts::read_c},
                                                         {"read_c_tma", &ModeCosts::read_c_tma},
                                                         {"update_c", &ModeCosts::update_c},
                                                         {"update_c_tma", &ModeCosts::update_c_tma},
                                                         {"mn_major_a", &ModeCosts::mn_major_a},
                                                         {"mn_major_b", &ModeCosts::mn_major_b},
                                                         {"whole_mn", &ModeCosts::whole_mn},
                                                         {"pairs_k", &ModeCosts::pairs_k},
                                                         {"pairs_mn", &ModeCosts::pairs_mn},
                                                         {"ragged_k", &ModeCosts::ragged_k},
                                                         {"ragged_mn", &ModeCosts::ragged_mn},
                                                         {"whole_k", &ModeCosts::whole_k},
                                                         {"unaligned_k", &ModeCosts::unaligned_k},
                                                         {"unaligned_mn", &ModeCosts::unaligned_mn}};

/// Cycles of an SM for 128 multiply-adds. Four schedulers issue for 32 lanes each.
struct Rates {
  double lanes = 1;                ///< fp32, by the lanes
  double matrix_fp64 = 1;          ///< fp64, by matrix instructions
  double matrix_32 = 128. / 1024;  ///< tf32, or fp32 on AMD, by matrix instructions
  double matrix_16 = 128. / 2048;  ///< 16 bits, by matrix instructions

  /// Compares all members.
  friend constexpr bool operator==(const Rates&, const Rates&) = default;
};

/// The figures that were fitted on one device.
struct KernelCosts {
  std::string_view name = {};             ///< architecture and device
  std::span<const ModeCosts> modes = {};  ///< one entry for each path and mode
  std::span<const TileCosts> tiles = {};  ///< of all modes
  Rates rates = {};                       ///< multiply rates of the device
  double clock_mhz = 1980;                ///< clock of the cycles, in MHz
  double bandwidth_gbs = 3350;            ///< memory bandwidth of the device, in GB/s

  /// Returns the figures of a mode on a path. Mixed types without figures use those of their elements' own
  /// mode, and 8-bit types those of bf16. Null: there are no figures.
  constexpr const ModeCosts* in(Path path, ComputeMode math) const {
    const ModeCosts* like = nullptr;
    const ComputeMode own = size_of(type_of(math)) == 1 ? ComputeMode::bf16 : own_mode(type_of(math));
    for (const ModeCosts& mode : modes) {
      if (mode.path == path && mode.math == math) return &mode;
      if (mode.path == path && is_mixed(math) && mode.math == own) like = &mode;
    }
    return like;
  }
  /// Returns the tiles of a mode.
  constexpr std::span<const TileCosts> of(const ModeCosts& mode) const {
    return tiles.subspan(mode.first, mode.count);
  }
};

}  // namespace rooftile::model
