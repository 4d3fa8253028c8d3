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

/// The way in which a team multiplies.
enum class TeamKernel {
  host,         ///< the library's CPU kernels
  thread_tile,  ///< each thread keeps a tile of C in registers
  warp_mma,     ///< each warp keeps a tile of C; NVIDIA tensor cores multiply
  wave_mfma,    ///< each wave keeps a tile of C; AMD matrix cores multiply
};

/// Returns the name of a team kernel.
constexpr std::string_view to_string(TeamKernel kernel) {
  constexpr std::string_view names[] = {"host", "thread_tile", "warp_mma", "wave_mfma"};
  return names[static_cast<std::size_t>(kernel)];
}

/// The properties of a device that decide how a team multiplies.
struct TeamTarget {
  model::Vendor vendor = model::Vendor::cpu;  ///< vendor of the device
  bool matrix_instructions = false;           ///< NVIDIA from compute capability 8.0 on; gfx90a and gfx942
};

/// Returns the target of a device in the device table.
constexpr TeamTarget team_target(const model::Device& device) {
  const std::string_view arch = device.architecture;
  const bool nvidia = arch.size() >= 3 && (arch[1] != '.' || arch[0] >= '8');
  return {device.vendor,
          device.vendor == model::Vendor::nvidia ? nvidia : arch == "gfx90a" || arch == "gfx942"};
}

/// How `team_gemm` computes a product.
struct TeamPlan {
  TeamKernel kernel = TeamKernel::host;  ///< the team kernel
  int tile_rows = 0;                     ///< rows of a tile of C in registers; 0: a CPU
  int tile_cols = 0;                     ///< columns of a tile of C
  int team_size = 1;                     ///< threads of a team with vector length 1
  std::size_t scratch_bytes = 0;         ///< bytes for copies of A and B; 0: operands are read in place
};

/// The largest number of scratch bytes of a plan. Kokkos 4.6 gives a team 40,936 bytes on CUDA.
inline constexpr std::size_t max_team_scratch = 39 << 10;

namespace detail {

/// Side of a thread's largest tile for an accumulator of `sum_size` bytes, which registers hold.
constexpr int thread_tile_side(std::size_t sum_size) {
  return static_cast<int>(32 / sum_size);
}
/// Side of the tile of a warp or wave.
constexpr int matrix_tile_side(ComputeMode math) {
  return math == ComputeMode::cfp64 ? 16 : 32;
}

/// Elements from a row of a copy to the next: whole vectors, with four rows in different banks.
/// @param size  bytes of an element
ROOFTILE_FUNCTION constexpr Index staged_pitch(Index length, std::size_t size) {
  const Index half = size == 2 ? 8 : 4;
  return (length + 2 * half - 1) / (2 * half) * (2 * half) + half;
}
/// Elements of a copy of (rows,cols), for both major orders.
ROOFTILE_FUNCTION constexpr Index staged_elements(Index rows, Index cols, std::size_t size) {
  const Index by_rows = rows * staged_pitch(cols, size), by_cols = cols * staged_pitch(rows, size);
  return by_rows > by_cols ? by_rows : by_cols;
}

constexpr int warps_for(const GemmShape& shape, int side) {
  const Index tiles = ((shape.m + side - 1) / side) * ((shape.n + side - 1) / side);
  return static_cast<int>(std::clamp<Index>(tiles, 1, 8));
}

}  // namespace detail

/// Returns how a team multiplies matrices in global memory, and the resources it needs. Runs nothing.
/// @param math  the own mode of the operands, or tf32
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

/// Returns the bytes of level-0 scratch memory with which `team_gemm` is fastest for operands in global
/// memory; 0: none. Pass the memory as `TeamGemmOptions::scratch`. CPUs do not use it.
/// @param type  element type of A and B
constexpr std::size_t team_gemm_scratch(const GemmShape& shape, Type type) {
  return plan_team(shape, own_mode(type), {model::Vendor::nvidia, true}).scratch_bytes;
}

}  // namespace rooftile
