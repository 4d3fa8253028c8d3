// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/model/divergence.hpp"

#include <random>

#include <catch2/catch_test_macros.hpp>

using namespace rooftile;
using namespace rooftile::model;

namespace {

/// Counts per thread what the closed form computes.
struct BruteForce {
  GemmShape shape;
  Count tile;
  Count warp;

  /// Adds one check per warp of block (i,j).
  /// @param passes  passes(row, col) gets a thread's position in the tile
  template <class Passes>
  void check(Divergence& d, bool edge, Passes passes) const {
    for (Count first = 0; first < tile * tile; first += warp) {
      Count passed = 0, threads = 0;
      for (Count t = first; t < first + warp && t < tile * tile; ++t, ++threads) {
        if (passes(t / tile, t % tile)) ++passed;
      }
      const bool divergent = passed != 0 && passed != threads;
      d.checks += 1;
      d.divergent += divergent;
      d.edge_checks += edge;
      d.edge_divergent += edge && divergent;
    }
  }

  TiledDivergence count() const {
    TiledDivergence d;
    for (Count row0 = 0; row0 < shape.m; row0 += tile) {
      for (Count col0 = 0; col0 < shape.n; col0 += tile) {
        const bool below = row0 + tile > shape.m, right = col0 + tile > shape.n;
        for (Count k0 = 0; k0 < shape.k; k0 += tile) {
          check(d.a, below, [&](Count y, Count x) { return row0 + y < shape.m && k0 + x < shape.k; });
          check(d.b, right, [&](Count y, Count x) { return k0 + y < shape.k && col0 + x < shape.n; });
        }
        check(d.store, below || right,
              [&](Count y, Count x) { return row0 + y < shape.m && col0 + x < shape.n; });
      }
    }
    return d;
  }
};

bool same(const Divergence& a, const Divergence& b) {
  return a.checks == b.checks && a.divergent == b.divergent && a.edge_checks == b.edge_checks &&
         a.edge_divergent == b.edge_divergent;
}

}  // namespace

TEST_CASE("divergence equals a count over every thread for 1,000 random products", "[model]") {
  constexpr unsigned seed = 4;
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto between = [&](Count least, Count most) {
    return std::uniform_int_distribution<Count>(least, most)(random);
  };
  for (int i = 0; i < 1000; ++i) {
    const Count tile = between(1, 33);
    const GemmShape shape{between(1, 4 * tile), between(1, 4 * tile), between(1, 4 * tile)};
    const Count warp = i % 2 == 0 ? 32 : between(1, 70);
    CAPTURE(shape.m, shape.n, shape.k, tile, warp);
    const TiledDivergence ours = tiled_divergence(shape, tile, warp);
    const TiledDivergence counted = BruteForce{shape, tile, warp}.count();
    REQUIRE(same(ours.a, counted.a));
    REQUIRE(same(ours.b, counted.b));
    REQUIRE(same(ours.store, counted.store));
    REQUIRE((ours.a.checks == ours.warp_phases && ours.b.checks == ours.warp_phases));
  }
}

TEST_CASE("a vector's last warp diverges only where the vector ends inside it", "[model]") {
  STATIC_REQUIRE(vector_divergence(2048, 512).divergent == 0);
  STATIC_REQUIRE(vector_divergence(2016, 512).divergent == 0);
  STATIC_REQUIRE(vector_divergence(100, 100).divergent == 0);
  STATIC_REQUIRE(vector_divergence(99, 100).divergent == 1);
  STATIC_REQUIRE(vector_divergence(1, 1).divergent == 0);
}

TEST_CASE("a branch diverges only where it changes inside a warp of the block", "[model]") {
  STATIC_REQUIRE(branch_divergence(32, 31) == 0);
  STATIC_REQUIRE(branch_divergence(32, 40) == 0);
  STATIC_REQUIRE(branch_divergence(96, 40) == 1);
  STATIC_REQUIRE(branch_divergence(96, 0, 16) == 1);
  STATIC_REQUIRE(branch_divergence(128, 31, 1, 64) == 1);
}
