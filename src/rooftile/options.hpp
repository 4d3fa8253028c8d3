// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/ladder.hpp"
#include "rooftile/tile.hpp"
#include "rooftile/types.hpp"

namespace rooftile {

struct TuningTable;

/// How a product is to be computed; the defaults let the library choose.
struct GemmOptions {
  Kernel kernel = Kernel::automatic;  ///< `automatic`: the library's choice
  TileShape tile = {};                ///< zero: the kernel's default on the device
  Math math =
      Math::automatic;  ///< one that is not the element type's own gives up accuracy, and so is never chosen
  /// What was measured on the device (`tuning.hpp`), asked before the model where neither kernel nor tile is
  /// named, and for the costs that the model goes by; null: the model alone, by its own. It is read during
  /// the call only.
  const TuningTable* tuning = nullptr;
  /// Whether operands that the named kernel could only copy element by element are repacked for it first, in
  /// a workspace. Where the library chooses the kernel, it chooses this, too.
  bool repack = false;

  /// Member by member; of the table, the address.
  friend constexpr bool operator==(const GemmOptions&, const GemmOptions&) = default;
};

}  // namespace rooftile
