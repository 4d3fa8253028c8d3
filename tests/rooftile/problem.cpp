// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/problem.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

namespace rooftile {
namespace {

using Catch::Matchers::WithinRel;

TEST_CASE("work and traffic of a product", "[problem]") {
  const GemmShape shape{2, 3, 4};
  CHECK((shape.flops() == 48 && shape.bytes(4) == 4 * (8 + 12 + 6) && shape.bytes(8) == 8 * (8 + 12 + 6)));
  CHECK(shape.bytes(4, true) == 4 * (8 + 12 + 2 * 6));
  CHECK_THAT(shape.intensity(4), WithinRel(48.0 / 104, 1e-15));
  CHECK_THAT(shape.intensity(8, true), WithinRel(48.0 / 256, 1e-15));
}

TEST_CASE("the intensity of a square product is n/6 FLOP per fp32 byte", "[problem]") {
  CHECK_THAT((GemmShape{600, 600, 600}.intensity(4)), WithinRel(100, 1e-15));
  CHECK_THAT((GemmShape{600, 600, 600}.intensity(8)), WithinRel(50, 1e-15));
}

TEST_CASE("K = 0 still writes C", "[problem]") {
  const GemmShape shape{5, 7, 0};
  CHECK((shape.flops() == 0 && shape.bytes(4) == 4 * 35 && shape.bytes(4, true) == 4 * 70));
  CHECK(shape.intensity(4) == 0);
}

TEST_CASE("empty products have an intensity of 0, not NaN", "[problem]") {
  for (const GemmShape shape : {GemmShape{}, {0, 5, 3}, {5, 0, 3}, {0, 0, 3}}) {
    CHECK((shape.flops() == 0 && shape.intensity(4) == 0 && shape.intensity(8, true) == 0));
  }
  CHECK(GemmShape{}.bytes(8) == 0);
}

TEST_CASE("huge extents do not overflow", "[problem]") {
  const GemmShape large{20'000'000, 20'000'000, 20'000'000};
  CHECK_THAT(large.flops(), WithinRel(1.6e22, 1e-12));
  CHECK_THAT(large.bytes(8), WithinRel(9.6e15, 1e-12));
  const Index most = std::numeric_limits<Index>::max();
  const GemmShape largest{most, most, most};
  CHECK_THAT(largest.flops(), WithinRel(2 * std::pow(2.0, 189), 1e-12));
  CHECK_THAT(largest.bytes(8), WithinRel(24 * std::pow(2.0, 126), 1e-12));
  CHECK_THAT(largest.intensity(8), WithinRel(std::pow(2.0, 63) / 12, 1e-12));
}

TEST_CASE("a shape is written m, n, k", "[problem]") {
  CHECK(to_string(GemmShape{2000, 3000, 2500}) == "2000x3000x2500");
  CHECK(to_string(GemmShape{0, 1, 9'000'000'000}) == "0x1x9000000000");
}

TEST_CASE("a product knows its shape", "[problem]") {
  const GemmArgs<float> args{1, row_major<const float>(nullptr, 2, 4),
                             column_major<const float>(nullptr, 4, 3), 0, row_major<float>(nullptr, 2, 3)};
  CHECK(args.shape() == GemmShape{2, 3, 4});
  CHECK_FALSE(args.shape() == GemmShape{2, 4, 3});
}

}  // namespace
}  // namespace rooftile
