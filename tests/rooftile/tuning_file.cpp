// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The file of a tuning table.
#include "rooftile/tuning_file.hpp"

#include <filesystem>
#include <fstream>

#include <catch2/catch_test_macros.hpp>

#include "rooftile/model/cost_figures.hpp"
#include "tests/support/refused.hpp"
#include "tests/support/scratch_folder.hpp"

namespace rooftile {
namespace {

using testing::refused;

TEST_CASE("what is written is read", "[tuning]") {
  TuningTable table{"NVIDIA H200",
                    {{Path::native,
                      Math::fp32,
                      {64, 64, 65536},
                      {false},
                      Kernel::pipelined,
                      rung_of(Kernel::pipelined).tiles[1],
                      900,
                      1000},
                     {Path::native, Math::fp32, {1024, 1024, 1024}, {}, Kernel::automatic, {}, 900, 1000}}};
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
      table.entries.push_back({path, math, {m, 1, 1}, {}, rung.kernel, tile, 1, 2, repack});
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
  CHECK((read.device == table.device && read.costs == table.costs && read.entries == table.entries));
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
  CHECK(of("fp16", "rrr aligned,,aligned").starts_with("unknown alignment of B (f line 5, '')"));
  CHECK(of("fp32", "rrr aligned,aligned,padded") ==
        "unknown alignment of C (f line 5, 'padded'): take one of ragged, aligned");
  CHECK(of("fp32", "rrr aligned,aligned,aligned,aligned")
            .starts_with("unknown alignment of C (f line 5, 'aligned,aligned')"));
}

TEST_CASE("a line that is not understood is refused by its number and value", "[tuning]") {
  CHECK(said("native fp32 8x9x10 rrr aligned naive 16x16 5 6") == "");
  CHECK(said("native fp32 8x9x10 rrr aligned naive 16x16 5") ==
        "not 9 fields, one space apart (f line 5, 'native fp32 8x9x10 rrr aligned naive 16x16 5'): write "
        "path math "
        "MxNxK layout alignment kernel tile ns ns_of_the_model");
  CHECK(
      said("native  fp32 8x9x10 rrr aligned naive 16x16 5 6")
          .starts_with(
              "not 9 fields, one space apart (f line 5, 'native  fp32 8x9x10 rrr aligned naive 16x16 5 6')"));
  CHECK(said("native fp32 8x9x10 rrr aligned naive 16x16 5 6 7")
            .starts_with("not 9 fields, one space apart (f line 5, 'native fp32 8x9x10 rrr aligned naive "
                         "16x16 5 6 7')"));
  CHECK(said("vendor fp32 8x9x10 rrr aligned naive 16x16 5 6") ==
        "unknown path (f line 5, 'vendor'): take one of portable, native");
  CHECK(
      said("native fp8 8x9x10 rrr aligned naive 16x16 5 6") ==
      "unknown math mode (f line 5, 'fp8'): take one of fp32, fp64, fp16, bf16, tf32, tf32x3, cfp32, cfp64, "
      "fp16_fp32, bf16_fp32, fp32_fp64, int8_int32, fp64_int8, cfp32_tf32, "
      "cfp32_3m, cfp64_3m, cfp64_int8");
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
  CHECK(said("native fp32 8x9x10 rrr aligned packed - 5 6")
            .starts_with("no kernel of the native path in fp32 (f line 5, 'packed')"));
  CHECK(said("native fp32 8x9x10 rrr aligned warpgroup 128x256x32 5 6")
            .starts_with("no kernel of the native path in fp32 (f line 5, 'warpgroup')"));
  CHECK(said("native fp32 8x9x10 rrr aligned naive 17x17 5 6")
            .starts_with("tile not built for naive in fp32 (f line 5, '17x17')"));
  CHECK(said("native fp32 8x9x10 rrr aligned naive - 5 6")
            .starts_with("tile not built for naive in fp32 (f line 5, '-')"));
  CHECK(said("native fp64 8x9x10 rrr aligned pipelined 128x256x16 5 6")
            .starts_with("tile not built for pipelined in fp64 (f line 5, '128x256x16')"));
  CHECK(said("native fp32 8x9x10 rrr aligned automatic 16x16 5 6") ==
        "tile of a kernel that lists none (f line 5, '16x16'): write -");
  CHECK(said("native fp32 8x9x10 rrr aligned naive 16x16 0 6") ==
        "not a positive time (f line 5, '0'): write a whole number");
  CHECK(said("native fp32 8x9x10 rrr aligned naive 16x16 5 6.5")
            .starts_with("not a positive time (f line 5, '6.5')"));
  CHECK(said("native fp32 8x9x10 rrr aligned naive 16x16 5 6\nnative fp32 8x9x10 rrr aligned automatic - 5 6")
            .starts_with("product twice (f line 6, 'native fp32 8x9x10 rrr aligned automatic - 5 6')"));
  CHECK(
      said(
          "native fp32 8x9x10 rrr aligned naive 16x16 5 6\nnative tf32 8x9x10 rrr aligned automatic - 5 6") ==
      "");
}

TEST_CASE("a file that is no table, or not all of one, is refused", "[tuning]") {
  const auto problem = [](const std::string& text) { return refused([&] { parse_tuning(text, "f"); }); };
  CHECK(problem("rooftile tuning 2\ndevice D\nend\n") == "");
  CHECK(problem("").starts_with("table ends early (f line 1, '')"));
  CHECK(problem("rooftile tuning 3\n")
            .starts_with("not a tuning table of this version (f line 1, 'rooftile tuning 3')"));
  CHECK(problem("rooftile tuning 1\n")
            .starts_with("not a tuning table of this version (f line 1, 'rooftile tuning 1')"));
  CHECK(problem("{\"schema\": 1}\n")
            .starts_with("not a tuning table of this version (f line 1, '{\"schema\": 1}')"));
  CHECK(problem("rooftile tuning 2\nend\n") == "no device (f line 2, 'end'): write device NAME");
  CHECK(problem("rooftile tuning 2\ndevice \nend\n").starts_with("no device (f line 2, 'device ')"));
  CHECK(problem("rooftile tuning 2\ndevice D\n").starts_with("table ends early (f line 3, '')"));
  CHECK(problem("rooftile tuning 2\ndevice D\nnative fp32 8x9x10 rrr aligned nai")
            .starts_with("table ends early (f line 3, 'native fp32 8x9x10 rrr aligned nai')"));
  CHECK(problem("rooftile tuning 2\ndevice D\nend").starts_with("table ends early (f line 3, 'end')"));
  CHECK(
      problem("rooftile tuning 2\ndevice D\nend\nend\n").starts_with("more after the end (f line 3, 'end')"));
  const std::string longest(80, 'x');  // that is named whole
  CHECK(problem(longest) == "table ends early (f line 1, '" + longest + "'): run `rooftile tune` again");
  CHECK(problem(longest + std::string(100'000, 'y')) ==
        "table ends early (f line 1, '" + longest + "…'): run `rooftile tune` again");
}

}  // namespace
}  // namespace rooftile
