// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "perf/measure/suite.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "perf/record/json.hpp"

namespace rooftile::perf {
namespace {

using Catch::Matchers::WithinRel;

Result result(const std::string& path, const std::string& math, const GemmShape& shape, bool aligned,
              double ratio) {
  Result r;
  r.path = path, r.backend = "cuda", r.dtype = math == "tf32" ? "fp32" : math, r.math = math;
  r.layout = "rcr", r.shape = shape, r.aligned = aligned, r.vendor_ratio = ratio, r.automatic = true;
  r.status = ratio > 0 ? "ok" : "unsupported";
  return r;
}

TEST_CASE("aligned is what has rows of whole 16 bytes in every operand", "[suite]") {
  const Product odd_m{{1001, 1000, 1000}, "rrr"};
  CHECK(is_aligned(odd_m, 4));  // m is the length of no row
  CHECK_FALSE(is_aligned({odd_m.shape, "crr"}, 4));
  CHECK_FALSE(is_aligned({odd_m.shape, "rrc"}, 4));
  CHECK(is_aligned({{1000, 1000, 1000}, "rrr"}, 2));
  CHECK_FALSE(is_aligned({{2000, 3000, 2500}, "rrr"}, 2));  // 5,000 bytes
  CHECK(is_aligned({{2000, 3000, 2500}, "rrr"}, 4));
  CHECK_FALSE(is_aligned({{2000, 3000, 2502}, "rrr"}, 4));
  CHECK(is_aligned({{2000, 3000, 2502}, "crr"}, 4));
  CHECK(is_aligned({{2000, 3000, 2502}, "rrr"}, 8));
  CHECK_FALSE(is_aligned({{4095, 4097, 4093}, "ccr"}, 8));
}

TEST_CASE("padding and an offset decide what is aligned, too", "[suite]") {
  Product p{{1000, 1000, 999}, "rrr"};
  CHECK_FALSE(is_aligned(p, 4));
  p.shape.k = 1000, p.padding = 4;
  CHECK(is_aligned(p, 4));
  p.padding = 1;
  CHECK_FALSE(is_aligned(p, 4));
  p.padding = 0, p.offset = 1;
  CHECK_FALSE(is_aligned(p, 8));
  p.offset = 2;
  CHECK(is_aligned(p, 8));
}

TEST_CASE("where C has columns, the transposed product is computed, otherwise alike", "[suite]") {
  const Product p{.shape = {2, 3, 4}, .layout = "rcc", .batch = 5, .alpha = -1, .padding = 7};
  const Product computed = as_computed(p);
  CHECK((computed.shape == GemmShape{3, 2, 4} && computed.layout == "rcr"));
  CHECK((computed.batch == 5 && computed.alpha == -1 && computed.padding == 7));
}

TEST_CASE("a summary is the geometric mean and the worst of each path and math mode", "[suite]") {
  const GemmShape a{8, 8, 8}, b{16, 16, 16}, c{7, 7, 7};
  std::vector<Result> results{result("native", "fp32", a, true, 2),  result("native", "fp32", b, true, 0.5),
                              result("native", "fp32", c, false, 3), result("native", "tf32", a, true, 0.7),
                              result("vendor", "fp32", a, true, 1),  result("native", "fp32", a, true, 0)};
  results[4].automatic = false;
  results[1].peer_ratio = 4, results[2].peer_ratio = 9;
  const auto summaries = summaries_of(results);
  REQUIRE(summaries.size() == 2);
  const Summary& fp32 = summaries[0];
  CHECK((fp32.path == "native" && fp32.backend == "cuda" && fp32.math == "fp32"));
  CHECK_THAT(fp32.aligned.geometric_mean, WithinRel(1.0, 1e-12));
  CHECK(fp32.aligned.worst == 0.5);
  CHECK(fp32.aligned.worst_product == "16x16x16 rcr");
  CHECK((fp32.aligned.products == 2 && fp32.aligned.missing == 1));
  CHECK_THAT(fp32.unaligned.geometric_mean, WithinRel(3.0, 1e-12));
  CHECK(
      (summaries[1].dtype == "fp32" && summaries[1].math == "tf32" && summaries[1].unaligned.products == 0));
  CHECK(to_json(fp32)["aligned"]["worst_product"] == "16x16x16 rcr");
  CHECK_FALSE(to_json(summaries[1])["unaligned"].contains("worst"));
  CHECK_THAT(fp32.peer.geometric_mean, WithinRel(6.0, 1e-12));
  CHECK((fp32.peer.worst == 4 && fp32.peer.products == 2 && fp32.peer.missing == 2));
  CHECK(to_json(fp32)["peer"]["worst_product"] == "16x16x16 rcr");
  CHECK_FALSE(to_json(summaries[1]).contains("peer"));
}

}  // namespace
}  // namespace rooftile::perf
