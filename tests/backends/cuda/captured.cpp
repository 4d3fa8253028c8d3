// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// What the portable entry promises of CUDA's streams.
#include <cstdlib>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "captured_product.hpp"

namespace rooftile::testing {
namespace {

TEST_CASE("a portable product can be captured in a graph, workspace and all", "[graph]") {
  const int major = compute_capability_major();
  if (major == 0) {
    const char* required = std::getenv("ROOFTILE_REQUIRE_GPU");
    if (required != nullptr && std::string(required) == "1") FAIL("no device for cuda");
    SKIP("no device for cuda");
  }
  std::vector<std::pair<Kernel, Math>> kernels{{Kernel::pipelined, Math::fp32},
                                               {Kernel::stream_k, Math::fp32}};
  if (major >= 8) kernels.emplace_back(Kernel::stream_k_tensor_core, Math::tf32);
  const std::vector<CapturedProduct> products = capture_products(kernels);
  REQUIRE(products.size() == kernels.size());
  constexpr float k = CapturedProduct::k;
  for (std::size_t i = 0; i < products.size(); ++i) {
    INFO(rung_of(kernels[i].first).name);
    CHECK(products[i].run == 3 * k);
    CHECK(products[i].captured == 3 * k);
    CHECK(products[i].replayed[0] == k);
    CHECK(products[i].replayed[1] == 2 * k);
  }
}

}  // namespace
}  // namespace rooftile::testing
