// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "perf/parse.hpp"

#include <catch2/catch_test_macros.hpp>

#include "support.hpp"

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
  for (const char* text : {"",
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
                           "1x99999999999999999999x1"}) {
    INFO('"' << text << '"');
    CHECK(refused([text] { parse_shape(text); }) ==
          std::string("not a shape (--shape ") + text +
              "): write MxNxK, such as 2000x3000x2500, or one size");
  }
}

TEST_CASE("a zero byte does not end a shape", "[parse]") {
  CHECK(refused([] {
          parse_shape(
              std::string("5\0"
                          "5",
                          3));
        }) != "");
}

}  // namespace
}  // namespace rooftile::perf
