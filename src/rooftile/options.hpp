// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/ladder.hpp"
#include "rooftile/tile.hpp"

namespace rooftile {

/// How a product is to be computed; the defaults let the library choose.
struct GemmOptions {
  Kernel kernel = Kernel::automatic;
  TileShape tile = {};  ///< zero: the kernel's default on the device
};

}  // namespace rooftile
