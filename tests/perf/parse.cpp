// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The values of options.
#include "perf/parse.hpp"

#include <catch2/catch_test_macros.hpp>

#include "perf/selection.hpp"
#include "tests/support/refused.hpp"

namespace rooftile::perf {
namespace {

using testing::problem;

TEST_CASE("a shape is m, n, k or one size for all", "[parse]") {
  constexpr Index most = std::numeric_limits<Index>::max();
  for (const auto& [text, shape] : {std::pair{"2000x3000x2500", GemmShape{2000, 3000, 2500}},
                                    {"512", {512, 512, 512}},
                                    {"0x1x0", {0, 1, 0}},
                                    {"0", {}},
                                    {"007x08x9", {7, 8, 9}},
                                    {"9223372036854775807x1x1", {most, 1, 1}}})
    CHECK(parse_shape(text) == shape);
  const std::string texts[] = {"",
                               "x",
                               "12x",
                               "x12",
                               "12x34",
                               "1x2x",
                               "1x2x3x",
                               "1x2x3x4",
                               "1xx3",
                               "-5",
                               "1x-2x3",
                               "+5",
                               " 5",
                               "5 ",
                               "1x2 x3",
                               "1X2X3",
                               "1,2,3",
                               "1*2*3",
                               "5.0",
                               "1e3",
                               "0x10x",
                               "five",
                               "9223372036854775808",
                               "1x99999999999999999999x1"};
  for (const std::string& text : texts) {
    INFO('"' << text << '"');
    CHECK(problem([&] { parse_shape(text); }) == "not a shape (--shape " + text + ")");
  }
  CHECK(problem([] { parse_shape(std::string({'5', '\0', '5'})); }) != "");
}

TEST_CASE("a whole number has digits alone, of ten", "[parse]") {
  Index value = 0;
  CHECK((read_whole("010", Index{1}, Index{99}, value) == Reading::fine && value == 10));
  for (const char* text :
       {"", "x", "1x", "0x10", "1e3", "1.0", " 1", "1 ", "+1", "--1", "-", "-x", "1'000", "nan"}) {
    INFO('"' << text << '"');
    CHECK(read_whole(text, Index{0}, Index{99}, value) == Reading::no_number);
  }
  for (const char* text : {"0", "100", "-1", "99999999999999999999"}) {
    CHECK(read_whole(text, Index{1}, Index{99}, value) == Reading::out_of_range);
  }
}

TEST_CASE("a number is finite and within its range", "[parse]") {
  double value = 0;
  CHECK((read_number("0.25", 0, 1, value) == Reading::fine && value == 0.25));
  CHECK((read_number("-1e-3", -1, 1, value) == Reading::fine && value == -1e-3));
  for (const char* text : {"", "x", "1x", "0x1p3", "nan", "-nan", "1,5", " 1", "1e", "+1"}) {
    INFO('"' << text << '"');
    CHECK(read_number(text, -10, 10, value) == Reading::no_number);
  }
  for (const char* text : {"11", "1e400", "inf", "-inf", "1e-400"}) {
    INFO('"' << text << '"');
    CHECK(read_number(text, -10, 10, value) == Reading::out_of_range);
  }
}

TEST_CASE("bytes may have a unit, but need a number", "[parse]") {
  Index value = 0;
  for (const auto& [text, bytes] : {std::pair{"0", Index{0}},
                                    {"4096", 4096},
                                    {"4096B", 4096},
                                    {"4KB", 4096},
                                    {"4KiB", 4096},
                                    {"4k", 4096},
                                    {"3MB", Index{3} << 20},
                                    {"1GiB", Index{1} << 30}}) {
    INFO(text);
    CHECK((read_bytes(text, 0, model::unlimited, value) == Reading::fine && value == bytes));
  }
  for (const char* text : {"", "KB", "4T", "4 KB", "4KBB", "4KiBs", "1.5KB", "-KB"}) {
    INFO(text);
    CHECK(read_bytes(text, 0, model::unlimited, value) == Reading::no_number);
  }
  CHECK(read_bytes("2GB", 0, model::unlimited, value) == Reading::out_of_range);
  CHECK(read_bytes("9007199254740993GB", 0, model::unlimited, value) == Reading::out_of_range);
  CHECK(read_bytes("0KB", 1, model::unlimited, value) == Reading::out_of_range);
}

TEST_CASE("a tile has one, two or three extents that a thread's tile divides", "[parse]") {
  CHECK(parse_tile("16", "1x1") == TileShape{16, 16, 16, 1, 1});
  CHECK(parse_tile("16x8", "2x4") == TileShape{16, 8, 1, 2, 4});
  CHECK(parse_tile("16x8x4", "1x1") == TileShape{16, 8, 4, 1, 1});
  CHECK(parse_tile("32768x1", "1x1") == TileShape{32768, 1, 1, 1, 1});
  const std::vector<std::pair<std::string, std::string>> no_tiles = {{"", "1x1"},
                                                                     {"x", "1x1"},
                                                                     {"3x", "1x1"},
                                                                     {"16x16x16garbage", "1x1"},
                                                                     {"16x16x16x16", "1x1"},
                                                                     {"0x1", "1x1"},
                                                                     {"-1x1", "1x1"},
                                                                     {"99999999999", "1x1"},
                                                                     {"32769", "1x1"},
                                                                     {"16", "3x1"},
                                                                     {"16", "1x3"}};
  for (const auto& no_tile : no_tiles)
    CHECK(problem([&] { parse_tile(no_tile.first, no_tile.second); }) ==
          "not a tile (--tile " + no_tile.first + ", --thread-tile " + no_tile.second + ")");
  for (const std::string per_thread : {"8", "0x1"})
    CHECK(problem([&] { parse_tile("16", per_thread); }) ==
          "not a thread's tile (--thread-tile " + per_thread + ")");
}

TEST_CASE("the least and the largest of a range are in it", "[parse]") {
  Index value = 0;
  for (const char* text : {"1", "99"}) {
    CHECK(read_whole(text, Index{1}, Index{99}, value) == Reading::fine);
  }
  double number = 0;
  for (const char* text : {"0.5", "2"}) CHECK(read_number(text, 0.5, 2, number) == Reading::fine);
  for (const char* text : {"0.49", "2.01"}) CHECK(read_number(text, 0.5, 2, number) == Reading::out_of_range);
  for (const char* text : {"1KB", "2KB"}) CHECK(read_bytes(text, 1024, 2048, value) == Reading::fine);
  for (const char* text : {"1023", "2049"}) {
    CHECK(read_bytes(text, 1024, 2048, value) == Reading::out_of_range);
  }
  CHECK(read_bytes("2KB", 0, 2047, value) == Reading::out_of_range);
}

TEST_CASE("a count is a number or a product of numbers, all of 1 or more", "[parse]") {
  for (const auto& [text, count] : {std::pair{"256", Index{256}},
                                    {"1", 1},
                                    {"16x16", 256},
                                    {"4x5x3", 60},
                                    {"2147483647x1", model::unlimited}})
    CHECK(parse_extents("--grid", text) == count);
  for (const std::string text :
       {"0", "", "x", "16x0", "0x16", "-1", "2147483648", "65536x32768", "32768x65536x2"})
    CHECK(problem([&] { parse_extents("--grid", text); }) == "not a count (--grid " + text + ")");
}

TEST_CASE("an empty list restricts nothing", "[selection]") {
  CHECK(contains({}, "naive"));
  CHECK(contains({"tiled", "naive"}, "naive"));
  CHECK_FALSE(contains({"tiled"}, "naive"));
}

TEST_CASE("a layout is three letters, each of a row-major or a column-major operand", "[selection]") {
  for (const char* layout : {"rrr", "ccc", "rcr"}) CHECK(problem([&] { require_layout(layout); }) == "");
  for (const std::string layout : {"", "rr", "rrrr", "rxr", "RRR"})
    CHECK(problem([&] { require_layout(layout); }) == "not a layout (--layout " + layout + ")");
}

}  // namespace
}  // namespace rooftile::perf
