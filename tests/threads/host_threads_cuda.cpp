// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// What several host threads may do at once on the portable path's GPUs: call gemm on instances of their own.
#include <cstdlib>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "products_at_once.hpp"

namespace rooftile::testing {
namespace {

TEST_CASE("eight host threads compute on CUDA instances of their own", "[threads]") {
  const int major = compute_capability_major();
  if (major == 0) {
    const char* required = std::getenv("ROOFTILE_REQUIRE_GPU");
    if (required != nullptr && std::string(required) == "1") FAIL("no device for cuda");
    SKIP("no device for cuda");
  }
  const HostThreads host;
  std::vector<GemmOptions> all{{Kernel::automatic},
                               {Kernel::tiled_checked},
                               {Kernel::pipelined},
                               {Kernel::stream_k},
                               {.kernel = Kernel::pipelined, .repack = true}};
  if (major >= 8) all.push_back({.kernel = Kernel::stream_k_tensor_core, .math = Math::tf32});
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
