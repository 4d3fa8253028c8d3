// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/tile.hpp"
#include "rooftile/types.hpp"

namespace rooftile {

/// The tiles of a launch that products of a group share, each with the one that suits it.
struct GroupTiles {
  Type type;             ///< of the elements
  TileShape large;       ///< for most
  TileShape small = {};  ///< of as many threads, for the others; zero: there is none

  /// Its tile number 0 or 1.
  constexpr TileShape operator[](int i) const { return i == 0 ? large : small; }
};

// The tiles that rungs of the ladder take.
namespace ladder_tiles {
inline constexpr TileShape ctas[] = {cta(16, 16), cta(32, 32), cta(32, 8), cta(8, 32), cta(4, 64)};
inline constexpr TileShape squares[] = {square_tile(8), square_tile(16), square_tile(32)};
// {bm, bn, bk, tm, tn}
inline constexpr TileShape blocked[] = {{128, 128, 8, 8, 8}, {64, 64, 8, 8, 8}, {64, 64, 8, 8, 4}};
/// The last ones are for complex numbers (`fits_panel`).
inline constexpr TileShape pipelined[] = {
    {128, 256, 8, 8, 16}, {128, 128, 16, 8, 8}, {64, 128, 16, 8, 8}, {64, 64, 16, 8, 8}, {32, 64, 16, 4, 4},
    {128, 128, 8, 8, 8},  {64, 128, 8, 8, 4},   {64, 64, 8, 8, 4},   {32, 64, 8, 4, 4},
};
/// Steps along K of 64 bytes: 16 elements of fp32, 32 of 16 bits; of fp64 and of complex numbers, 16
/// elements. `fits_fragments` says which tiles are for which types. Of two of one name a type gets the first
/// whose sums its registers have room for.
inline constexpr TileShape fragments[] = {
    {128, 256, 32, 16, 8}, {128, 128, 32, 16, 8}, {128, 128, 16, 16, 8}, {128, 128, 16, 8, 8},
    {64, 128, 32, 8, 8},   {64, 128, 16, 8, 8},   {64, 128, 16, 8, 4},   {64, 64, 32, 8, 4},
    {64, 64, 16, 8, 4},    {64, 64, 16, 4, 4},    {32, 64, 32, 4, 4},    {32, 64, 16, 4, 4},
    {32, 32, 16, 4, 2},    {32, 16, 16, 4, 1},
};
/// The last ones are for complex numbers.
inline constexpr TileShape streamed[] = {
    {64, 128, 16, 8, 8}, {64, 64, 16, 8, 4}, {32, 64, 16, 4, 4}, {64, 64, 8, 8, 4}, {32, 64, 8, 4, 4},
};
inline constexpr TileShape streamed_fragments[] = {
    {128, 128, 16, 16, 8}, {128, 128, 16, 8, 8}, {64, 128, 16, 8, 4}, {64, 64, 16, 8, 4},
    {64, 64, 16, 4, 4},    {32, 64, 32, 4, 4},   {32, 64, 16, 4, 4},
};
inline constexpr TileShape split_fragments[] = {
    {64, 128, 16, 8, 4}, {64, 64, 16, 4, 4}, {32, 64, 16, 4, 4}, {32, 32, 16, 4, 2}};
/// A warpgroup for each 64 rows. The step along K is 128 bytes: 32 elements of fp32; of those of 16 bits,
/// twice as many.
inline constexpr TileShape warpgroups[] = {{128, 256, 32, 1, 128}, {128, 192, 32, 1, 96},
                                           {128, 128, 32, 1, 64},  {64, 256, 32, 1, 128},
                                           {64, 128, 32, 1, 64},   {64, 64, 32, 1, 32}};
/// Complex tiles have half the columns: an element has two accumulators, and the step has 16.
inline constexpr TileShape warpgroups_of_complex[] = {
    {128, 128, 16, 1, 64}, {128, 96, 16, 1, 48}, {128, 64, 16, 1, 32}, {128, 32, 16, 1, 16}};
/// Half as wide where a thread also holds the sum of the stages.
inline constexpr TileShape warpgroups_with_sums[] = {{128, 128, 32, 1, 64}, {128, 64, 32, 1, 32}};
/// Of int8, four times as many elements a step.
inline constexpr TileShape warpgroups_of_int8[] = {{128, 256, 128, 1, 128}};
/// Of launches that products of a group share.
inline constexpr GroupTiles grouped[] = {{Type::fp32, {64, 64, 16, 8, 4}, {32, 64, 16, 4, 4}},
                                         {Type::fp64, {32, 64, 16, 4, 4}, {}},
                                         {Type::cfp32, {32, 64, 8, 4, 4}, {}},
                                         {Type::cfp64, {32, 64, 8, 4, 4}, {}}};
inline constexpr GroupTiles grouped_fragments[] = {{Type::fp64, {32, 64, 16, 4, 4}, {32, 32, 16, 4, 2}},
                                                   {Type::cfp64, {32, 64, 16, 4, 4}, {}}};
/// Of small batch entries, several to a team.
inline constexpr TileShape small[] = {{4, 4, 4, 1, 4}, {8, 8, 8, 2, 4}, {16, 16, 8, 4, 4}, {32, 32, 8, 4, 8}};
}  // namespace ladder_tiles

}  // namespace rooftile
