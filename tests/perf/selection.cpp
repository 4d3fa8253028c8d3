// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "perf/selection.hpp"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/refused.hpp"

namespace rooftile::perf {
namespace {

using testing::refused;

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
