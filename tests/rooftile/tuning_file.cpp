// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The file format of a tuning table.
#include "rooftile/tuning_file.hpp"

#include <filesystem>
#include <fstream>

#include <catch2/catch_test_macros.hpp>

#include "plan/register_blocks.hpp"
#include "tests/support/refused.hpp"
#include "tests/support/scratch_folder.hpp"

namespace rooftile {
namespace {

using testing::refused;

TEST_CASE("a tuning table is the same after it is written and read", "[tuning]") {
  TuningTable table{
      "NVIDIA H200",
      {{Path::native,
        ComputeMode::fp32,
        {64, 64, 65536},
        {false},
        Kernel::pipelined,
        rung_of(Kernel::pipelined).tiles[1],
        900,
        1000},
       {Path::native, ComputeMode::fp32, {1024, 1024, 1024}, {}, Kernel::automatic, {}, 900, 1000}}};
  table.entries.push_back(
      {Path::portable, ComputeMode::fp64, {8, 9, 10}, {}, Kernel::tiled_dynamic, {}, 5, 6});
  for (const Alignment a : {Alignment::ragged, Alignment::pairs, Alignment::padded, Alignment::aligned}) {
    for (const bool rows : {false, true}) {
      const TuningLayout layout{rows, !rows, a, Alignment::aligned,
                                rows ? Alignment::ragged : Alignment::aligned};
      table.entries.push_back(
          {Path::native, ComputeMode::fp16, {8, 9, 10}, layout, Kernel::automatic, {}, 5, 6});
    }
  }
  const auto add_tiles = [&](const Rung& rung, Path path, ComputeMode math, bool repack = false) {
    for (const TileShape tile : rung.tiles) {
      if (!detail::is_built(rung, path, tile, type_of(math))) continue;
      const Index m = static_cast<Index>(table.entries.size());
      table.entries.push_back({path, math, {m, 1, 1}, {}, rung.kernel, tile, 1, 2, repack});
    }
  };
  for (const Rung& rung : ladder)
    add_tiles(rung, rung.native ? Path::native : Path::portable, rung.modes.front());
  add_tiles(rung_of(Kernel::tensor_core), Path::portable, ComputeMode::tf32, true);
  for (const ComputeMode math : {ComputeMode::fp32, ComputeMode::cfp64}) {
    model::ModeCosts mode{.path = Path::native, .math = math, .first = table.tiles.size(), .count = 2};
    float number = 1;
    for (const auto& figure : model::mode_figures) mode.*figure.member = 1e-3F * ++number / 7;
    table.modes.push_back(mode);
    table.tiles.push_back({Kernel::pipelined, {32, 64, 8, 4, 4}, 1.1F, 2, 3e-7F, 4});
    table.tiles.push_back({Kernel::stream_k, {32, 64, 8, 4, 4}, 5, 6, 7, 1e9F});
  }
  const TuningTable read = parse_tuning(to_text(table, {"a remark", "# another"}), "file");
  CHECK((read.device == table.device && read.modes == table.modes && read.tiles == table.tiles &&
         read.entries == table.entries));
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

/// An invalid text, and the expected problem, value and line of its refusal.
struct Wrong {
  std::string text, problem, value;
  int line = 5;
};

void check(const std::string& text, const Wrong& wrong) {
  INFO(wrong.text);
  CHECK(refused([&] {
          parse_tuning(text, "f");
        }).starts_with(detail::text(wrong.problem, " (f line ", wrong.line, ", '", wrong.value, "'): ")));
}

/// A table whose fifth line is `line`.
std::string with_line(const std::string& line) {
  return "rooftile tuning 3\ndevice D\n\n# remark\n" + line + "\nend\n";
}

void check_sound(const std::string& line) {
  INFO(line);
  CHECK(refused([&] { parse_tuning(with_line(line), "f"); }) == "");
}

/// The costs of a mode or a tile, all 1 except one with another text.
template <class Figures>
std::string figures(const Figures& all, const std::string& name = "", const std::string& value = "") {
  std::string text;
  for (const auto& figure : all)
    text += " " + std::string(figure.name) + "=" + (figure.name == name ? value : "1");
  return text;
}
const std::string mode_line = "mode native fp64" + figures(model::mode_figures),
                  tile_line = "tile pipelined 32x64x16 4x4" + figures(model::tile_figures);

TEST_CASE("wrong costs are refused by their name and value", "[tuning]") {
  check_sound(mode_line), check_sound(mode_line + "\n" + tile_line);
  check_sound("mode portable tf32" + figures(model::mode_figures, "read_c", "4.2e-2"));
  for (const std::string value : {"-1", "nan", "inf", "1e999", "x", "1x", ""}) {
    const std::string line = "mode native fp64" + figures(model::mode_figures, "unit_start", value);
    check(with_line(line), {line, "not a finite value of unit_start, 0 or more", value});
  }
  const std::string path = "mode vendor fp64" + figures(model::mode_figures),
                    math = "mode native fp8" + figures(model::mode_figures);
  check(with_line(path), {path, "unknown path", "vendor"});
  check(with_line(math), {math, "unknown compute mode", "fp8"});
  check(with_line("mode native"), {"mode native", "no path and mode of costs", "mode native"});
  check(with_line("mode native fp64 x=1"),
        {"too few", detail::text("not ", std::size(model::mode_figures), " costs"), "mode native fp64 x=1"});
  check(with_line(tile_line), {tile_line, "costs of a tile before those of a mode", tile_line.substr(0, 80)});
  const std::string twice = mode_line + "\n" + mode_line;
  CHECK(refused([&] { parse_tuning(with_line(twice), "f"); }).starts_with("costs of a mode twice (f line 6"));
  const std::string tiles = mode_line + "\n" + tile_line + "\n" + tile_line;
  CHECK(refused([&] { parse_tuning(with_line(tiles), "f"); }).starts_with("costs of a tile twice (f line 7"));
  const std::string none = mode_line + "\ntile pipelined 7x7x7 1x1" + figures(model::tile_figures);
  CHECK(
      refused([&] { parse_tuning(with_line(none), "f"); }).starts_with("no such kernel and tile (f line 6"));
}

TEST_CASE("a layout that no product has is refused", "[tuning]") {
  const auto line = [](const std::string& math, const std::string& layout) {
    return "native " + math + " 8x9x10 " + layout + " automatic - 5 6";
  };
  for (const char* letters : {"rrr", "rcr", "crr", "ccr"})
    check_sound(line("fp32", letters + std::string(" aligned")));
  check_sound(line("fp32", "rrr aligned,padded,ragged")), check_sound(line("fp16", "rrr pairs,pairs,ragged"));
  for (const std::string letters : {"rrc", "rr", "rrrr", "xrr", "RRR"})
    check(with_line(line("fp32", letters + " aligned")), {letters, "not a layout with rows of C", letters});
  for (const std::string alignment : {"ragged", "aligned,aligned", "-"})
    check(with_line(line("fp32", "rrr " + alignment)), {alignment, "not an alignment", alignment});
  for (const Wrong& wrong :
       {Wrong{"aligned,x,aligned", "unknown alignment of B", "x"},
        {"aligned,,aligned", "unknown alignment of B", ""},
        {"aligned,aligned,padded", "unknown alignment of C", "padded"},
        {"aligned,aligned,aligned,aligned", "unknown alignment of C", "aligned,aligned"}})
    check(with_line(line("fp16", "rrr " + wrong.text)), wrong);
  check(with_line(line("fp32", "rrr pairs,aligned,aligned")),
        {"pairs of fp32", "unknown alignment of A", "pairs"});
}

TEST_CASE("a line that is not understood is refused by its number and value", "[tuning]") {
  const std::string sound = "native fp32 8x9x10 rrr aligned naive 16x16 5 6",
                    other = "native fp32 8x9x10 rrr aligned automatic - 5 6",
                    front = "native fp32 8x9x10 rrr aligned ";
  check_sound(sound), check_sound(sound + "\nnative tf32 8x9x10 rrr aligned automatic - 5 6");
  const std::string fields = "not 9 fields, one space apart", kernel = "no kernel of the native path in fp32",
                    tile = "tile not built for naive in fp32";
  const std::string five = front + "naive 16x16 5", seven = sound + " 7",
                    blanks = "native  fp32 8x9x10 rrr aligned naive 16x16 5 6";
  for (const Wrong& wrong : {
           Wrong{five, fields, five},
           {seven, fields, seven},
           {blanks, fields, blanks},
           {"vendor fp32 8x9x10 rrr aligned naive 16x16 5 6", "unknown path", "vendor"},
           {"native fp8 8x9x10 rrr aligned naive 16x16 5 6", "unknown compute mode", "fp8"},
           {front + "tilde 16x16 5 6", kernel, "tilde"},
           {front + "packed - 5 6", kernel, "packed"},
           {front + "warpgroup 128x256x32 5 6", kernel, "warpgroup"},
           {front + "naive 17x17 5 6", tile, "17x17"},
           {front + "naive - 5 6", tile, "-"},
           {"native fp64 8x9x10 rrr aligned pipelined 128x256x16 5 6", "tile not built for pipelined in fp64",
            "128x256x16"},
           {front + "automatic 16x16 5 6", "tile of a kernel that lists none", "16x16"},
           {front + "naive 16x16 0 6", "not a positive time", "0"},
           {front + "naive 16x16 5 6.5", "not a positive time", "6.5"},
           {sound + "\n" + other, "product twice", other, 6},
       })
    check(with_line(wrong.text), wrong);
  for (const auto& [shape, value] : {std::pair{"8", ""},
                                     {"8x9", ""},
                                     {"8x9x", ""},
                                     {"x9x10", ""},
                                     {"8x9x10x11", "10x11"},
                                     {"8x9x1e3", "1e3"},
                                     {"8x-9x10", "-9"},
                                     {"0x9x10", "0"},
                                     {"8x9x99999999999999999999", "99999999999999999999"}}) {
    check(with_line(std::string("native fp32 ") + shape + " rrr aligned naive 16x16 5 6"),
          {shape, "not a positive extent", value});
  }
}

TEST_CASE("a table may have lines that end with CR LF, and what is invisible in it is named", "[tuning]") {
  const std::string text =
      "rooftile tuning 3\ndevice NVIDIA H200\n# remark\n# remark\n\n"
      "native fp32 8x9x10 rrr aligned automatic - 5 6\nend\n";
  std::string with_returns;
  for (const char c : text) with_returns.append(c == '\n' ? "\r\n" : std::string(1, c));
  const TuningTable table = parse_tuning(text, "f"), read = parse_tuning(with_returns, "f");
  CHECK(read.device == "NVIDIA H200");
  CHECK((read.entries == table.entries && read.modes == table.modes && read.tiles == table.tiles &&
         table.entries.size() == 1));
  check(with_line("a\tb\x01"), {"a\tb\x01", "not 9 fields, one space apart", R"(a\tb\x01)"});
  check(with_line("a\rb\r"), {"a\rb\r", "not 9 fields, one space apart", R"(a\rb)"});
}

TEST_CASE("a file that is not a whole table of this version is refused", "[tuning]") {
  const std::string head = "rooftile tuning 3\n", early = "table ends early",
                    version = "not a tuning table of this version";
  CHECK(refused([&] { parse_tuning(head + "device D\nend\n", "f"); }) == "");
  const std::string longest(80, 'x');  // printed in full
  for (const Wrong& wrong : {
           Wrong{"", early, "", 1},
           {longest, early, longest, 1},
           {longest + std::string(100'000, 'y'), early, longest + "…", 1},
           {"rooftile tuning 4\n", version, "rooftile tuning 4", 1},
           {"rooftile tuning 2\n", version, "rooftile tuning 2", 1},
           {"rooftile tuning 1\n", version, "rooftile tuning 1", 1},
           {"{\"schema\": 1}\n", version, "{\"schema\": 1}", 1},
           {head + "end\n", "no device", "end", 2},
           {head + "device \nend\n", "no device", "device ", 2},
           {head + "device D\n", early, "", 3},
           {head + "device D\nnative fp32 8x9x10 rrr aligned nai", early,
            "native fp32 8x9x10 rrr aligned nai", 3},
           {head + "device D\nend", early, "end", 3},
           {head + "device D\nend\nend\n", "more after the end", "end", 3},
       })
    check(wrong.text, wrong);
}

}  // namespace
}  // namespace rooftile
