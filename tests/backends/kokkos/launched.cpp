// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Launches of the portable path on the first enabled backend: the launches that `explain` names, and
// epilogues.
#include <cstdlib>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "launched_products.hpp"

namespace rooftile::testing {
namespace {

void require_device() {
  if (has_device()) return;
  const char* required = std::getenv("ROOFTILE_REQUIRE_GPU");
  if (required != nullptr && std::string(required) == "1") FAIL("no device");
  SKIP("no device");
}

TEST_CASE("explain names the launches of gemm, and a kept plan runs again", "[explained]") {
  require_device();
  constexpr int products = 10000;
  const Explained found = explain_products(products);
  CHECK(found.fault == "");
  INFO(found.computed << " computed, " << found.refused << " refused");
  CHECK(found.computed == products);
  CHECK(found.refused > products / 50);
}

TEST_CASE("an epilogue gets each element once, on the backend's device", "[fused]") {
  require_device();
  constexpr int of_each_type = 120;
  const FusedProducts found = fuse_products(of_each_type);
  CHECK(found.fault == "");
  CHECK((found.computed == 6 * of_each_type && found.groups == 2 * of_each_type / 12));
}

}  // namespace
}  // namespace rooftile::testing
