// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Epilogues that this file's kernels have in them, where the first of the backends is a GPU's.
#include <cstdlib>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "explained_products.hpp"
#include "fused_products.hpp"

namespace rooftile::testing {
namespace {

void require_device() {
  if (has_device()) return;
  const char* required = std::getenv("ROOFTILE_REQUIRE_GPU");
  if (required != nullptr && std::string(required) == "1") FAIL("no device");
  SKIP("no device");
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
