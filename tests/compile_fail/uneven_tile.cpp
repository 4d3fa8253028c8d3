// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// says: threads divide the tile evenly
#include <rooftile/tile.hpp>

// Threads that own 5 rows each do not divide 32 rows.
rooftile::Tile<rooftile::TileShape{32, 32, 32, 5, 1}> tile;
