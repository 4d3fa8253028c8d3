// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The tuning table: which entry speaks for a product, what gemm takes then, and its file.
#include <filesystem>
#include <fstream>

#include <catch2/catch_test_macros.hpp>

#include "rooftile/plan.hpp"
#include "rooftile/tuning_file.hpp"
#include "tests/support/multiply.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

using testing::cpu;
using testing::cube;
using testing::refused;

/// What `choose` takes operands for where nobody says how they lie: as threads copy them best.
constexpr TuningLayout best{.a_is_row_major = false};

TuningEntry entry(GemmShape shape, Kernel kernel = Kernel::automatic, TileShape tile = {}) {
  return {Path::native, Math::fp32, shape, best, kernel, tile, 900, 1000};
}

constexpr TileShape tile_of(Kernel kernel, std::size_t number) {
  return rung_of(kernel).tiles[number];
}

Target h200(Math math = Math::fp32) {
  Target target = testing::native(testing::today, math);
  target.limits.shared_bytes_optin = 227 * testing::kib;
  target.device = "NVIDIA H200";
  return target;
}

/// What the model takes of a product.
Kernel by_model(GemmShape shape) {
  return choose(shape, {}, h200()).kernel;
}

std::string nearest(const TuningTable& table, GemmShape shape) {
  const TuningEntry* found = table.nearest(Path::native, Math::fp32, shape, best);
  return found == nullptr ? "none" : to_string(found->shape);
}

TEST_CASE("an entry speaks for products within an eighth of its own", "[tuning]") {
  const TuningTable table{"gpu", {entry({1024, 64, 7})}};
  CHECK(nearest(table, {1024, 64, 7}) == "1024x64x7");
  CHECK(nearest(table, {1152, 72, 7}) == "1024x64x7");
  CHECK(nearest(table, {896, 56, 7}) == "1024x64x7");
  CHECK(nearest(table, {1153, 64, 7}) == "none");
  CHECK(nearest(table, {895, 64, 7}) == "none");
  CHECK(nearest(table, {1024, 73, 7}) == "none");
  CHECK(nearest(table, {1024, 55, 7}) == "none");
  CHECK(nearest(table, {1024, 64, 8}) == "none");  // an eighth of 7 is nothing
  CHECK(nearest(table, {1024, 64, 0}) == "none");
  CHECK(nearest({"gpu", {}}, {1024, 64, 7}) == "none");
}

TEST_CASE("of several entries the nearest speaks, of equals the first", "[tuning]") {
  const TuningTable table{"gpu",
                          {entry({1000, 1000, 1000}), entry({1024, 1024, 1024}), entry({1040, 960, 1000})}};
  CHECK(nearest(table, {1000, 1000, 1000}) == "1000x1000x1000");
  CHECK(nearest(table, {1024, 1024, 1024}) == "1024x1024x1024");
  CHECK(nearest(table, {1010, 1010, 1010}) == "1000x1000x1000");
  CHECK(nearest(table, {1020, 1020, 1020}) == "1024x1024x1024");
  CHECK(nearest(table, {1040, 960, 1000}) == "1040x960x1000");
  // The extent that is farthest off counts.
  CHECK(nearest(table, {1024, 1024, 1100}) == "1024x1024x1024");
  const TuningTable equals{"gpu", {entry({96, 100, 100}), entry({100, 96, 100})}};
  CHECK(nearest(equals, {98, 98, 100}) == "96x100x100");
}

TEST_CASE("an entry speaks for its own path and math mode", "[tuning]") {
  const TuningTable table{"gpu", {entry(cube)}};
  CHECK(table.nearest(Path::portable, Math::fp32, cube, best) == nullptr);
  CHECK(table.nearest(Path::native, Math::tf32, cube, best) == nullptr);
  CHECK(table.nearest(Path::native, Math::fp32, cube, best) != nullptr);
}

/// The key of a product in fp32 or another type whose operands' lines are so much longer than what is read.
template <class T = float>
TuningLayout layout_of(GemmShape shape, bool a_rows, bool b_rows, Index padding = 0, bool c_rows = true) {
  const auto [m, n, k] = shape;
  alignas(16) static T memory[1];  // of which nothing is read
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
      // Cᵀ = Bᵀ·Aᵀ, whose first factor is B transposed.
      CHECK(layout_of({31, 64, 16}, a, b, 0, false) == layout_of({64, 31, 16}, !b, !a));
      CHECK(layout_of({64, 32, 17}, a, b, 0, false) == layout_of({32, 64, 17}, !b, !a));
    }
  }
}

TEST_CASE("an entry speaks for its own layout", "[tuning]") {
  const TuningTable table{
      "NVIDIA H200",
      {{Path::native, Math::fp32, cube, {}, Kernel::tiled, square_tile(8), 1, 2},
       {Path::native, Math::fp32, cube, {.b_is_row_major = false}, Kernel::naive, cta(4, 64), 1, 2}}};
  const auto kernel = [&](bool a_rows, bool b_rows, GemmShape shape = cube) {
    const GemmPlan found = plan(describe(shape, Type::fp32, 1, a_rows, b_rows), {.tuning = &table}, h200());
    return found.tuned ? found.kernel : Kernel::automatic;
  };
  CHECK(kernel(true, true) == Kernel::tiled);
  CHECK(kernel(true, false) == Kernel::naive);
  CHECK(kernel(false, true) == Kernel::automatic);
  CHECK(kernel(false, false) == Kernel::automatic);
  CHECK(kernel(true, false, {64, 65, 64}) == Kernel::automatic);  // whose rows of C are ragged
  CHECK(kernel(true, false, {65, 64, 64}) == Kernel::naive);
  for (const bool c : {false, true}) {  // of C alone
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
  CHECK_FALSE(choose(shape, {}, h200()).tuned);

  const Choice choice = choose(shape, tuned, h200());
  CHECK((choice.kernel == Kernel::register_blocked && choice.tile == tile && choice.tuned));
  CHECK((choice.math == Math::fp32 && choice.why == "measured: the fastest on this device"));
  CHECK(choose({1000, 1000, 1000}, tuned, h200()).kernel == Kernel::register_blocked);
  const GemmShape far{2048, 1024, 1024};
  CHECK((choose(far, tuned, h200()).kernel == by_model(far) && !choose(far, tuned, h200()).tuned));
  CHECK_FALSE(choose(shape, tuned, h200(Math::fp64)).tuned);

  const GemmOptions named{.kernel = Kernel::tiled, .tuning = &table};
  CHECK((choose(shape, named, h200()).kernel == Kernel::tiled && !choose(shape, named, h200()).tuned));
  const GemmOptions with_tile{.tile = tile_of(Kernel::pipelined, 0), .tuning = &table};
  CHECK_FALSE(choose(shape, with_tile, h200()).tuned);
}

TEST_CASE("a table of single products says nothing of batches", "[tuning]") {
  const GemmShape shape{1024, 1024, 1024};
  const TuningTable table{"NVIDIA H200", {entry(shape, Kernel::register_blocked)}}, other{"abacus", {}};
  CHECK(choose(shape, {.tuning = &table}, h200(), 1).kernel == Kernel::register_blocked);
  for (const Index count : {2, 1000}) {
    const Choice choice = choose(shape, {.tuning = &table}, h200(), count);
    CHECK((!choice.tuned && choice.kernel == choose(shape, {}, h200(), count).kernel));
    CHECK(choose(shape, {.tuning = &other}, h200(), count).kernel == choice.kernel);
  }
}

TEST_CASE("the mode that a caller names is looked up", "[tuning]") {
  TuningTable table{"NVIDIA H200", {entry(cube, Kernel::warpgroup, tile_of(Kernel::warpgroup, 3))}};
  table.entries[0].math = Math::tf32;
  CHECK_FALSE(choose(cube, {.tuning = &table}, h200()).tuned);
  const Choice choice = choose(cube, {.math = Math::tf32, .tuning = &table}, h200());
  CHECK((choice.tuned && choice.math == Math::tf32 && choice.tile == tile_of(Kernel::warpgroup, 3)));
}

TEST_CASE("the model decides where the table says so, or has what cannot compute the product", "[tuning]") {
  TuningTable table{"NVIDIA H200",
                    {entry({64, 64, 64}, Kernel::tiled, square_tile(32)), entry({68, 64, 64})}};
  const GemmOptions tuned{.tuning = &table};
  CHECK(choose({64, 64, 64}, tuned, h200()).kernel == Kernel::tiled);
  const Choice ragged =
      choose({65, 64, 64}, tuned, h200());  // nearest is 64, which tiles of 32 do not divide
  CHECK((ragged.kernel == by_model({65, 64, 64}) && !ragged.tuned));
  const Choice stands = choose({68, 64, 64}, tuned, h200());
  CHECK((stands.kernel == by_model({68, 64, 64}) && !stands.tuned));
}

TEST_CASE("an entry without a tile takes the kernel's own", "[tuning]") {
  TuningTable table{"a CPU", {entry(cube, Kernel::packed), entry({9, 9, 9}, Kernel::tiled_dynamic)}};
  for (TuningEntry& e : table.entries) e.path = Path::portable;
  Target here = cpu();
  here.device = "a CPU";
  const Choice choice = choose(cube, {.tuning = &table}, here);
  CHECK((choice.kernel == Kernel::packed && choice.tile == here.cache_blocks && choice.tuned));
  CHECK(choose({9, 9, 9}, {.tuning = &table}, here).tile == square_tile(32));
}

TEST_CASE("a table of another device is refused", "[tuning]") {
  const TuningTable table{"NVIDIA A100", {}};
  CHECK(
      refused([&] { choose(cube, {.tuning = &table}, h200()); }) ==
      "tuning table of another device (NVIDIA A100, here is NVIDIA H200): run `rooftile tune` here, or pass "
      "no table");
  // With costs of its own, also where the caller names the kernel.
  CHECK(refused([&] {
          plan(describe(cube, Type::fp32), {.kernel = Kernel::naive, .tuning = &table}, h200());
        }) != "");
}

TEST_CASE("what is written is read", "[tuning]") {
  TuningTable table{
      "NVIDIA H200",
      {entry({64, 64, 65536}, Kernel::pipelined, tile_of(Kernel::pipelined, 1)), entry({1024, 1024, 1024})}};
  table.entries.push_back({Path::portable, Math::fp64, {8, 9, 10}, {}, Kernel::tiled_dynamic, {}, 5, 6});
  for (const Alignment a : {Alignment::ragged, Alignment::pairs, Alignment::padded, Alignment::aligned}) {
    for (const bool rows : {false, true}) {
      const TuningLayout layout{rows, !rows, a, Alignment::aligned,
                                rows ? Alignment::ragged : Alignment::aligned};
      table.entries.push_back({Path::native, Math::fp16, {8, 9, 10}, layout, Kernel::automatic, {}, 5, 6});
    }
  }
  const auto add_tiles = [&](const Rung& rung, Path path, Math math, bool repack = false) {
    for (const TileShape& tile : rung.tiles) {
      if (!detail::is_built(rung, path, tile, type_of(math))) continue;
      const Index m = static_cast<Index>(table.entries.size());
      table.entries.push_back({path, math, {m, 1, 1}, best, rung.kernel, tile, 1, 2, repack});
    }
  };
  for (const Rung& rung : ladder)
    add_tiles(rung, rung.native ? Path::native : Path::portable, rung.maths.front());
  add_tiles(rung_of(Kernel::tensor_core), Path::portable, Math::tf32, true);
  for (const model::CostFigure& figure : model::cost_figures) {
    const double number = static_cast<double>(table.costs.size()) + 1;
    table.costs.push_back({figure.member, 1e-9 / number * number * number * 1.1});
  }
  const TuningTable read = parse_tuning(to_text(table, {"a remark", "# another"}), "file");
  CHECK(read.device == table.device);
  CHECK(read.costs == table.costs);
  CHECK(read.entries == table.entries);
  CHECK(to_text(read) == to_text(table));

  const testing::ScratchFolder folder;
  const std::string file = folder / "tuning";
  std::ofstream(file) << to_text(table);
  CHECK(read_tuning(file).entries == table.entries);
  std::filesystem::remove(file);
  CHECK(refused([&] { read_tuning(file); }) ==
        "cannot read (" + file + ", No such file or directory): name a file that `rooftile tune` wrote");
  CHECK(refused([&] { read_tuning(folder / ""); }) ==
        "cannot read (" + (folder / "").string() +
            ", Is a directory): name a file that `rooftile tune` wrote");
  CHECK(refused([] { read_tuning("/dev/zero"); }) ==
        "cannot read (/dev/zero, more than 67108864 bytes): name a file that `rooftile tune` wrote");
}

/// What is said of a table with one line that is not the writer's.
std::string said(const std::string& line) {
  return refused([&] { parse_tuning("rooftile tuning 2\ndevice D\n\n# remark\n" + line + "\nend\n", "f"); });
}

TEST_CASE("a cost that is none is refused by its name and value", "[tuning]") {
  CHECK(said("cost repack_start 6000") == "");
  CHECK(said("cost l2_byte 4.2e-2") == "");
  for (const std::string name : {"tilde", "repack", "repack_starts", ""}) {
    CHECK(said("cost " + name + " 1") ==
          "unknown cost (f line 5, '" + name +
              "'): take a member of model::Costs, or run `rooftile calibrate` again");
  }
  CHECK(said("cost repack_start") ==
        "no value of a cost (f line 5, 'cost repack_start'): write cost NAME VALUE");
  for (const std::string value : {"0", "-1", "nan", "inf", "1e999", "x", "1 2", "1x", ""}) {
    CHECK(said("cost repack_start " + value) ==
          "not a positive, finite value of repack_start (f line 5, '" + value + "'): write a number");
  }
  CHECK(said("cost unit_start 1\ncost repack_start 2\ncost unit_start 3") ==
        "cost twice (f line 7, 'cost unit_start 3'): leave one of the two");
}

TEST_CASE("the model goes by the costs of a table", "[tuning]") {
  const GemmDesc large = describe({4096, 4096, 4096}, Type::fp32, 1, true, false);
  const GemmPlan usual = plan(large, {}, h200());
  REQUIRE(usual.repack);
  TuningTable table{"NVIDIA H200", {}, {{&model::Costs::repack_start, 5000}}};
  const GemmPlan sooner = plan(large, {.tuning = &table}, h200());
  CHECK(sooner.repack);
  CHECK(!sooner.tuned);
  CHECK(sooner.cycles == usual.cycles - 1000);
  table.costs.push_back({&model::Costs::repack_bytes, 1});
  CHECK_FALSE(plan(large, {.tuning = &table}, h200()).repack);
  CHECK(table.costs_over(h200().costs).unit_start == h200().costs.unit_start);
  GemmDesc batch = large;  // of which entries say nothing
  batch.count = 3;
  CHECK(plan(batch, {}, h200()).repack);
  CHECK_FALSE(plan(batch, {.tuning = &table}, h200()).repack);
}

TEST_CASE("a layout that no product has is refused", "[tuning]") {
  const auto of = [](const std::string& math, const std::string& layout) {
    return said("native " + math + " 8x9x10 " + layout + " automatic - 5 6");
  };
  for (const char* letters : {"rrr", "rcr", "crr", "ccr"})
    CHECK(of("fp32", letters + std::string(" aligned")) == "");
  for (const std::string letters : {"rrc", "rr", "rrrr", "xrr", "RRR"}) {
    CHECK(of("fp32", letters + " aligned") ==
          "not a layout with rows of C (f line 5, '" + letters + "'): take one of rrr, rcr, crr, ccr");
  }
  for (const std::string alignment : {"ragged", "aligned,aligned", "-"}) {
    CHECK(of("fp32", "rrr " + alignment) ==
          "not an alignment (f line 5, '" + alignment + "'): write aligned, or A's,B's,C's");
  }
  CHECK(of("fp32", "rrr aligned,padded,ragged") == "");
  CHECK(of("fp16", "rrr pairs,pairs,ragged") == "");
  CHECK(of("fp32", "rrr pairs,aligned,aligned") ==
        "unknown alignment of A (f line 5, 'pairs'): take one of ragged, padded, aligned");
  CHECK(of("fp16", "rrr aligned,x,aligned") ==
        "unknown alignment of B (f line 5, 'x'): take one of ragged, padded, aligned, pairs");
  CHECK(of("fp16", "rrr aligned,,aligned") ==
        "unknown alignment of B (f line 5, ''): take one of ragged, padded, aligned, pairs");
  CHECK(of("fp32", "rrr aligned,aligned,padded") ==
        "unknown alignment of C (f line 5, 'padded'): take one of ragged, aligned");
  CHECK(of("fp32", "rrr aligned,aligned,aligned,aligned") ==
        "unknown alignment of C (f line 5, 'aligned,aligned'): take one of ragged, aligned");
}

TEST_CASE("a line that is not understood is refused by its number and value", "[tuning]") {
  CHECK(said("native fp32 8x9x10 rrr aligned naive 16x16 5 6") == "");
  CHECK(said("native fp32 8x9x10 rrr aligned naive 16x16 5") ==
        "not 9 fields, one space apart (f line 5, 'native fp32 8x9x10 rrr aligned naive 16x16 5'): write "
        "path math "
        "MxNxK layout alignment kernel tile ns ns_of_the_model");
  CHECK(said("native  fp32 8x9x10 rrr aligned naive 16x16 5 6") ==
        "not 9 fields, one space apart (f line 5, 'native  fp32 8x9x10 rrr aligned naive 16x16 5 6'): write "
        "path math "
        "MxNxK layout alignment kernel tile ns ns_of_the_model");
  CHECK(said("native fp32 8x9x10 rrr aligned naive 16x16 5 6 7") ==
        "not 9 fields, one space apart (f line 5, 'native fp32 8x9x10 rrr aligned naive 16x16 5 6 7'): write "
        "path math "
        "MxNxK layout alignment kernel tile ns ns_of_the_model");
  CHECK(said("vendor fp32 8x9x10 rrr aligned naive 16x16 5 6") ==
        "unknown path (f line 5, 'vendor'): take one of portable, native");
  CHECK(said("native fp8 8x9x10 rrr aligned naive 16x16 5 6") ==
        "unknown math mode (f line 5, 'fp8'): take one of fp32, fp64, fp16, bf16, tf32, tf32x3");
  for (const auto& [shape, wrong] : {std::pair{"8", ""},
                                     {"8x9", ""},
                                     {"8x9x", ""},
                                     {"x9x10", ""},
                                     {"8x9x10x11", "10x11"},
                                     {"8x9x1e3", "1e3"},
                                     {"8x-9x10", "-9"},
                                     {"0x9x10", "0"},
                                     {"8x9x99999999999999999999", "99999999999999999999"}}) {
    CHECK(said(std::string("native fp32 ") + shape + " rrr aligned naive 16x16 5 6") ==
          std::string("not a positive extent (f line 5, '") + wrong + "'): write a whole number");
  }
  CHECK(said("native fp32 8x9x10 rrr aligned tilde 16x16 5 6") ==
        "no kernel of the native path in fp32 (f line 5, 'tilde'): run `rooftile tune` again");
  CHECK(said("native fp32 8x9x10 rrr aligned packed - 5 6") ==
        "no kernel of the native path in fp32 (f line 5, 'packed'): run `rooftile tune` again");
  CHECK(said("native fp32 8x9x10 rrr aligned warpgroup 128x256x32 5 6") ==
        "no kernel of the native path in fp32 (f line 5, 'warpgroup'): run `rooftile tune` again");
  CHECK(said("native fp32 8x9x10 rrr aligned naive 17x17 5 6") ==
        "tile not built for naive in fp32 (f line 5, '17x17'): run `rooftile tune` again");
  CHECK(said("native fp32 8x9x10 rrr aligned naive - 5 6") ==
        "tile not built for naive in fp32 (f line 5, '-'): run `rooftile tune` again");
  CHECK(said("native fp64 8x9x10 rrr aligned pipelined 128x256x16 5 6") ==
        "tile not built for pipelined in fp64 (f line 5, '128x256x16'): run `rooftile tune` again");
  CHECK(said("native fp32 8x9x10 rrr aligned automatic 16x16 5 6") ==
        "tile of a kernel that lists none (f line 5, '16x16'): write -");
  CHECK(said("native fp32 8x9x10 rrr aligned naive 16x16 0 6") ==
        "not a positive time (f line 5, '0'): write a whole number");
  CHECK(said("native fp32 8x9x10 rrr aligned naive 16x16 5 6.5") ==
        "not a positive time (f line 5, '6.5'): write a whole number");
  CHECK(
      said(
          "native fp32 8x9x10 rrr aligned naive 16x16 5 6\nnative fp32 8x9x10 rrr aligned automatic - 5 6") ==
      "product twice (f line 6, 'native fp32 8x9x10 rrr aligned automatic - 5 6'): leave one of the two");
  CHECK(
      said(
          "native fp32 8x9x10 rrr aligned naive 16x16 5 6\nnative tf32 8x9x10 rrr aligned automatic - 5 6") ==
      "");
}

TEST_CASE("a file that is no table, or not all of one, is refused", "[tuning]") {
  const auto problem = [](const std::string& text) { return refused([&] { parse_tuning(text, "f"); }); };
  CHECK(problem("rooftile tuning 2\ndevice D\nend\n") == "");
  CHECK(problem("") == "table ends early (f line 1, ''): run `rooftile tune` again");
  CHECK(problem("rooftile tuning 3\n") ==
        "not a tuning table of this version (f line 1, 'rooftile tuning 3'): run `rooftile tune` again");
  CHECK(problem("rooftile tuning 1\n") ==
        "not a tuning table of this version (f line 1, 'rooftile tuning 1'): run `rooftile tune` again");
  CHECK(problem("{\"schema\": 1}\n") ==
        "not a tuning table of this version (f line 1, '{\"schema\": 1}'): run `rooftile tune` again");
  CHECK(problem("rooftile tuning 2\nend\n") == "no device (f line 2, 'end'): write device NAME");
  CHECK(problem("rooftile tuning 2\ndevice \nend\n") == "no device (f line 2, 'device '): write device NAME");
  CHECK(problem("rooftile tuning 2\ndevice D\n") ==
        "table ends early (f line 3, ''): run `rooftile tune` again");
  CHECK(problem("rooftile tuning 2\ndevice D\nnative fp32 8x9x10 rrr aligned nai") ==
        "table ends early (f line 3, 'native fp32 8x9x10 rrr aligned nai'): run `rooftile tune` again");
  CHECK(problem("rooftile tuning 2\ndevice D\nend") ==
        "table ends early (f line 3, 'end'): run `rooftile tune` again");
  CHECK(problem("rooftile tuning 2\ndevice D\nend\nend\n") ==
        "more after the end (f line 3, 'end'): run `rooftile tune` again");
}

}  // namespace
}  // namespace rooftile
