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
enum class Kernel { automatic = -1, single_block, naive, tiled, tiled_checked, tiled_dynamic, packed };

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
}  // namespace ladder_tiles

namespace ladder_maths {
inline constexpr Math plain[] = {Math::fp32, Math::fp64};
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
