// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "rooftile/modes.hpp"
#include "rooftile/tile.hpp"
#include "rooftile/types.hpp"

namespace rooftile {

/// A compute mode of a tile, and its panels of each operand in shared memory at a time.
struct ModeStages {
  ComputeMode math = ComputeMode::automatic;  ///< `automatic`: no entry
  int stages = 0;                             ///< at least the rung's `min_stages`
};

/// A tile of a rung, and the modes that it is compiled for.
struct KernelTile {
  TileShape shape;           ///< tile of C, step along K and part of a thread
  ModeStages modes[6] = {};  ///< no entries: all modes of the rung, for kernels without panels

  /// Makes a tile with its modes. Rungs without panels list plain tiles.
  constexpr KernelTile(TileShape tile, std::initializer_list<ModeStages> compiled = {}) : shape(tile) {
    int i = 0;
    for (const ModeStages& mode : compiled) modes[i++] = mode;
  }
  /// Converts to the shape.
  constexpr operator TileShape() const { return shape; }

  /// Returns the stages for elements of a type; 0: the tile is not compiled for them.
  constexpr int stages(Type type) const {
    for (const ModeStages& mode : modes) {
      if (mode.math != ComputeMode::automatic && type_of(mode.math) == type) return mode.stages;
    }
    return 0;
  }
};

/// The tiles of a shared launch of a group. Each product takes the better one.
struct GroupTiles {
  Type type;             ///< type of the elements
  TileShape large;       ///< for most products
  TileShape small = {};  ///< with as many threads, for the other products; zero: none
  int stages = 0;        ///< of `large`, if the rung does not list it for single products

  /// Returns tile 0 (`large`) or 1 (`small`).
  constexpr TileShape operator[](int i) const { return i == 0 ? large : small; }
};

// The tiles that rungs of the ladder take.
namespace ladder_tiles {
inline constexpr KernelTile ctas[] = {cta(16, 16), cta(32, 32), cta(32, 8), cta(8, 32), cta(4, 64)};
inline constexpr KernelTile squares[] = {square_tile(8), square_tile(16), square_tile(32)};

// Rungs with panels list {{bm, bn, bk, tm, tn}, {{mode, stages}, …}}. A thread's part of C leaves half of its
// registers free. The stages fill a block's part of the 164 KiB of shared memory that an SM of compute
// capability 8.0 has. A step along K has 64 bytes; complex numbers have 8 steps without matrix instructions.
// clang-format off
inline constexpr KernelTile register_blocked[] = {
    {{128, 128, 8, 8, 8}, {{ComputeMode::fp32, 1}, {ComputeMode::fp64, 1}, {ComputeMode::cfp32, 1}}},
    {{64, 64, 8, 8, 8},   {{ComputeMode::fp32, 1}, {ComputeMode::fp64, 1}, {ComputeMode::cfp32, 1}}},
    {{64, 64, 8, 8, 4},   {{ComputeMode::cfp64, 1}}},
};
inline constexpr KernelTile pipelined[] = {
    {{128, 256, 8, 8, 16}, {{ComputeMode::fp32, 4}}},
    {{128, 128, 16, 8, 8}, {{ComputeMode::fp32, 4}, {ComputeMode::fp64, 4}}},
    {{64, 128, 16, 8, 8},  {{ComputeMode::fp32, 4}, {ComputeMode::fp64, 3}}},
    {{64, 64, 16, 8, 8},   {{ComputeMode::fp32, 3}, {ComputeMode::fp64, 2}}},
    {{32, 64, 16, 4, 4},   {{ComputeMode::fp32, 4}, {ComputeMode::fp64, 4}}},
    {{128, 128, 8, 8, 8},  {{ComputeMode::cfp32, 4}}},
    {{64, 128, 8, 8, 4},   {{ComputeMode::cfp64, 4}}},
    {{64, 64, 8, 8, 4},    {{ComputeMode::cfp32, 4}, {ComputeMode::cfp64, 4}}},
    {{32, 64, 8, 4, 4},    {{ComputeMode::cfp32, 4}, {ComputeMode::cfp64, 4}}},
};
inline constexpr KernelTile tensor_core[] = {
    {{128, 256, 32, 16, 8}, {{ComputeMode::fp16, 4}, {ComputeMode::bf16, 4}}},
    {{128, 128, 32, 16, 8}, {{ComputeMode::fp16, 4}, {ComputeMode::bf16, 4}}},
    {{128, 128, 16, 16, 8}, {{ComputeMode::tf32, 4}}},
    {{128, 128, 16, 8, 8},  {{ComputeMode::cfp32_tf32, 4}}},
    {{128, 128, 64, 16, 8}, {{ComputeMode::int8_int32, 3}}},
    {{64, 128, 32, 8, 8},   {{ComputeMode::fp16, 3}, {ComputeMode::bf16, 3}}},
    {{64, 128, 16, 8, 8},   {{ComputeMode::tf32, 3}}},
    {{64, 128, 16, 8, 4},   {{ComputeMode::fp64, 4}}},
    {{64, 64, 64, 8, 4},    {{ComputeMode::int8_int32, 4}}},
    {{64, 64, 32, 8, 4},    {{ComputeMode::fp16, 4}, {ComputeMode::bf16, 4}}},
    {{64, 64, 16, 8, 4},    {{ComputeMode::tf32, 4}, {ComputeMode::cfp32_tf32, 2}}},
    {{64, 64, 16, 4, 4},    {{ComputeMode::fp64, 4}, {ComputeMode::cfp64, 4}}},
    {{32, 64, 64, 4, 4},    {{ComputeMode::int8_int32, 4}}},
    {{32, 64, 32, 4, 4},    {{ComputeMode::fp16, 4}, {ComputeMode::bf16, 4}}},
    {{32, 64, 16, 4, 4},    {{ComputeMode::fp64, 3}, {ComputeMode::tf32, 4}, {ComputeMode::cfp64, 3}, {ComputeMode::cfp32_tf32, 2}}},
    {{32, 32, 16, 4, 2},    {{ComputeMode::fp64, 4}, {ComputeMode::cfp64, 4}}},
    {{32, 16, 16, 4, 1},    {{ComputeMode::cfp64, 4}}},
};
inline constexpr KernelTile stream_k[] = {
    {{64, 128, 16, 8, 8}, {{ComputeMode::fp32, 3}, {ComputeMode::fp64, 3}}},
    {{64, 64, 16, 8, 4},  {{ComputeMode::fp32, 3}, {ComputeMode::fp64, 3}}},
    {{32, 64, 16, 4, 4},  {{ComputeMode::fp32, 3}, {ComputeMode::fp64, 3}}},
    {{64, 64, 8, 8, 4},   {{ComputeMode::cfp32, 3}, {ComputeMode::cfp64, 3}}},
    {{32, 64, 8, 4, 4},   {{ComputeMode::cfp32, 3}, {ComputeMode::cfp64, 3}}},
};
/// For cfp64, blocks of 128 threads lack registers for stream-K's state between parts.
inline constexpr KernelTile stream_k_tensor_core[] = {
    {{128, 128, 16, 16, 8}, {{ComputeMode::tf32, 4}}},
    {{128, 128, 16, 8, 8},  {{ComputeMode::cfp32_tf32, 4}}},
    {{64, 128, 16, 8, 4},   {{ComputeMode::fp64, 4}}},
    {{64, 64, 16, 8, 4},    {{ComputeMode::tf32, 4}, {ComputeMode::cfp32_tf32, 2}}},
    {{64, 64, 16, 4, 4},    {{ComputeMode::fp64, 4}, {ComputeMode::cfp64, 4}}},
    {{32, 64, 64, 4, 4},    {{ComputeMode::int8_int32, 4}}},
    {{32, 64, 32, 4, 4},    {{ComputeMode::fp16, 4}, {ComputeMode::bf16, 4}}},
    {{32, 64, 16, 4, 4},    {{ComputeMode::fp64, 3}, {ComputeMode::tf32, 4}, {ComputeMode::cfp32_tf32, 2}}},
};
inline constexpr KernelTile split_k[] = {
    {{64, 128, 16, 8, 8}, {{ComputeMode::fp32, 4}}},
    {{64, 64, 16, 8, 4},  {{ComputeMode::fp32, 4}}},
    {{32, 64, 16, 4, 4},  {{ComputeMode::fp32, 4}}},
    {{64, 64, 8, 8, 4},   {{ComputeMode::cfp32, 4}}},
    {{32, 64, 8, 4, 4},   {{ComputeMode::cfp32, 4}}},
};
inline constexpr KernelTile split_k_tensor_core[] = {
    {{64, 128, 16, 8, 4}, {{ComputeMode::fp64, 4}}},
    {{64, 64, 16, 4, 4},  {{ComputeMode::fp64, 4}, {ComputeMode::cfp64, 4}}},
    {{32, 64, 16, 4, 4},  {{ComputeMode::fp64, 3}, {ComputeMode::cfp64, 3}}},
    {{32, 32, 16, 4, 2},  {{ComputeMode::fp64, 4}, {ComputeMode::cfp64, 4}}},
};
// clang-format on

/// One warpgroup for each 64 rows. A step along K has 128 bytes: 32 elements of fp32, or 64 of 16 bits, or
/// 128 of 8 bits. Modes in braces restrict a tile to them; their stages follow from the shared memory.
inline constexpr KernelTile warpgroup[] = {
    {{128, 256, 32, 1, 128}},
    {{128, 192, 32, 1, 96},
     {{ComputeMode::fp16, 1}, {ComputeMode::bf16, 1}, {ComputeMode::tf32, 1}, {ComputeMode::int8_int32, 1}}},
    {{128, 128, 32, 1, 64}},
    {{64, 256, 32, 1, 128},
     {{ComputeMode::fp16, 1}, {ComputeMode::bf16, 1}, {ComputeMode::tf32, 1}, {ComputeMode::int8_int32, 1}}},
    {{64, 128, 32, 1, 64}},
    {{64, 64, 32, 1, 32}}};
/// Complex tiles have half the columns, because an element has two accumulators. A step has 16 elements.
inline constexpr KernelTile warpgroup_1m[] = {
    {{128, 128, 16, 1, 64}}, {{128, 96, 16, 1, 48}}, {{128, 64, 16, 1, 32}}, {{128, 32, 16, 1, 16}}};
/// Half as wide, because a thread also holds the sum of the stages.
inline constexpr KernelTile warpgroup_tf32x3[] = {{{128, 128, 32, 1, 64}}, {{128, 64, 32, 1, 32}}};
/// A step along K has 128 bytes: 128 elements of int8.
inline constexpr KernelTile warpgroup_int8[] = {{{128, 256, 128, 1, 128}}};
/// The tiles of shared launches of a group.
inline constexpr GroupTiles grouped[] = {{Type::fp32, {64, 64, 16, 8, 4}, {32, 64, 16, 4, 4}, 4},
                                         {Type::fp64, {32, 64, 16, 4, 4}, {}},
                                         {Type::cfp32, {32, 64, 8, 4, 4}, {}},
                                         {Type::cfp64, {32, 64, 8, 4, 4}, {}}};
inline constexpr GroupTiles grouped_warp_mma[] = {{Type::fp64, {32, 64, 16, 4, 4}, {32, 32, 16, 4, 2}},
                                                  {Type::cfp64, {32, 64, 16, 4, 4}, {}}};
/// The tiles of small batch entries, several to a thread block.
inline constexpr KernelTile small_batched[] = {
    {{4, 4, 4, 1, 4}}, {{8, 8, 8, 2, 4}}, {{16, 16, 8, 4, 4}}, {{32, 32, 8, 4, 8}}};
}  // namespace ladder_tiles

}  // namespace rooftile
