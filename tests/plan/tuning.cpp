// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The tuning table: which entry applies to a product, and which kernel gemm then chooses.
#include "rooftile/tuning.hpp"

#include <catch2/catch_test_macros.hpp>

#include "plan/plan.hpp"
#include "tests/support/multiply.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

using testing::cpu, testing::cube, testing::refused;

/// The layout that `choose` assumes without other information: the best one for copies by threads.
constexpr TuningLayout best{.a_is_row_major = false};

TuningEntry entry(GemmShape shape, Kernel kernel = Kernel::automatic, TileShape tile = {}) {
  return {Path::native, ComputeMode::fp32, shape, best, kernel, tile, 900, 1000};
}

constexpr TileShape tile_of(Kernel kernel, std::size_t number) {
  return rung_of(kernel).tiles[number];
}

Target h200(ComputeMode math = ComputeMode::fp32) {
  Target target = testing::native(testing::today, math);
  target.limits.shared_bytes_optin = 227 * testing::kib;
  target.device = "NVIDIA H200";
  return target;
}

/// The choice for operands in the layout `best`.
GemmPlan chosen(GemmShape shape, const GemmOptions& options, const Target& target, Index count = 1) {
  GemmDesc desc = describe(shape, target.type(), count);
  desc.alignment = {}, desc.result = {};
  return choose(desc, options, target);
}

/// The kernel that the model chooses.
Kernel by_model(GemmShape shape) {
  return chosen(shape, {}, h200()).kernel;
}

std::string nearest(const TuningTable& table, GemmShape shape) {
  const TuningEntry* found = table.nearest(Path::native, ComputeMode::fp32, shape, best);
  return found == nullptr ? "none" : to_string(found->shape);
}

TEST_CASE("an entry speaks for products of its path and mode within an eighth of its own", "[tuning]") {
  const TuningTable table{"gpu", {entry({1024, 64, 7})}};
  CHECK(nearest(table, {1024, 64, 7}) == "1024x64x7");
  CHECK(nearest(table, {1152, 72, 7}) == "1024x64x7");
  CHECK(nearest(table, {896, 56, 7}) == "1024x64x7");
  CHECK(nearest(table, {1153, 64, 7}) == "none");
  CHECK(nearest(table, {895, 64, 7}) == "none");
  CHECK(nearest(table, {1024, 73, 7}) == "none");
  CHECK(nearest(table, {1024, 55, 7}) == "none");
  CHECK(nearest(table, {1024, 64, 8}) == "none");  // an eighth of 7 rounds to 0
  CHECK(nearest(table, {1024, 64, 0}) == "none");
  CHECK(nearest({"gpu", {}}, {1024, 64, 7}) == "none");
  CHECK(table.nearest(Path::portable, ComputeMode::fp32, {1024, 64, 7}, best) == nullptr);
  CHECK(table.nearest(Path::native, ComputeMode::tf32, {1024, 64, 7}, best) == nullptr);
}

TEST_CASE("of several entries the nearest speaks, of equals the first", "[tuning]") {
  const TuningTable table{"gpu",
                          {entry({1000, 1000, 1000}), entry({1024, 1024, 1024}), entry({1040, 960, 1000})}};
  CHECK(nearest(table, {1000, 1000, 1000}) == "1000x1000x1000");
  CHECK(nearest(table, {1024, 1024, 1024}) == "1024x1024x1024");
  CHECK(nearest(table, {1010, 1010, 1010}) == "1000x1000x1000");
  CHECK(nearest(table, {1020, 1020, 1020}) == "1024x1024x1024");
  CHECK(nearest(table, {1040, 960, 1000}) == "1040x960x1000");
  // The extent with the largest deviation decides.
  CHECK(nearest(table, {1024, 1024, 1100}) == "1024x1024x1024");
  const TuningTable equals{"gpu", {entry({96, 100, 100}), entry({100, 96, 100})}};
  CHECK(nearest(equals, {98, 98, 100}) == "96x100x100");
}

/// The layout key of a product. Leading dimensions are larger than the rows or columns by `padding`.
template <class T = float>
TuningLayout layout_of(GemmShape shape, bool a_rows, bool b_rows, Index padding = 0, bool c_rows = true) {
  const auto [m, n, k] = shape;
  alignas(16) static T memory[1];  // never read
  const auto matrix = [&](Index rows, Index cols, bool by_rows) -> MatrixRef<T> {
    const Index ld = (by_rows ? cols : rows) + padding;
    return by_rows ? MatrixRef<T>{memory, rows, cols, ld, 1} : MatrixRef<T>{memory, rows, cols, 1, ld};
  };
  BatchArgs<T> args{{1, matrix(m, k, a_rows), matrix(k, n, b_rows), 0, matrix(m, n, c_rows)}, {}};
  return tuning_layout(describe(c_rows ? args : args.transposed()));
}

TEST_CASE("a layout has the directions of lines, and how wide they can be read", "[tuning]") {
  constexpr Alignment ragged = Alignment::ragged, pairs = Alignment::pairs, padded = Alignment::padded,
                      aligned = Alignment::aligned;
  const GemmShape even{64, 32, 16};
  for (const bool a : {false, true}) {
    for (const bool b : {false, true})
      CHECK(layout_of(even, a, b) == TuningLayout{a, b, aligned, aligned, aligned});
  }
  CHECK(layout_of({64, 32, 17}, true, true) == TuningLayout{true, true, ragged, aligned, aligned});
  CHECK(layout_of({64, 31, 16}, true, true) == TuningLayout{true, true, aligned, ragged, ragged});
  CHECK(layout_of({64, 31, 16}, true, false) == TuningLayout{true, false, aligned, aligned, ragged});
  CHECK(layout_of({63, 32, 16}, false, true) == TuningLayout{false, true, ragged, aligned, aligned});
  CHECK(layout_of({62, 30, 18}, true, true) == TuningLayout{true, true, ragged, ragged, ragged});
  CHECK(layout_of<float16>({62, 30, 18}, true, true) == TuningLayout{true, true, pairs, pairs, ragged});
  CHECK(layout_of<float16>({62, 30, 17}, false, false) == TuningLayout{false, false, pairs, ragged, ragged});
  CHECK(layout_of<double>({62, 30, 18}, true, true) == TuningLayout{true, true, aligned, aligned, aligned});
  CHECK(layout_of({63, 29, 13}, true, true, 3) == TuningLayout{true, true, padded, padded, aligned});
  CHECK(layout_of({64, 32, 16}, true, true, 1) == TuningLayout{true, true, ragged, ragged, ragged});
}

TEST_CASE("a product and the one that is computed in its place have one entry", "[tuning]") {
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      // Cᵀ = Bᵀ·Aᵀ, whose first operand is Bᵀ.
      CHECK(layout_of({31, 64, 16}, a, b, 0, false) == layout_of({64, 31, 16}, !b, !a));
      CHECK(layout_of({64, 32, 17}, a, b, 0, false) == layout_of({32, 64, 17}, !b, !a));
    }
  }
}

TEST_CASE("an entry speaks for its own layout", "[tuning]") {
  const TuningTable table{
      "NVIDIA H200",
      {{Path::native, ComputeMode::fp32, cube, {}, Kernel::tiled, square_tile(8), 1, 2},
       {Path::native, ComputeMode::fp32, cube, {.b_is_row_major = false}, Kernel::naive, cta(4, 64), 1, 2}}};
  const auto kernel = [&](bool a_rows, bool b_rows, GemmShape shape = cube) {
    const GemmPlan found = plan(describe(shape, Type::fp32, 1, a_rows, b_rows), {.tuning = &table}, h200());
    return found.tuned ? found.kernel : Kernel::automatic;
  };
  CHECK(kernel(true, true) == Kernel::tiled);
  CHECK(kernel(true, false) == Kernel::naive);
  CHECK(kernel(false, true) == Kernel::automatic);
  CHECK(kernel(false, false) == Kernel::automatic);
  CHECK(kernel(true, false, {64, 65, 64}) == Kernel::automatic);  // rows of C are ragged
  CHECK(kernel(true, false, {65, 64, 64}) == Kernel::naive);
  for (const bool c : {false, true}) {  // the layout of C only
    GemmDesc desc = describe(cube, Type::fp32, 1, true, false);
    desc.result.rows = c;
    CHECK(plan(desc, {.tuning = &table}, h200()).tuned == c);
  }
}

TEST_CASE("gemm takes what the table has, where it names nothing itself", "[tuning]") {
  const GemmShape shape{1024, 1024, 1024};
  const TileShape tile = tile_of(Kernel::register_blocked, 1);
  const TuningTable table{"NVIDIA H200", {entry(shape, Kernel::register_blocked, tile)}};
  const GemmOptions tuned{.tuning = &table};
  REQUIRE(by_model(shape) != Kernel::register_blocked);
  CHECK_FALSE(chosen(shape, {}, h200()).tuned);

  const Choice choice = chosen(shape, tuned, h200());
  CHECK((choice.kernel == Kernel::register_blocked && choice.tile == tile && choice.tuned));
  CHECK((choice.math == ComputeMode::fp32 && choice.why == "measured: the fastest on this device"));
  CHECK(chosen({1000, 1000, 1000}, tuned, h200()).kernel == Kernel::register_blocked);
  const GemmShape far{2048, 1024, 1024};
  CHECK((chosen(far, tuned, h200()).kernel == by_model(far) && !chosen(far, tuned, h200()).tuned));
  CHECK_FALSE(chosen(shape, tuned, h200(ComputeMode::fp64)).tuned);

  const GemmOptions named{.kernel = Kernel::tiled, .tuning = &table};
  CHECK((chosen(shape, named, h200()).kernel == Kernel::tiled && !chosen(shape, named, h200()).tuned));
  const GemmOptions with_tile{.tile = tile_of(Kernel::pipelined, 0), .tuning = &table};
  CHECK_FALSE(chosen(shape, with_tile, h200()).tuned);
}

TEST_CASE("a tuning table is not used for batches", "[tuning]") {
  const GemmShape shape{1024, 1024, 1024};
  const TuningTable table{"NVIDIA H200", {entry(shape, Kernel::register_blocked)}}, other{"abacus", {}};
  CHECK(chosen(shape, {.tuning = &table}, h200(), 1).kernel == Kernel::register_blocked);
  for (const Index count : {2, 1000}) {
    const Choice choice = chosen(shape, {.tuning = &table}, h200(), count);
    CHECK((!choice.tuned && choice.kernel == chosen(shape, {}, h200(), count).kernel));
    CHECK(chosen(shape, {.tuning = &other}, h200(), count).kernel == choice.kernel);
  }
}

TEST_CASE("the mode that a caller names is looked up", "[tuning]") {
  TuningTable table{"NVIDIA H200", {entry(cube, Kernel::warpgroup, tile_of(Kernel::warpgroup, 3))}};
  table.entries[0].math = ComputeMode::tf32;
  CHECK_FALSE(chosen(cube, {.tuning = &table}, h200()).tuned);
  const Choice choice = chosen(cube, {.math = ComputeMode::tf32, .tuning = &table}, h200());
  CHECK((choice.tuned && choice.math == ComputeMode::tf32 && choice.tile == tile_of(Kernel::warpgroup, 3)));
}

TEST_CASE("the model decides where an entry says so, or its kernel cannot compute the product", "[tuning]") {
  TuningTable table{"NVIDIA H200",
                    {entry({64, 64, 64}, Kernel::tiled, square_tile(32)), entry({68, 64, 64})}};
  const GemmOptions tuned{.tuning = &table};
  CHECK(chosen({64, 64, 64}, tuned, h200()).kernel == Kernel::tiled);
  const Choice ragged =
      chosen({65, 64, 64}, tuned, h200());  // 64 is nearest, but tiles of 32 do not divide 65
  CHECK((ragged.kernel == by_model({65, 64, 64}) && !ragged.tuned));
  const Choice stands = chosen({68, 64, 64}, tuned, h200());
  CHECK((stands.kernel == by_model({68, 64, 64}) && !stands.tuned));
}

TEST_CASE("an entry without a tile takes the kernel's own", "[tuning]") {
  TuningTable table{"a CPU", {entry(cube, Kernel::packed), entry({9, 9, 9}, Kernel::tiled_dynamic)}};
  for (TuningEntry& e : table.entries) e.path = Path::portable;
  Target here = cpu();
  here.device = "a CPU";
  const Choice choice = chosen(cube, {.tuning = &table}, here);
  CHECK((choice.kernel == Kernel::packed && choice.tile == here.cache_blocks && choice.tuned));
  CHECK(chosen({9, 9, 9}, {.tuning = &table}, here).tile == square_tile(32));
}

TEST_CASE("a table of another device is refused", "[tuning]") {
  const TuningTable table{"NVIDIA A100", {}};
  CHECK(refused([&] {
          chosen(cube, {.tuning = &table}, h200());
        }).starts_with("tuning table of another device (NVIDIA A100, here is NVIDIA H200)"));
  // A table with its own costs, also if the caller names the kernel.
  CHECK(refused([&] {
          plan(describe(cube, Type::fp32), {.kernel = Kernel::naive, .tuning = &table}, h200());
        }) != "");
}

TEST_CASE("the model goes by the costs of a table", "[tuning]") {
  const GemmDesc large = describe({4096, 4096, 4096}, Type::fp32);
  const TileShape small{32, 64, 16, 4, 4}, other{64, 128, 16, 8, 8};
  TuningTable table{"NVIDIA H200", {}};
  table.modes = {{.path = Path::native, .math = ComputeMode::fp32, .first = 0, .count = 2}};
  table.tiles = {{Kernel::pipelined, small, 1000, 1000, 100, 100},
                 {Kernel::pipelined, other, 1000, 1000, 1e6F, 1e6F}};
  const GemmPlan by_table = plan(large, {.tuning = &table}, h200());
  CHECK((by_table.kernel == Kernel::pipelined && by_table.tile == small && !by_table.tuned));
  table.tiles[0].step = table.tiles[0].busy = 1e9F;
  CHECK(plan(large, {.tuning = &table}, h200()).tile == other);
  CHECK(model::costs_over(table, h200().costs).kernels.name == "NVIDIA H200");
  // If the table has no costs for a mode, the device's kernels are tried in their order.
  GemmDesc in_fp64 = describe({4096, 4096, 4096}, Type::fp64);
  Target doubles = h200();
  doubles.math = ComputeMode::fp64;
  CHECK(plan(in_fp64, {.tuning = &table}, doubles).kernel == Kernel::tensor_core);
  table.modes.clear(), table.tiles.clear();
  CHECK(plan(large, {.tuning = &table}, h200()).seconds == plan(large, {}, h200()).seconds);
}

}  // namespace
}  // namespace rooftile
