// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "rooftile/kernel.hpp"
#include "rooftile/tile.hpp"
#include "rooftile/types.hpp"

/// The figures by which the library predicts the time of a kernel. `rooftile calibrate` fits them to a
/// recorded sweep; docs/choosing.md explains the formulas.
namespace rooftile::model {

/// The cycles of a thread block that computes with one tile, by the row's clock.
struct TileCosts {
  Kernel kernel = Kernel::automatic;  ///< whose tile it is
  TileShape tile = {};                ///< of C
  float start = 0;                    ///< of the first block of an SM: launch, first panels, storing C
  float again = 0;                    ///< of each further round of blocks
  float step = 0;                     ///< of a step along K, alone on an SM
  float busy = 0;                     ///< of a step of each block, where blocks fill the SM

  /// Member by member.
  friend constexpr bool operator==(const TileCosts&, const TileCosts&) = default;
};

/// A figure of `Costs`. Named, since nvcc writes such a declarator in a way that its host compiler warns of.
template <class Costs>
using CostMember = float Costs::*;

/// A figure of `Costs`, as files name it.
template <class Costs>
struct CostFigure {
  std::string_view name;     ///< the member's
  CostMember<Costs> member;  ///< where it is
};
/// All of them, in the order of the members.
inline constexpr CostFigure<TileCosts> tile_figures[] = {{"start", &TileCosts::start},
                                                         {"again", &TileCosts::again},
                                                         {"step", &TileCosts::step},
                                                         {"busy", &TileCosts::busy}};

/// The figures that all kernels of a path share in one compute mode.
struct ModeCosts {
  Path path = Path::portable;            ///< whose kernels
  ComputeMode math = ComputeMode::fp32;  ///< in which they compute
  std::size_t first = 0;                 ///< index of the first `TileCosts`
  std::size_t count = 0;                 ///< of these

  float repack_start = 6000;   ///< cycles of the kernel that repacks operands
  float repack_bytes = 1500;   ///< that it reads and writes in a cycle
  float split_start = 5000;    ///< cycles of the kernel that adds the partial sums of split-K
  float split_bytes = 2000;    ///< that it reads in a cycle
  float unit_start = 6000;     ///< the same of stream-K's work units
  float unit_bytes = 2000;     ///< of their partial sums in a cycle
  float memory_start = 1500;   ///< cycles before operands arrive
  float l2_bytes = 2500;       ///< of operands that L2 holds, in a cycle
  float dram_bytes = 1500;     ///< of what L2 does not hold, in a cycle
  float crowded = 0.1F;        ///< share of `start` that each further block of an SM adds
  float ragged_c = 0.1F;       ///< cycles for an element of C whose rows are not aligned
  float ragged_c_tma = 0.1F;   ///< the same of a kernel that TMA feeds
  float read_c = 0.1F;         ///< cycles for an element of C that is read, for beta
  float read_c_tma = 0.1F;     ///< the same of a kernel that TMA feeds
  float update_c = 0.2F;       ///< cycles for an element of C whose rows are not aligned and that is read
  float update_c_tma = 0.2F;   ///< the same of a kernel that TMA feeds
  float mn_major_a = 0.003F;   ///< cycles for an element of A that TMA reads along M
  float mn_major_b = 0.003F;   ///< the same of B along N
  float whole_mn = 0.02F;      ///< cycles for an element that threads copy for MMA, of vectors along M or N
  float pairs_k = 0.02F;       ///< the same of pairs of 16 bits along K
  float pairs_mn = 0.02F;      ///< the same along M or N
  float ragged_k = 0.02F;      ///< the same of single elements along K
  float ragged_mn = 0.02F;     ///< the same along M or N
  float whole_k = 0.02F;       ///< where threads multiply: of vectors along K, which they transpose
  float unaligned_k = 0.02F;   ///< the same of single elements along K
  float unaligned_mn = 0.02F;  ///< the same along M or N

  /// Member by member.
  friend constexpr bool operator==(const ModeCosts&, const ModeCosts&) = default;
};

/// A figure of `ModeCosts`.
using ModeCost = CostMember<ModeCosts>;

/// All of them, in the order of the members.
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

/// Cycles in which an SM does 128 multiply-adds: an issue slot of each of four schedulers of 32 lanes.
struct Rates {
  double lanes = 1;                ///< by its lanes, in fp32
  double matrix_fp64 = 1;          ///< by its matrix instructions: in fp64,
  double matrix_32 = 128. / 1024;  ///< in tf32, or fp32 on AMD,
  double matrix_16 = 128. / 2048;  ///< and in 16 bits

  /// Member by member.
  friend constexpr bool operator==(const Rates&, const Rates&) = default;
};

/// The figures that were fitted on one device.
struct KernelCosts {
  std::string_view name = {};             ///< the architecture, and the device on which it was measured
  std::span<const ModeCosts> modes = {};  ///< each path and mode once
  std::span<const TileCosts> tiles = {};  ///< of all modes
  Rates rates = {};                       ///< of that device
  double clock_mhz = 1980;                ///< of the cycles
  double bandwidth_gbs = 3350;            ///< of that device's memory

  /// The mode's figures on a path; of mixed types without any, those of their elements' own mode, or of int8,
  /// whose panels the tensor cores multiply as fast, those of bf16; null: there are none either.
  constexpr const ModeCosts* in(Path path, ComputeMode math) const {
    const ModeCosts* like = nullptr;
    const ComputeMode own = type_of(math) == Type::int8 ? ComputeMode::bf16 : own_mode(type_of(math));
    for (const ModeCosts& mode : modes) {
      if (mode.path == path && mode.math == math) return &mode;
      if (mode.path == path && is_mixed(math) && mode.math == own) like = &mode;
    }
    return like;
  }
  /// Its tiles.
  constexpr std::span<const TileCosts> of(const ModeCosts& mode) const {
    return tiles.subspan(mode.first, mode.count);
  }
};

}  // namespace rooftile::model
