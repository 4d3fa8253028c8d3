// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// facts.md §2 to §5, each row by its words, and the devices.
#include <algorithm>
#include <iterator>
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

}  // namespace

TEST_CASE("§2 naive fp32 matmul, 2 loads (8 B) per multiply-add: 0.25 FLOP/B", "[model][facts]") {
  STATIC_REQUIRE(traffic(cube(512), cta(16, 16), 4).request_intensity() == 0.25);
  STATIC_REQUIRE(traffic({100, 70, 33}, cta(8, 32), 4).request_intensity() == 0.25);
}

TEST_CASE("§2 A100: 1,555 GB/s × 0.25 is 388.75 GFLOP/s, 2.0 % of 19,500: memory-bound", "[model][facts]") {
  const Device& a100 = find_device("A100");
  const Attainable naive =
      attainable(a100.peak_gflops(Precision::fp32, Pipe::vector), a100.bandwidth_gbs, 0.25);
  REQUIRE(naive.gflops == 388.75);
  REQUIRE_THAT(naive.fraction_of_peak, WithinAbs(0.020, 0.0005));
  REQUIRE(naive.bound == Bound::memory);
}

TEST_CASE("§2 A100 ridge point 19,500 / 1,555: 12.54 FLOP/B, 50.2 FLOP per 4-byte value", "[model][facts]") {
  const Device& a100 = find_device("A100");
  const double at = ridge(a100.peak_gflops(Precision::fp32, Pipe::vector), a100.bandwidth_gbs);
  REQUIRE_THAT(at, WithinAbs(12.54, 0.005));
  REQUIRE_THAT(at * bytes_of(Precision::fp32), WithinAbs(50.2, 0.05));
}

TEST_CASE("§2 T×T tiles cut global traffic by T: 16 gives 4 FLOP/B, 32 gives 8", "[model][facts]") {
  STATIC_REQUIRE(traffic(cube(1024), square_tile(16), 4).request_intensity() == 4);
  STATIC_REQUIRE(traffic(cube(1024), square_tile(32), 4).request_intensity() == 8);
}

TEST_CASE("§2 requests to global memory, N×N inputs: untiled 2·N³, tiled 2·N³/T", "[model][facts]") {
  constexpr double n = 512;
  STATIC_REQUIRE(traffic(cube(512), cta(16, 16), 4).requests == 2 * n * n * n);
  STATIC_REQUIRE(traffic(cube(512), square_tile(16), 4).requests == 2 * n * n * n / 16);
}

TEST_CASE("§2 8×8 matrix, 2×2 and 4×4 tiles: 4 and 2 phases, each element loaded 4 and 2 times",
          "[model][facts]") {
  constexpr Traffic two = traffic(cube(8), square_tile(2), 4);
  STATIC_REQUIRE((two.phases == 4 && two.a_loads == 4 && two.b_loads == 4));
  constexpr Traffic four = traffic(cube(8), square_tile(4), 4);
  STATIC_REQUIRE((four.phases == 2 && four.a_loads == 2 && four.b_loads == 2));
}

TEST_CASE("§2 G80: 86.4 GB/s are 21.6 Gvalues/s fp32 (peak 367), with 16×16 tiles 345.6 GFLOP/s",
          "[model][facts]") {
  const Device& g80 = find_device("G80");
  const double peak = g80.peak_gflops(Precision::fp32, Pipe::vector);
  REQUIRE(peak == 367);
  REQUIRE_THAT(g80.bandwidth_gbs / bytes_of(Precision::fp32), WithinAbs(21.6, 1e-9));
  const double tiled = traffic(cube(1024), square_tile(16), 4).request_intensity();
  REQUIRE_THAT(attainable(peak, g80.bandwidth_gbs, tiled).gflops, WithinAbs(345.6, 1e-9));
}

TEST_CASE("§2 36 FLOP and 7 four-byte accesses: 1.286 FLOP/B, memory-bound or compute-bound",
          "[model][facts]") {
  constexpr double intensity = 36.0 / (7 * 4);
  REQUIRE_THAT(intensity, WithinAbs(1.286, 0.0005));
  const Attainable slow = attainable(200, 100, intensity);
  REQUIRE_THAT(slow.gflops, WithinAbs(128.6, 0.05));
  REQUIRE(slow.bound == Bound::memory);
  const Attainable fast = attainable(300, 250, intensity);
  REQUIRE((fast.gflops == 300 && fast.bound == Bound::compute));
  REQUIRE_THAT(250 * intensity, WithinAbs(321.4, 0.05));
}

TEST_CASE("§2 24 B with 10 FLOP, 129 shared floats, 1,024 threads in blocks of 128", "[model][facts]") {
  REQUIRE_THAT(10.0 / 24, WithinAbs(0.417, 0.0005));
  STATIC_REQUIRE(129 * bytes_of(Precision::fp32) == 516);
  STATIC_REQUIRE(variable_copies(1024 / 128, 128).shared == 8);
  STATIC_REQUIRE(variable_copies(1024 / 128, 128).automatic == 1024);
}

TEST_CASE("§2 1,000 blocks × 512 threads: 512,000 copies of an automatic variable, 1,000 of a shared one",
          "[model][facts]") {
  STATIC_REQUIRE(variable_copies(1000, 512).automatic == 512'000);
  STATIC_REQUIRE(variable_copies(1000, 512).shared == 1000);
}

TEST_CASE("§2 peak rate from cores × clock × 2: GK107 812.5 GFLOP/s, GM107 1,305.6 GFLOP/s",
          "[model][facts]") {
  const auto of_cores = [](const Device& device) { return peak_of_cores(device.cores, device.clock_mhz); };
  const Device& gk107 = find_device("GK107");
  REQUIRE((gk107.cores == 384 && gk107.clock_mhz == 1058));
  REQUIRE_THAT(of_cores(gk107), WithinAbs(812.5, 0.05));
  const Device& gm107 = find_device("GM107");
  REQUIRE((gm107.cores == 640 && gm107.clock_mhz == 1020));
  REQUIRE_THAT(of_cores(gm107), WithinAbs(1305.6, 0.05));
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

TEST_CASE("§3 A100, 164 KB shared, 2,048 threads: at most 82 B shared per thread", "[model][facts]") {
  STATIC_REQUIRE(full_occupancy_budget(a100_by_textbook).shared_bytes == 82);
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
  // A name that holds another, or is held by it, is the nearest, however many letters there are.
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
  REQUIRE(built_in_like("NVIDIA GeForce RTX 5090") == nullptr);
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
    // G80's 367 counts more than multiply-adds; MI300X and MI355X issue two fp32 operations per core.
    if (device.vendor == Vendor::cpu || device.name == "G80") continue;
    CAPTURE(std::string(device.name));
    const double issues = device.name == "MI300X" || device.name == "MI355X" ? 2 : 1;
    REQUIRE_THAT(device.vector.fp32, WithinRel(issues * peak_of_cores(device.cores, device.clock_mhz), 0.01));
  }
}

TEST_CASE("an unknown compute capability is refused", "[model]") {
  REQUIRE_THROWS_MATCHES(nvidia_limits(4, 0), rooftile::Error, MessageMatches(ContainsSubstring("4.0")));
}
