// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "rooftile/model/device.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/types.hpp"

namespace rooftile {

/// The units that multiply in a team.
enum class TeamKernel {
  host,         ///< the library's kernels for CPUs
  thread_tile,  ///< each thread keeps a tile of C in registers
  warp_mma,     ///< each warp keeps one, matrix instructions of NVIDIA's tensor cores
  wave_mfma,    ///< each wave keeps one, matrix instructions of AMD's matrix cores
};

/// The name of a kernel in a team.
constexpr std::string_view to_string(TeamKernel kernel) {
  constexpr std::string_view names[] = {"host", "thread_tile", "warp_mma", "wave_mfma"};
  return names[static_cast<std::size_t>(kernel)];
}

/// The properties of a device that decide how a product in a team is computed.
struct TeamTarget {
  model::Vendor vendor = model::Vendor::cpu;  ///< of the device
  bool matrix_instructions = false;           ///< NVIDIA from compute capability 8.0 on; gfx90a and gfx942
};

/// That of a device of the device table.
constexpr TeamTarget team_target(const model::Device& device) {
  const std::string_view arch = device.architecture;
  const bool nvidia = arch.size() >= 3 && (arch[1] != '.' || arch[0] >= '8');
  return {device.vendor,
          device.vendor == model::Vendor::nvidia ? nvidia : arch == "gfx90a" || arch == "gfx942"};
}

/// How `team_gemm` computes a product.
struct TeamPlan {
  TeamKernel kernel = TeamKernel::host;  ///< the units that multiply
  int tile_rows = 0;                     ///< of C, kept in registers; 0: a CPU
  int tile_cols = 0;                     ///< of C
  int team_size = 1;                     ///< threads, with a vector length of 1
  std::size_t scratch_bytes = 0;         ///< for copies of A and B; 0: operands are multiplied where they lie
};

/// The most bytes of scratch memory that a plan asks for: Kokkos 4.6 gives a team 40,936 on CUDA.
inline constexpr std::size_t max_team_scratch = 39 << 10;

namespace detail {

/// The sides of the largest tile of a thread with sums of so many bytes: as many as registers hold.
constexpr int thread_tile_side(std::size_t sum_size) {
  return static_cast<int>(32 / sum_size);
}
/// Those of a warp's or wave's tile.
constexpr int matrix_tile_side(ComputeMode math) {
  return math == ComputeMode::cfp64 ? 16 : 32;
}

/// Elements from a row of a copy to the next: whole vectors, and such that four rows lie in different banks.
/// @param size  of an element
ROOFTILE_FUNCTION constexpr Index staged_pitch(Index length, std::size_t size) {
  const Index half = size == 2 ? 8 : 4;
  return (length + 2 * half - 1) / (2 * half) * (2 * half) + half;
}
/// Elements of a copy of (rows,cols), whichever of them is contiguous.
ROOFTILE_FUNCTION constexpr Index staged_elements(Index rows, Index cols, std::size_t size) {
  const Index by_rows = rows * staged_pitch(cols, size), by_cols = cols * staged_pitch(rows, size);
  return by_rows > by_cols ? by_rows : by_cols;
}

constexpr int warps_for(const GemmShape& shape, int side) {
  const Index tiles = ((shape.m + side - 1) / side) * ((shape.n + side - 1) / side);
  return static_cast<int>(std::clamp<Index>(tiles, 1, 8));
}

}  // namespace detail

/// How a team multiplies matrices that lie in global memory, and what that needs. Nothing is run.
/// @param math  the mode of the operands' types, or tf32
constexpr TeamPlan plan_team(const GemmShape& shape, ComputeMode math, const TeamTarget& target) {
  const Mode& mode = mode_of(math);
  if (target.vendor == model::Vendor::cpu) return {};
  const bool nvidia = target.vendor == model::Vendor::nvidia;
  const bool has_instruction = nvidia ? mode.operand != Operand::fp32 : !is_complex(mode.element);
  const bool is_small = shape.m <= 16 && shape.n <= 16;
  if (target.matrix_instructions && has_instruction) {
    const int side = is_small ? 16 : detail::matrix_tile_side(math);
    return {nvidia ? TeamKernel::warp_mma : TeamKernel::wave_mfma, side, side,
            (nvidia ? 32 : 64) * detail::warps_for(shape, 32), 0};
  }
  const int warp = nvidia ? 32 : 64, side = detail::thread_tile_side(size_of(mode.accumulator));
  const Index tiles = ((shape.m + side - 1) / side) * ((shape.n + side - 1) / side);
  const std::size_t size = size_of(mode.element);
  const std::size_t copies = static_cast<std::size_t>(detail::staged_elements(shape.m, shape.k, size) +
                                                      detail::staged_elements(shape.k, shape.n, size)) *
                             size;
  // A large tile pays where every thread of some warps has one; the copies let all of them read vectors.
  const bool is_large = tiles >= 48 && copies <= max_team_scratch;
  if (is_large) {
    const Index threads = std::min<Index>((tiles + warp - 1) / warp * warp, 256);
    return {TeamKernel::thread_tile, side, side, static_cast<int>(threads), copies};
  }
  const int half = std::max(side / 2, 1), threads = tiles >= 48 ? 256 : warp;
  return {TeamKernel::thread_tile, half, half, threads, 0};
}

/// Bytes of level-0 scratch memory with which `team_gemm` is fastest for operands in global memory: 0 where
/// it is fastest without. Pass them as `TeamGemmOptions::scratch`; CPUs do not use them.
/// @param type  of A and B
constexpr std::size_t team_gemm_scratch(const GemmShape& shape, Type type) {
  return plan_team(shape, own_mode(type), {model::Vendor::nvidia, true}).scratch_bytes;
}

}  // namespace rooftile
