// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The time of a plan, compared with values computed by hand.
#include "plan/predict.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "plan/choose.hpp"
#include "plan/describe.hpp"
#include "plan/device_target.hpp"
#include "plan/register_blocks.hpp"
#include "rooftile/model/device_table.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

using Catch::Matchers::WithinRel, detail::cycles_of, detail::PlannedWork;

constexpr Type bf16 = Type::bf16, fp32 = Type::fp32, fp64 = Type::fp64;
constexpr TileShape in_fp64{64, 64, 16, 4, 4};

TEST_CASE("a batch of no products has a plan", "[predict]") {
  for (const ComputeMode math :
       {ComputeMode::fp32, ComputeMode::cfp64, ComputeMode::tf32, ComputeMode::bf16}) {
    const GemmDesc desc = describe({27, 2, 16}, type_of(math), 0);
    CHECK(choose(desc, {}, testing::h200(Path::native, math)).kernel != Kernel::automatic);
  }
}

/// Costs with round numbers. Memory traffic takes no time.
model::ModeCosts round_costs() {
  model::ModeCosts mode;
  mode.memory_start = 1e-3F, mode.l2_bytes = mode.dram_bytes = 1e9F, mode.crowded = 0.5F;
  mode.repack_start = 7000, mode.repack_bytes = 10, mode.split_start = 5000, mode.split_bytes = 20;
  mode.unit_start = 6000, mode.unit_bytes = 40;
  mode.ragged_c = 2, mode.read_c = 3, mode.update_c = 7, mode.ragged_c_tma = 4, mode.read_c_tma = 5,
  mode.update_c_tma = 9;
  mode.ragged_k = 0.25F;
  return mode;
}
constexpr model::TileCosts round_tile{Kernel::tensor_core, in_fp64, 1000, 300, 100, 1e-3F};

double cycles(const PlannedWork& work, bool tma = false, const model::TileCosts& tile = round_tile) {
  return cycles_of(round_costs(), tile, work, 10, tma);
}

TEST_CASE("rounds of blocks take their steps, and more for each further block of an SM", "[predict]") {
  const auto of = [](Index blocks) { return cycles({.blocks = blocks, .resident = 2, .steps = 50}); };
  CHECK_THAT(of(1), WithinRel(1000.0 + 5000));
  CHECK(of(10) == of(1));
  CHECK_THAT(of(11), WithinRel(1500.0 + 5000));  // two per SM, concurrently
  CHECK_THAT(of(21), WithinRel(1500.0 + 300 + 10000));
  CHECK_THAT(of(41), WithinRel(1500.0 + 600 + 15000));
  model::TileCosts busy = round_tile;
  busy.busy = 1e4F;  // a step then takes as long as its blocks in sequence
  CHECK_THAT(cycles({.blocks = 20, .resident = 2, .steps = 50}, false, busy),
             WithinRel(1500 + 50 * 2e4, 1e-6));
}

TEST_CASE("storing C takes time by whether it is aligned and read", "[predict]") {
  struct {
    bool ragged, reads, tma;
    double each;
  } const all[] = {{true, false, false, 2}, {false, true, false, 3}, {true, true, false, 7},
                   {true, false, true, 4},  {false, true, true, 5},  {true, true, true, 9}};
  for (const auto& [ragged, reads, tma, each] : all) {
    PlannedWork work{.blocks = 20, .resident = 1, .steps = 1};
    const double plain = cycles(work, tma);
    work.tile_elements = 8, work.ragged_c = ragged, work.reads_c = reads;
    CHECK_THAT(cycles(work, tma) - plain, WithinRel(2.0 * 8 * each, 1e-6));
  }
}

TEST_CASE("repacking, partial sums and work units add their kernels", "[predict]") {
  const double plain = cycles({.blocks = 1, .steps = 50});
  CHECK_THAT(cycles({.blocks = 1, .steps = 50, .repacked = 1000}), WithinRel(plain + 7000 + 100));
  CHECK_THAT(cycles({.blocks = 1, .steps = 50, .partial = 1000}, true), WithinRel(plain + 5000 + 50));
  CHECK_THAT(cycles({.blocks = 0, .steps = 50, .units = 10, .unit_steps = 20, .partial = 1000}),
             WithinRel(1000.0 + 2000 + 300 + 6000 + 25));
}

TEST_CASE("elements that threads copy one by one lengthen each step", "[predict]") {
  const PlannedWork vectors{.blocks = 1, .steps = 50};
  PlannedWork ragged = vectors;
  ragged.read_a = &model::ModeCosts::ragged_k, ragged.panel_a = 40;
  CHECK_THAT(cycles(ragged) - cycles(vectors), WithinRel(0.25 * 40 * (50 + 8)));
}

TEST_CASE("a product takes no less than its bytes from memory", "[predict]") {
  model::ModeCosts mode = round_costs();
  mode.memory_start = 2000, mode.l2_bytes = 100, mode.dram_bytes = 10;
  const auto of = [&](double bytes) {
    return cycles_of(mode, round_tile, {.blocks = 1, .steps = 0, .bytes = bytes}, 10, false);
  };
  CHECK_THAT(of(1e8), WithinRel(2000 + 3e5 + 7e6, 1e-3));  // L2 keeps 30 MB
  CHECK(of(0) >= 2000);
}

TEST_CASE("panels are read by what threads copy", "[predict]") {
  using M = model::ModeCosts;
  const detail::OperandAlignment whole_k{true, true}, whole_x{false, true}, pairs_k{true, false, true},
      ragged_k{true, false, false}, ragged_x{false, false, false};
  CHECK(detail::read_of(whole_k, true, bf16) == nullptr);
  CHECK(detail::read_of(whole_x, true, bf16) == &M::whole_mn);
  CHECK(detail::read_of(pairs_k, true, bf16) == &M::pairs_k);
  CHECK(detail::read_of(ragged_k, true, bf16) == &M::ragged_k);
  CHECK(detail::read_of(ragged_x, true, fp64) == &M::ragged_mn);
  CHECK(detail::read_of(whole_x, false, fp32) == nullptr);
  CHECK(detail::read_of(whole_k, false, fp32) == &M::whole_k);
  CHECK(detail::read_of(ragged_k, false, fp32) == &M::unaligned_k);
  CHECK(detail::read_of(ragged_x, false, fp32) == &M::unaligned_mn);
}

TEST_CASE("the work of a plan is what its kernel does", "[predict]") {
  const Target h200 = testing::h200(Path::native, ComputeMode::fp64);
  const GemmDesc desc = describe({1000, 130, 100}, fp64, 3);
  const GemmPlan plan = choose(desc, {.kernel = Kernel::tensor_core, .tile = in_fp64}, h200);
  const PlannedWork work = detail::planned_work(plan, 3);
  CHECK(work.blocks == 3 * 16 * 3);
  CHECK((work.steps == 7 && work.resident == 2 && work.units == 0 && work.repacked == 0));
  CHECK(work.bytes == 3.0 * 8 * (1000 * 130 + 1000 * 100 + 130 * 100));
  const Target in_16_bits = testing::h200(Path::native, ComputeMode::bf16);
  const GemmPlan tma =
      choose({200, 70, 128}, {.kernel = Kernel::warpgroup, .tile = {128, 128, 32, 1, 64}}, in_16_bits);
  CHECK(detail::planned_work(tma, 1).blocks == 2);
  CHECK(detail::planned_work(tma, 1).steps == 2);  // of 128 bytes
}

TEST_CASE("blocks share operands where L2 would hold them up, and start alone where it would not",
          "[predict]") {
  const Target h200 = testing::h200(Path::native, ComputeMode::bf16);
  const auto cluster = [&](GemmShape shape, TileShape tile) {
    return choose(shape, {.kernel = Kernel::warpgroup, .tile = tile}, h200).cluster;
  };
  CHECK(cluster({784, 992, 5024}, {64, 128, 32, 1, 64}).size() == 8);  // 104 blocks, 79 steps
  CHECK(cluster({256, 432, 128}, {128, 128, 32, 1, 64}).size() == 1);  // 8 blocks, 2 steps
  CHECK(cluster({8192, 64, 8192}, {64, 64, 32, 1, 32}).n == 1);        // no neighbour along N
}

TEST_CASE("K is split for kernels that TMA feeds where that is faster", "[predict]") {
  for (const ComputeMode math : {ComputeMode::bf16, ComputeMode::tf32}) {
    const Target h200 = testing::h200(Path::native, math);
    const TileShape narrow{64, 64, 32, 1, 32};
    const GemmOptions named{.kernel = Kernel::warpgroup, .tile = narrow};
    const GemmPlan few = choose({64, 64, 65536}, named, h200);
    CHECK(few.split_k > 4);
    GemmDesc desc = describe({64, 64, 65536}, h200.type());
    const GemmPlan whole =
        choose(desc, {.kernel = Kernel::warpgroup, .tile = narrow, .workspace = {nullptr, 0}}, h200);
    CHECK((whole.split_k == 1 && few.seconds < whole.seconds));
    CHECK(choose({4096, 4096, 4096}, named, h200).split_k == 1);
    CHECK(choose({64, 64, 64}, named, h200).split_k == 1);
  }
}

TEST_CASE("a GPU of the table has the figures of its architecture, or sm_90's by its own rates",
          "[predict]") {
  for (const model::Device& device : model::devices) {
    if (!device.has_sm_limits()) continue;
    INFO(device.name);
    const model::Costs costs = target_of(device, Path::portable, ComputeMode::fp32).costs;
    CHECK(costs.clock_mhz == device.clock_mhz);
    const model::KernelCosts* const measured = model::detail::measured_on(device.architecture);
    CHECK(costs.is_generic == (measured == nullptr));
    CHECK(costs.kernels.name == (measured != nullptr ? measured->name : model::sm_90.name));
    CHECK((costs.rates.lanes > 0 && costs.rates.matrix_fp64 > 0 && costs.rates.matrix_16 > 0));
  }
}

void check_figures(const model::KernelCosts& row) {
  INFO(row.name);
  std::size_t tiles = 0;
  for (const model::ModeCosts& mode : row.modes) {
    INFO(to_string(mode.path) << ' ' << to_string(mode.math));
    CHECK(row.in(mode.path, mode.math) == &mode);
    CHECK(mode.first == tiles);
    for (const auto& figure : model::mode_figures) CHECK(mode.*figure.member > 0);
    for (const model::TileCosts& tile : row.of(mode)) {
      const Rung& rung = rung_of(tile.kernel);
      CHECK(rung.supports(mode.math, mode.path));
      CHECK(detail::is_built(rung, mode.path, tile.tile, type_of(mode.math)));
      for (const auto& figure : model::tile_figures) CHECK(tile.*figure.member > 0);
    }
    tiles += mode.count;
  }
  CHECK(tiles == row.tiles.size());
}

TEST_CASE("the shipped figures are positive, each mode and tile once", "[predict]") {
  for (const model::MeasuredCosts& measured : model::measured_costs) check_figures(*measured.kernels);
}

}  // namespace
}  // namespace rooftile
