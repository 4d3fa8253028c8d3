// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../kernels.hpp"

namespace rooftile::perf::host {

/// A tile is one thread's: it stores all of it before it loads, so that no barrier is missing.
inline void transpose(float* to, const float* from, Index order, const TransposeLaunch& launch) {
  const Index t = launch.tile, tiles = order / t;
#pragma omp parallel for collapse(2) schedule(static)
  for (Index row = 0; row < tiles; ++row) {
    for (Index col = 0; col < tiles; ++col) {
      float tile[32][32];
      const Index first = row * t * order + col * t;
      for (Index y = 0; y < t; ++y) {
        for (Index x = 0; x < t; ++x) tile[y][x] = from[first + y * order + x];
      }
      for (Index y = 0; y < t; ++y) {
        for (Index x = 0; x < t; ++x) to[first + y * order + x] = tile[x][y];
      }
    }
  }
}

}  // namespace rooftile::perf::host
