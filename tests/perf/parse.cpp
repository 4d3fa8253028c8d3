// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The values of options.
#include "perf/parse.hpp"

#include <catch2/catch_test_macros.hpp>

#include "perf/selection.hpp"
#include "tests/support/multiply.hpp"
#include "tests/support/refused.hpp"

namespace rooftile::perf {
namespace {

using testing::refused;

TEST_CASE("a shape is m, n, k or one size for all", "[parse]") {
  CHECK(parse_shape("2000x3000x2500") == GemmShape{2000, 3000, 2500});
  CHECK(parse_shape("512") == GemmShape{512, 512, 512});
  CHECK(parse_shape("0x1x0") == GemmShape{0, 1, 0});
  CHECK(parse_shape("0") == GemmShape{});
  CHECK(parse_shape("007x08x9") == GemmShape{7, 8, 9});
  CHECK(parse_shape("9223372036854775807x1x1").m == std::numeric_limits<Index>::max());
}

TEST_CASE("what is no shape is refused and named", "[parse]") {
  CHECK(refused([] { parse_shape("12x34"); }) ==
        "not a shape (--shape 12x34): write MxNxK, such as 2000x3000x2500, or one size");
  const char* const texts[] = {"",
                               "x",
                               "12x",
                               "x12",
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
  for (const char* text : texts) {
    INFO('"' << text << '"');
    CHECK(refused([text] { parse_shape(text); }) ==
          std::string("not a shape (--shape ") + text +
              "): write MxNxK, such as 2000x3000x2500, or one size");
  }
}

TEST_CASE("a zero byte does not end a shape", "[parse]") {
  CHECK(refused([] { parse_shape(std::string({'5', '\0', '5'})); }) != "");
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
  for (const char* text :
       {"", "x", "3x", "16x16x16garbage", "16x16x16x16", "0x1", "-1x1", "99999999999", "32769"}) {
    INFO(text);
    CHECK(refused([text] { parse_tile(text, "1x1"); }) ==
          std::string("not a tile (--tile ") + text +
              ", --thread-tile 1x1): write T, BMxBN or BMxBNxBK that a thread's tile divides, none above "
              "32768");
  }
  CHECK(refused([] { parse_tile("16", "8"); }) ==
        "not a thread's tile (--thread-tile 8): write TMxTN, such as 8x8");
  for (const char* per_thread : {"3x1", "1x3"}) {
    CHECK(refused([per_thread] { parse_tile("16", per_thread); }) ==
          detail::text("not a tile (--tile 16, --thread-tile ", per_thread,
                       "): write T, BMxBN or BMxBNxBK that a thread's tile divides, none above 32768"));
  }
  CHECK(parse_tile("32768x1", "1x1") == TileShape{32768, 1, 1, 1, 1});
  CHECK(refused([] { parse_tile("16", "0x1"); }) ==
        "not a thread's tile (--thread-tile 0x1): write TMxTN, such as 8x8");
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
  CHECK(parse_extents("--grid", "256") == 256);
  CHECK(parse_extents("--grid", "1") == 1);
  CHECK(parse_extents("--grid", "16x16") == 256);
  CHECK(parse_extents("--grid", "4x5x3") == 60);
  CHECK(parse_extents("--grid", "2147483647x1") == model::unlimited);
  CHECK(refused([] { parse_extents("--grid", "0"); }) ==
        "not a count (--grid 0): write 256 or 16x16, 1 to 2147483647 in all");
  for (const char* text : {"", "x", "16x0", "0x16", "-1", "2147483648", "65536x32768", "32768x65536x2"}) {
    INFO('"' << text << '"');
    CHECK(refused([text] { parse_extents("--grid", text); }) ==
          detail::text("not a count (--grid ", text, "): write 256 or 16x16, 1 to 2147483647 in all"));
  }
}

TEST_CASE("an empty list restricts nothing", "[selection]") {
  CHECK(contains({}, "naive"));
  CHECK(contains({"tiled", "naive"}, "naive"));
  CHECK_FALSE(contains({"tiled"}, "naive"));
}

TEST_CASE("a layout is three letters, each of a row-major or a column-major operand", "[selection]") {
  for (const char* layout : {"rrr", "ccc", "rcr"}) CHECK(refused([&] { require_layout(layout); }) == "");
  for (const char* layout : {"", "rr", "rrrr", "rxr", "RRR"}) {
    CHECK(refused([&] { require_layout(layout); }) ==
          detail::text("not a layout (--layout ", layout,
                       "): write r (row-major) or c (column-major) for A, B and C, such as rcr"));
  }
}

}  // namespace
}  // namespace rooftile::perf
