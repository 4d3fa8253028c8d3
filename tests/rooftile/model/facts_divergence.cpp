// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
//
// facts.md §4, divergence, warps and latency, and §5, memory system: a test for each row, named by it.
#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "rooftile/model/divergence.hpp"
#include "rooftile/model/latency.hpp"
#include "rooftile/model/memory.hpp"

using namespace rooftile::model;
using Catch::Matchers::WithinAbs;

namespace {

constexpr TiledDivergence hundred = tiled_divergence({100, 100, 100}, 16);

}  // namespace

TEST_CASE("§4 100×100 matrices, 16×16 tiles: 8 warps, 7 phases, 49 blocks (42 + 7), 2,744 warp-phases",
          "[model][facts]") {
  STATIC_REQUIRE((hundred.warps_per_block == 8 && hundred.phases == 7 && hundred.blocks == 49));
  STATIC_REQUIRE((hundred.edge_blocks_b == 7 && hundred.blocks - hundred.edge_blocks_b == 42));
  STATIC_REQUIRE(hundred.warp_phases == 2744);
}

TEST_CASE("§4 divergent warp-phases of the second operand's load: 0 inside, 336 + 14 = 350 at the edge",
          "[model][facts]") {
  STATIC_REQUIRE((hundred.b.divergent - hundred.b.edge_divergent == 0 && hundred.b.edge_divergent == 350));
  constexpr TiledDivergence six_phases = tiled_divergence({100, 100, 96}, 16);
  STATIC_REQUIRE((six_phases.b.edge_divergent == 336 && six_phases.b.edge_divergent == 8 * 7 * 6));
}

TEST_CASE("§4 share: 350 / 392 = 89.3 % of the edge blocks' warp-phases, not 302 / 392; 12.76 % overall",
          "[model][facts]") {
  STATIC_REQUIRE(hundred.b.edge_checks == 392);
  REQUIRE_THAT(hundred.b.edge_fraction(), WithinAbs(0.893, 0.0005));
  REQUIRE_THAT(hundred.b.fraction(), WithinAbs(0.1276, 0.00005));
}

TEST_CASE("§4 vector of 2,000, blocks of 512: 2,048 threads, 1 divergent warp", "[model][facts]") {
  STATIC_REQUIRE(vector_divergence(2000, 512).threads == 2048);
  STATIC_REQUIRE(vector_divergence(2000, 512).divergent == 1);
}

TEST_CASE("§4 one two-way branch with both sides taken in a warp: 50 % of the issue slots lost",
          "[model][facts]") {
  STATIC_REQUIRE(lost_issue_slots(2) == 0.5);
}

TEST_CASE("§4 threadIdx.x > 2 diverges in one warp, threadIdx.x / 32 > 2 in none", "[model][facts]") {
  STATIC_REQUIRE(branch_divergence(256, 2) == 1);
  STATIC_REQUIRE(branch_divergence(256, 2, 32) == 0);
}

TEST_CASE("§4 hide 200 cycles with 4 cycles per instruction, one access per 4 instructions: 13 warps",
          "[model][facts]") {
  STATIC_REQUIRE(warps_to_hide(200, 4, 4) == 13);
}

TEST_CASE("§5 64-bit DDR bus at 1 GHz: 16 GB/s per channel; 32 GB/s needs 2 channels, 128 GB/s needs 8",
          "[model][facts]") {
  STATIC_REQUIRE(channel_gbs(64, 1) == 16);
  STATIC_REQUIRE(channels_needed(32, 16) == 2);
  STATIC_REQUIRE(channels_needed(128, 16) == 8);
}

TEST_CASE("§5 a variable's memory, scope and lifetime; 64 KiB of constant memory in all", "[model][facts]") {
  const auto placed = [](std::string_view declaration) {
    const auto* row = std::find_if(std::begin(variable_placements), std::end(variable_placements),
                                   [&](const VariablePlacement& v) { return v.declaration == declaration; });
    REQUIRE(row != std::end(variable_placements));
    return std::string(row->memory) + '/' + std::string(row->scope) + '/' + std::string(row->lifetime);
  };
  REQUIRE(placed("automatic scalar") == "register/thread/grid");
  REQUIRE(placed("automatic array") == "local/thread/grid");
  REQUIRE(placed("__shared__") == "shared/block/grid");
  REQUIRE(placed("__device__") == "global/grid/application");
  REQUIRE(placed("__constant__") == "constant/grid/application");
  STATIC_REQUIRE(constant_memory_bytes == 64 * 1024);
}
