// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The portable API on CUDA streams: captured in graphs, and called by several host threads.
#include <cstdlib>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "captured_product.hpp"
#include "plan/check.hpp"

namespace rooftile::testing {
namespace {

/// @return the device's major compute capability
int require_device() {
  const int major = compute_capability_major();
  if (major == 0) {
    const char* required = std::getenv("ROOFTILE_REQUIRE_GPU");
    if (required != nullptr && std::string(required) == "1") FAIL("no device for cuda");
    SKIP("no device for cuda");
  }
  return major;
}

TEST_CASE("a portable product can be captured in a graph, workspace and all", "[graph]") {
  const int major = require_device();
  std::vector<std::pair<Kernel, ComputeMode>> kernels{{Kernel::pipelined, ComputeMode::fp32},
                                                      {Kernel::stream_k, ComputeMode::fp32}};
  if (major >= 8) kernels.emplace_back(Kernel::stream_k_tensor_core, ComputeMode::tf32);
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

TEST_CASE("operands that the device cannot read are refused by name, and the device goes on", "[reach]") {
  require_device();
  const RefusedProducts products = refuse_products();
  CHECK(products.misaligned == detail::text_of_misaligned("A", products.misaligned_a, sizeof(float)));
  if (products.other_device_b != nullptr) {
    CHECK(products.other_device ==
          detail::text("another GPU's memory, which the stream's GPU cannot access (B, ",
                       products.other_device_b, "): copy it to the stream's GPU, or enable peer access"));
  }
  CHECK(products.computed_behind == float{RefusedProducts::k});
}

TEST_CASE("eight host threads compute on CUDA instances of their own", "[threads]") {
  const int major = require_device();
  const HostThreads host;
  std::vector<GemmOptions> all{{Kernel::automatic},
                               {Kernel::tiled_checked},
                               {Kernel::pipelined},
                               {Kernel::stream_k},
                               {.kernel = Kernel::pipelined, .repack = true}};
  if (major >= 8) all.push_back({.kernel = Kernel::stream_k_tensor_core, .math = ComputeMode::tf32});
  for (const GemmOptions& options : all) {
    for (const GemmShape shape : {GemmShape{96, 96, 96}, {130, 131, 2000}, {65, 3, 17}}) {
      INFO("kernel " << static_cast<int>(options.kernel) << ", " << to_string(shape));
      constexpr int threads = 8;
      std::vector<float> expected;
      for (int t = 0; t < threads; ++t) expected.push_back(static_cast<float>((t + 1) * shape.k));
      CHECK(host.multiply(threads, 50, shape, options) == expected);
    }
  }
}

}  // namespace
}  // namespace rooftile::testing
