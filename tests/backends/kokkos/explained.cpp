// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// What the portable path computes is what `explain` says.
#include <cstdlib>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "explained_products.hpp"

namespace rooftile::testing {
namespace {

TEST_CASE("what is launched is what explain says, and a plan can be kept and run again", "[explain]") {
  if (!has_device()) {
    const char* required = std::getenv("ROOFTILE_REQUIRE_GPU");
    if (required != nullptr && std::string(required) == "1") FAIL("no device");
    SKIP("no device");
  }
  constexpr int products = 10000;
  const Explained found = explain_products(products);
  CHECK(found.fault == "");
  INFO(found.computed << " computed, " << found.refused << " refused");
  CHECK(found.computed == products);
  CHECK(found.refused > products / 50);
}

}  // namespace
}  // namespace rooftile::testing
