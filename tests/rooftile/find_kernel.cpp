// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/find_kernel.hpp"

#include <string>

#include <catch2/catch_test_macros.hpp>

#include "tests/support/refused.hpp"

namespace rooftile {
namespace {

using testing::all_kernels, testing::refused;

TEST_CASE("kernels are found by name", "[find_kernel]") {
  for (const Rung& rung : ladder) CHECK(find_kernel(rung.name) == rung.kernel);
  CHECK(refused([] { find_kernel("tilde"); }) ==
        "unknown kernel (tilde): take one of single_block, naive, tiled, tiled_checked, tiled_dynamic, "
        "packed, register_blocked, pipelined, tensor_core, stream_k, stream_k_tensor_core, "
        "warpgroup, warpgroup_tf32x3, small_batched, warpgroup_int8, pipelined_3m, tensor_core_3m, "
        "warpgroup_1m");
  CHECK(find_named("pipelined+repack").kernel == Kernel::pipelined);
  CHECK((find_named("pipelined+repack").repack && !find_named("pipelined").repack));
  CHECK(to_string(find_named("tensor_core+repack")) == std::string("tensor_core+repack"));
  CHECK(refused([] { find_named("+repack"); }) == "unknown kernel (): take one of " + all_kernels());
  for (const char* name : {"", "Tiled", "tiled ", "tile", "automatic"}) {
    CHECK(refused([name] { find_kernel(name); }) ==
          std::string("unknown kernel (") + name + "): take one of " + all_kernels());
  }
}

}  // namespace
}  // namespace rooftile
