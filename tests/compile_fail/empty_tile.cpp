// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// says: tile extents are positive
#include <rooftile/tile.hpp>

rooftile::Tile<rooftile::TileShape{32, 0, 32}> tile;
