// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>

#include "rooftile/tile.hpp"
#include "rooftile/types.hpp"

namespace rooftile {

/// The kernels, lowest rung first. Their sources are `cuda_native/NN_name.cu` and
/// `backends/kokkos/NN_name.hpp`.
enum class Kernel {
  automatic = -1,
  single_block,
  naive,
  tiled,
  tiled_checked,
  tiled_dynamic,
  packed,
  warpgroup,
  warpgroup_tf32x3
};

/// The two ladders: Kokkos, or CUDA by hand.
enum class Path { portable, native };

/// Which products a kernel takes.
enum class Fits {
  any,                ///< any M, N, K
  multiples_of_tile,  ///< M, N and K multiples of the tile
  one_block,          ///< M·N at most the threads of one block
};

/// Which tiles a kernel takes.
enum class Tiles {
  listed,      ///< those of the row
  any_square,  ///< every T×T that fits a block, chosen at run time
  whole_c,     ///< one tile, all of C
  of_caches,   ///< the blocks of a processor's caches; other execution spaces have none
};

namespace ladder_tiles {
inline constexpr TileShape ctas[] = {cta(16, 16), cta(32, 32), cta(32, 8), cta(8, 32), cta(4, 64)};
inline constexpr TileShape squares[] = {square_tile(8), square_tile(16), square_tile(32)};
/// Two warpgroups, each 64 rows. The step along K is 128 bytes: 32 elements of fp32; of those of 16 bits,
/// twice as many.
inline constexpr TileShape warpgroups[] = {
    {128, 256, 32, 1, 128}, {128, 192, 32, 1, 96}, {128, 128, 32, 1, 64}, {128, 64, 32, 1, 32}};
/// Half as wide where a thread also holds the sum of the stages.
inline constexpr TileShape warpgroups_with_sums[] = {{128, 128, 32, 1, 64}, {128, 64, 32, 1, 32}};
inline constexpr double warpgroup_speeds[] = {1, 0.97, 0.93, 0.55};
inline constexpr double warpgroup_with_sums_speeds[] = {1, 0.77};
}  // namespace ladder_tiles

namespace ladder_maths {
inline constexpr Math plain[] = {Math::fp32, Math::fp64};
inline constexpr Math tensor_cores[] = {Math::fp16, Math::bf16, Math::tf32};
inline constexpr Math tf32x3[] = {Math::tf32x3};
}  // namespace ladder_maths

/// The compute capabilities, major·10 + minor, of the GPUs that a native kernel runs on.
struct Capabilities {
  int least = 0;
  int most = std::numeric_limits<int>::max();  ///< code for one architecture's own instructions ends there

  constexpr bool contain(int capability) const { return least <= capability && capability <= most; }
};

/// One row of the ladder: all that tests, benchmark, program and documentation know of a kernel.
struct Rung {
  Kernel kernel;
  std::string_view name;
  std::string_view idea;
  bool native;
  bool portable;
  Fits fits;
  Tiles tiles_taken;
  std::span<const TileShape> tiles;                   ///< what `Tiles::listed` takes; for the others, empty
  TileShape default_tile;                             ///< zero: from the device or from C (`default_tile`)
  std::span<const Math> maths = ladder_maths::plain;  ///< which say the element types, too
  Capabilities capabilities = {};                     ///< of the native kernel
  std::span<const double> speeds = {};  ///< of the tiles, relative, in products with many; for `default_tile`

  constexpr bool on(Path path) const { return path == Path::native ? native : portable; }
  constexpr bool supports(Math math) const {
    return std::find(maths.begin(), maths.end(), math) != maths.end();
  }
};

/// The one table of kernels.
inline constexpr Rung ladder[] = {
    {Kernel::single_block,
     "single_block",
     "one block, one thread per element of C",
     true,
     false,
     Fits::one_block,
     Tiles::whole_c,
     {},
     {}},
    {Kernel::naive, "naive", "as many blocks as C needs; dot products straight from global memory", true,
     true, Fits::any, Tiles::listed, ladder_tiles::ctas, cta(16, 16)},
    {Kernel::tiled, "tiled", "tiles of A and B shared by a block: 1/T of the global traffic", true, true,
     Fits::multiples_of_tile, Tiles::listed, ladder_tiles::squares, square_tile(32)},
    {Kernel::tiled_checked, "tiled_checked", "loads outside a matrix give 0, stores outside are skipped",
     true, true, Fits::any, Tiles::listed, ladder_tiles::squares, square_tile(32)},
    {Kernel::tiled_dynamic,
     "tiled_dynamic",
     "shared memory sized at run time: the device chooses T",
     true,
     true,
     Fits::any,
     Tiles::any_square,
     {},
     {}},
    {Kernel::packed,
     "packed",
     "processors: panels of A and B packed for the caches, C in the vector registers",
     false,
     true,
     Fits::any,
     Tiles::of_caches,
     {},
     {}},
    {Kernel::warpgroup,
     "warpgroup",
     "Hopper's tensor cores: a warpgroup copies tiles by TMA, two multiply them by wgmma",
     true,
     false,
     Fits::any,
     Tiles::listed,
     ladder_tiles::warpgroups,
     ladder_tiles::warpgroups[0],
     ladder_maths::tensor_cores,
     {90, 90},
     ladder_tiles::warpgroup_speeds},
    {Kernel::warpgroup_tf32x3,
     "warpgroup_tf32x3",
     "fp32 from three products in tf32, summed in fp32 from stage to stage",
     true,
     false,
     Fits::any,
     Tiles::listed,
     ladder_tiles::warpgroups_with_sums,
     ladder_tiles::warpgroups_with_sums[0],
     ladder_maths::tf32x3,
     {90, 90},
     ladder_tiles::warpgroup_with_sums_speeds},
};

inline constexpr std::size_t rung_count = std::size(ladder);

constexpr std::string_view to_string(Path path) {
  return path == Path::native ? "native" : "portable";
}

/// The row of a kernel. @pre `kernel` is not `automatic`.
constexpr const Rung& rung_of(Kernel kernel) {
  return ladder[static_cast<std::size_t>(kernel)];
}

}  // namespace rooftile
