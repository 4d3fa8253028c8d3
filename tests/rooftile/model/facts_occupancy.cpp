// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
//
// facts.md §3, occupancy in textbook mode: each row, by its words.
#include <optional>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "rooftile/model/architecture.hpp"
#include "rooftile/model/find_device.hpp"
#include "rooftile/model/grid.hpp"
#include "rooftile/model/occupancy_advice.hpp"

using namespace rooftile::model;
using Catch::Matchers::WithinAbs;

namespace {

constexpr Count kib = 1024;
constexpr SmLimits a100 = textbook(nvidia_limits(8, 0));
constexpr SmLimits large = {.threads = 2048, .blocks = 32, .registers = 65'536, .shared = 96 * kib};
constexpr SmLimits small = {.threads = 1536, .blocks = 8, .shared = 16 * kib};
constexpr SmLimits few_registers = {.threads = 1536, .registers = 16'384};
constexpr SmLimits four_blocks = {.threads = 1536, .blocks = 4};
constexpr SmLimits many_blocks = {.threads = 2048, .blocks = 64};
constexpr SmLimits fermi = {.threads = 1536, .blocks = 8, .registers = 32 * kib};
constexpr SmLimits fermi_48 = {.threads = 1536, .blocks = 8, .registers = 32 * kib, .shared = 48 * kib};
constexpr SmLimits fermi_16 = {.threads = 1536, .blocks = 8, .registers = 32 * kib, .shared = 16 * kib};

/// What a launch has of an SM, to the digits that the textbooks print.
struct Row {
  const char* words;
  SmLimits limits;
  Launch launch;
  Count blocks;
  double fraction;
  std::optional<Limiter> limiter = {};  ///< the only one, where it is told
};

std::vector<Row> rows() {
  const SmLimits g80 = textbook(find_device("G80").limits), gt200 = textbook(find_device("GT200").limits),
                 built_in_fermi = textbook(find_device("Fermi").limits);
  REQUIRE((g80.threads == 768 && g80.registers == 8192 && g80.shared == 16 * kib && g80.blocks == 8));
  REQUIRE((gt200.block_threads == 512 && gt200.threads == 1024 && gt200.blocks == 8));
  constexpr double third = 1.0 / 3;
  return {
      {"A100, 32 KB per block of 256", a100, {.threads = 256, .shared = 32 * kib}, 5, 0.625},
      {"A100, 16x16 tiles, 2 KB per block of 256",
       a100,
       {.threads = 256, .shared = 2 * kib},
       8,
       1,
       Limiter::threads},
      {"64 threads, 27 regs, 4 KB",
       large,
       {.threads = 64, .registers = 27, .shared = 4 * kib},
       24,
       0.75,
       Limiter::shared_memory},
      {"256 threads, 31 regs, 8 KB", large, {.threads = 256, .registers = 31, .shared = 8 * kib}, 8, 1},
      {"128 threads, 30 regs", large, {.threads = 128, .registers = 30}, 16, 1},
      {"32 threads, 29 regs", large, {.threads = 32, .registers = 29}, 32, 0.5, Limiter::blocks},
      {"256 threads, 34 regs: not 84 %",
       large,
       {.threads = 256, .registers = 34},
       7,
       0.875,
       Limiter::registers},
      {"512 threads, 10 regs", few_registers, {.threads = 512, .registers = 10}, 3, 1},
      {"512 threads, 11 regs", few_registers, {.threads = 512, .registers = 11}, 2, 2 * third},
      {"16 KB, 5 KB per block", small, {.threads = 64, .shared = 5 * kib}, 3, 3 * 64 / 1536.0},
      {"16 KB, 16x16 tiles", small, {.threads = 256, .shared = 2 * kib}, 6, 1, Limiter::threads},
      {"G80, 256 threads, 10 regs", g80, {.threads = 256, .registers = 10}, 3, 1},
      {"G80, 256 threads, 11 regs", g80, {.threads = 256, .registers = 11}, 2, 2 * third},
      {"GT200, 8x8", gt200, {.threads = 64}, 8, 0.5},
      {"GT200, 16x16", gt200, {.threads = 256}, 4, 1},
      {"GT200, 32x32", gt200, {.threads = 1024}, 0, 0, Limiter::threads},
      {"4 blocks of 128", four_blocks, {.threads = 128}, 4, third},
      {"4 blocks of 256", four_blocks, {.threads = 256}, 4, 2 * third},
      {"3 blocks of 512", four_blocks, {.threads = 512}, 3, 1},
      {"1 block of 1,024", four_blocks, {.threads = 1024}, 1, 2 * third},
      {"8 x 128 of 2,048 threads, 64 blocks", many_blocks, {.threads = 128, .assigned = 8}, 8, 0.5},
      {"16 x 64", many_blocks, {.threads = 64, .assigned = 16}, 16, 0.5},
      {"32 x 32", many_blocks, {.threads = 32, .assigned = 32}, 32, 0.5},
      {"64 x 32", many_blocks, {.threads = 32, .assigned = 64}, 64, 1},
      {"32 x 64", many_blocks, {.threads = 64, .assigned = 32}, 32, 1},
      {"Fermi, 20 + 1 regs", fermi, {.threads = 256, .registers = 20 + 1}, 6, 1},
      {"Fermi, 63 + 1 regs", fermi, {.threads = 256, .registers = 63 + 1}, 2, 0.3333},
      {"Fermi of the table, 63 + 1 regs", built_in_fermi, {.threads = 256, .registers = 63 + 1}, 2, 0.3333},
      {"Fermi, 48 KB, 32 B per thread", fermi_48, {.threads = 256, .shared = 256 * 32}, 6, 1},
      {"Fermi, 16 KB, 32 B per thread", fermi_16, {.threads = 256, .shared = 256 * 32}, 2, 0.3333},
      {"Fermi, blocks of 32", fermi, {.threads = 32}, 8, 0.1667},
      {"Fermi, blocks of 64", fermi, {.threads = 64}, 8, 0.3333},
      {"Fermi, blocks of 128", fermi, {.threads = 128}, 8, 0.6667},
      {"Fermi, blocks of 192", fermi, {.threads = 192}, 8, 1},
      {"Fermi, blocks of 256", fermi, {.threads = 256}, 6, 1},
  };
}

}  // namespace

TEST_CASE("§3 blocks, threads and occupancy of the textbooks' launches", "[model][facts]") {
  for (const Row& row : rows()) {
    INFO(row.words);
    const Occupancy found = occupancy(row.limits, row.launch);
    CHECK((found.blocks == row.blocks && found.threads == row.blocks * row.launch.threads));
    CHECK_THAT(found.fraction, WithinAbs(row.fraction, 5e-5));
    if (row.limiter) CHECK(found.limiters() == std::vector{*row.limiter});
  }
}

TEST_CASE("§3 A100, 164 KB shared, 2,048 threads: at most 82 B shared per thread", "[model][facts]") {
  STATIC_REQUIRE(full_occupancy_budget(a100).shared_bytes == 82);
}

TEST_CASE("§3 16 KB shared, 8 blocks per SM: 2 KB per block still allow 8", "[model][facts]") {
  STATIC_REQUIRE(max_shared(small, {.threads = 64}, 8) == 2 * kib);
}

TEST_CASE("§3 GTX 580; grid 4×5×3, 100-thread blocks, 48 regs: 60 blocks on 16 SMs", "[model][facts]") {
  const Device& gtx580 = find_device("GTX 580");
  REQUIRE((gtx580.sms == 16 && gtx580.limits.registers == 32 * kib));
  const Occupancy found = occupancy(textbook(gtx580.limits), {.threads = 100, .registers = 48});
  REQUIRE(found.block_registers == 4800);
  const GridOverSms grid = grid_over_sms(4 * 5 * 3, 100, found.blocks, gtx580.sms, gtx580.limits.warp_size);
  REQUIRE((grid.blocks == 60 && grid.max_per_sm == 4 && grid.busiest_sms == 12 && grid.waves == 1));
  REQUIRE((grid.warps_per_block == 4 && grid.last_warp_threads == 4));
}
