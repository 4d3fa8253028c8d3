// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// facts.md §2 to §5, each row under its own words, and the devices.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "rooftile/model/architecture.hpp"
#include "rooftile/model/divergence.hpp"
#include "rooftile/model/find_device.hpp"
#include "rooftile/model/grid.hpp"
#include "rooftile/model/latency.hpp"
#include "rooftile/model/memory.hpp"
#include "rooftile/model/occupancy_advice.hpp"
#include "rooftile/model/roofline.hpp"

using namespace rooftile;
using namespace rooftile::model;
using Catch::Matchers::WithinAbs;

namespace {

constexpr GemmShape cube(Index n) {
  return {n, n, n};
}

/// A number from a textbook and the model's value, compared to the printed digits.
struct Fact {
  const char* words;
  double found, expected, tolerance = 0;
};

double peak_of(std::string_view device) {
  return find_device(device).peak_gflops(Precision::fp32, Pipe::vector);
}
double peak_of_cores(const Device& device) {
  return model::peak_of_cores(device.cores, device.clock_mhz);
}

}  // namespace

TEST_CASE("§2 §4 §5 numbers of the textbooks", "[model][facts]") {
  const Device &a100 = find_device("A100"), &g80 = find_device("G80"), &gk107 = find_device("GK107"),
               &gm107 = find_device("GM107");
  constexpr double n = 512, intensity = 36.0 / (7 * 4);
  const double a100_ridge = ridge(peak_of("A100"), a100.bandwidth_gbs);
  const double tiled = traffic(cube(1024), square_tile(16), 4).request_intensity();
  constexpr Traffic two = traffic(cube(8), square_tile(2), 4), four = traffic(cube(8), square_tile(4), 4);
  constexpr VariableCopies few = variable_copies(1024 / 128, 128), many = variable_copies(1000, 512);
  const auto count = [](Count x) { return static_cast<double>(x); };
  const Fact facts[] = {
      {"naive fp32 matmul, 2 loads (8 B) per multiply-add: 0.25 FLOP/B",
       traffic(cube(512), cta(16, 16), 4).request_intensity(), 0.25},
      {"the same of any product and CTA", traffic({100, 70, 33}, cta(8, 32), 4).request_intensity(), 0.25},
      {"A100: 1,555 GB/s × 0.25 is 388.75 GFLOP/s",
       attainable(peak_of("A100"), a100.bandwidth_gbs, 0.25).gflops, 388.75},
      {"2.0 % of 19,500", attainable(peak_of("A100"), a100.bandwidth_gbs, 0.25).fraction_of_peak, 0.020,
       0.0005},
      {"A100 ridge point 19,500 / 1,555: 12.54 FLOP/B", a100_ridge, 12.54, 0.005},
      {"50.2 FLOP per 4-byte value", a100_ridge * bytes_of(Precision::fp32), 50.2, 0.05},
      {"16×16 tiles give 4 FLOP/B", tiled, 4},
      {"32×32 tiles 8", traffic(cube(1024), square_tile(32), 4).request_intensity(), 8},
      {"untiled requests 2·N³", traffic(cube(512), cta(16, 16), 4).requests, 2 * n * n * n},
      {"tiled ones 2·N³/T", traffic(cube(512), square_tile(16), 4).requests, 2 * n * n * n / 16},
      {"8×8 matrix, 2×2 tiles: 4 phases", count(two.phases), 4},
      {"each element loaded 4 times", count(two.a_loads), 4},
      {"of B, too", count(two.b_loads), 4},
      {"4×4 tiles: 2 phases", count(four.phases), 2},
      {"each element loaded twice", count(four.a_loads), 2},
      {"of B, too", count(four.b_loads), 2},
      {"G80: peak 367", peak_of("G80"), 367},
      {"86.4 GB/s are 21.6 Gvalues/s", g80.bandwidth_gbs / bytes_of(Precision::fp32), 21.6, 1e-9},
      {"with 16×16 tiles 345.6 GFLOP/s", attainable(peak_of("G80"), g80.bandwidth_gbs, tiled).gflops, 345.6,
       1e-9},
      {"36 FLOP and 7 four-byte accesses: 1.286 FLOP/B", intensity, 1.286, 0.0005},
      {"128.6 of 200 GFLOP/s with 100 GB/s", attainable(200, 100, intensity).gflops, 128.6, 0.05},
      {"all 300 of 321.4 with 250 GB/s", attainable(300, 250, intensity).gflops, 300},
      {"1,024 threads in blocks of 128: 8 shared copies", count(few.shared), 8},
      {"1,024 automatic ones", count(few.automatic), 1024},
      {"1,000 blocks × 512 threads: 512,000 automatic copies", count(many.automatic), 512'000},
      {"1,000 shared ones", count(many.shared), 1000},
      {"GK107: 384 cores", count(gk107.cores), 384},
      {"812.5 GFLOP/s of them", peak_of_cores(gk107), 812.5, 0.05},
      {"GM107: 640 cores", count(gm107.cores), 640},
      {"1,305.6 GFLOP/s of them", peak_of_cores(gm107), 1305.6, 0.05},
      {"one two-way branch with both sides taken: 50 % of the slots lost", lost_issue_slots(2), 0.5},
      {"threadIdx.x > 2 diverges in one warp", count(branch_divergence(256, 2)), 1},
      {"threadIdx.x / 32 > 2 in none", count(branch_divergence(256, 2, 32)), 0},
      {"vector of 2,000, blocks of 512: 2,048 threads", count(vector_divergence(2000, 512).threads), 2048},
      {"1 divergent warp", count(vector_divergence(2000, 512).divergent), 1},
      {"hide 200 cycles, 4 per instruction, one access per 4 instructions: 13 warps",
       count(warps_to_hide(200, 4, 4)), 13},
      {"64-bit DDR bus at 1 GHz: 16 GB/s per channel", channel_gbs(64, 1), 16},
      {"32 GB/s needs 2 channels", count(channels_needed(32, 16)), 2},
      {"128 GB/s needs 8", count(channels_needed(128, 16)), 8},
  };
  for (const Fact& fact : facts) {
    INFO(fact.words);
    CHECK_THAT(fact.found, WithinAbs(fact.expected, fact.tolerance));
  }
  CHECK(attainable(peak_of("A100"), a100.bandwidth_gbs, 0.25).bound == Bound::memory);
  CHECK(attainable(200, 100, intensity).bound == Bound::memory);
  CHECK(attainable(300, 250, intensity).bound == Bound::compute);
}

namespace {

constexpr Count kib = 1024;
constexpr SmLimits a100_by_textbook = textbook(nvidia_limits(8, 0));
constexpr SmLimits large = {.threads = 2048, .blocks = 32, .registers = 65'536, .shared = 96 * kib};
constexpr SmLimits small = {.threads = 1536, .blocks = 8, .shared = 16 * kib};
constexpr SmLimits few_registers = {.threads = 1536, .registers = 16'384};
constexpr SmLimits four_blocks = {.threads = 1536, .blocks = 4};
constexpr SmLimits many_blocks = {.threads = 2048, .blocks = 64};
constexpr SmLimits fermi = {.threads = 1536, .blocks = 8, .registers = 32 * kib};
constexpr SmLimits fermi_48 = {.threads = 1536, .blocks = 8, .registers = 32 * kib, .shared = 48 * kib};
constexpr SmLimits fermi_16 = {.threads = 1536, .blocks = 8, .registers = 32 * kib, .shared = 16 * kib};

/// The SM resources of a launch, to the digits that the textbooks print.
struct Row {
  const char* words;
  SmLimits limits;
  Launch launch;
  Count blocks;
  double fraction;
  std::optional<Limiter> limiter = {};  ///< the only one, if stated
};

std::vector<Row> rows() {
  const SmLimits g80 = textbook(find_device("G80").limits), gt200 = textbook(find_device("GT200").limits),
                 built_in_fermi = textbook(find_device("Fermi").limits);
  REQUIRE((g80.threads == 768 && g80.registers == 8192 && g80.shared == 16 * kib && g80.blocks == 8));
  REQUIRE((gt200.block_threads == 512 && gt200.threads == 1024 && gt200.blocks == 8));
  constexpr double third = 1.0 / 3;
  return {
      {"A100, 32 KB per block of 256", a100_by_textbook, {.threads = 256, .shared = 32 * kib}, 5, 0.625},
      {"A100, 16x16 tiles, 2 KB per block of 256",
       a100_by_textbook,
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

TEST_CASE("§3 shared memory: at most 82 B per thread of an A100, 2 KB per block for 8 of 16 KB",
          "[model][facts]") {
  STATIC_REQUIRE(full_occupancy_budget(a100_by_textbook).shared_bytes == 82);
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

TEST_CASE("§4 100×100 matrices, 16×16 tiles: 350 of the 392 edge warp-phases of B diverge, 12.76 % of 2,744",
          "[model][facts]") {
  constexpr TiledDivergence hundred = tiled_divergence({100, 100, 100}, 16);
  STATIC_REQUIRE((hundred.warps_per_block == 8 && hundred.phases == 7 && hundred.blocks == 49));
  STATIC_REQUIRE((hundred.edge_blocks_b == 7 && hundred.warp_phases == 2744));
  STATIC_REQUIRE(
      (hundred.b.divergent == 350 && hundred.b.edge_divergent == 350 && hundred.b.edge_checks == 392));
  STATIC_REQUIRE(tiled_divergence({100, 100, 96}, 16).b.edge_divergent == 336);  // the others diverge along K
  REQUIRE_THAT(hundred.b.edge_fraction(), WithinAbs(0.893, 0.0005));
  REQUIRE_THAT(hundred.b.fraction(), WithinAbs(0.1276, 0.00005));
}

using Catch::Matchers::ContainsSubstring, Catch::Matchers::MessageMatches, Catch::Matchers::WithinRel;

TEST_CASE("devices are found by name and alias, however written", "[model]") {
  REQUIRE(find_device("rtx3070").name == "RTX 3070");
  REQUIRE(find_device("h100-sxm").name == "H100 SXM");
  REQUIRE(find_device("H100").name == "H100 SXM");
  REQUIRE(find_device("fermi").name == "GTX 580");
  REQUIRE(find_device("Tesla V100-SXM2").name == "V100");
}

TEST_CASE("an unknown device suggests near names", "[model]") {
  REQUIRE_THROWS_MATCHES(find_device("RTX 3080"), rooftile::Error,
                         MessageMatches(ContainsSubstring("RTX 3070")));
  REQUIRE_THROWS_MATCHES(find_device("MI300"), rooftile::Error, MessageMatches(ContainsSubstring("MI300X")));
  REQUIRE_THROWS_AS(find_device(""), rooftile::Error);
  // A name that contains the given one, or is contained in it, is the nearest, regardless of its length.
  CHECK(model::detail::near_names("4090").starts_with("RTX 4090"));
  CHECK(model::detail::near_names("nvidiageforcertx4090laptopgpu").starts_with("RTX 4090"));
}

TEST_CASE("names differ by as many letters as must be put in, taken out or replaced", "[model]") {
  CHECK(model::detail::edits("", "") == 0);
  CHECK(model::detail::edits("abc", "abc") == 0);
  CHECK((model::detail::edits("", "abc") == 3 && model::detail::edits("abc", "") == 3));
  CHECK((model::detail::edits("a100", "a10") == 1 && model::detail::edits("a10", "a100") == 1));
  CHECK((model::detail::edits("h100", "h200") == 1 && model::detail::edits("kitten", "sitting") == 3));
  CHECK((model::detail::edits("intention", "execution") == 5 && model::detail::edits("ab", "ba") == 2));
}

TEST_CASE("a driver's name finds its row of the table", "[model]") {
  REQUIRE(built_in_like("NVIDIA H200")->name == "H200");
  REQUIRE(built_in_like("NVIDIA GeForce RTX 4090")->name == "RTX 4090");
  REQUIRE(built_in_like("AMD Instinct MI300X")->name == "MI300X");
  REQUIRE(built_in_like("NVIDIA GeForce RTX 4099") == nullptr);
  REQUIRE(built_in_like("Intel(R) Xeon(R) CPU @ 2.00GHz") == nullptr);
}

TEST_CASE("names and aliases of the built-in devices are unambiguous", "[model]") {
  for (const Device& device : devices) {
    REQUIRE(&find_device(device.name) == &device);
    REQUIRE(&find_device(device.alias) == &device);
    REQUIRE(!device.source.empty());
  }
}

TEST_CASE("each NVIDIA GPU's limits are those of its compute capability", "[model]") {
  for (const Device& device : devices) {
    if (device.vendor != Vendor::nvidia) continue;
    CAPTURE(std::string(device.name));
    const std::string cc(device.architecture);
    const std::size_t dot = cc.find('.');
    const SmLimits expected = nvidia_limits(std::stoi(cc.substr(0, dot)), std::stoi(cc.substr(dot + 1)));
    REQUIRE((device.limits.threads == expected.threads && device.limits.shared == expected.shared));
    REQUIRE(device.limits.granularity.partitions == expected.granularity.partitions);
  }
}

TEST_CASE("a data sheet's fp32 peak is cores × clock × 2 to its last digit", "[model]") {
  for (const Device& device : devices) {
    // The G80's 367 GFLOP/s count more than multiply-adds. MI300X and MI355X issue two fp32 operations per
    // core.
    if (device.vendor == Vendor::cpu || device.name == "G80") continue;
    CAPTURE(std::string(device.name));
    const double issues = device.name == "MI300X" || device.name == "MI355X" ? 2 : 1;
    REQUIRE_THAT(device.vector.fp32, WithinRel(issues * peak_of_cores(device.cores, device.clock_mhz), 0.01));
  }
}

TEST_CASE("an unknown compute capability is refused", "[model]") {
  REQUIRE_THROWS_MATCHES(nvidia_limits(4, 0), rooftile::Error, MessageMatches(ContainsSubstring("4.0")));
}
