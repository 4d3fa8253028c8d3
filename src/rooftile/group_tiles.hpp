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

}  // namespace rooftile
