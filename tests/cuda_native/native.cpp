// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// What the native entry promises beside the right result.
#include <iterator>
#include <utility>

#include <catch2/matchers/catch_matchers_string.hpp>

#include "rooftile/cuda_native.hpp"
#include "rooftile/model/architecture.hpp"
#include "rooftile/model/occupancy.hpp"
#include "tests/ladder/product.hpp"
#include "tests/ladder/this_ladder.hpp"

namespace rooftile::testing {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("without a GPU, the native entry says so and touches nothing", "[no-gpu]") {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0) SKIP("there is a GPU");
  float a = 1, b = 1, c = 7;
  CHECK_THROWS_WITH(cuda_native::gemm(nullptr, 1.0F, row_major<const float>(&a, 1, 1),
                                      row_major<const float>(&b, 1, 1), 0.0F, row_major(&c, 1, 1)),
                    ContainsSubstring("could not find a CUDA device"));
  CHECK(c == 7);
}

TEST_CASE("the tile chooser follows the device query", "[chooser]") {
  device();
  const BlockLimits limits = cuda_native::target(Math::fp64).limits;
  CHECK(limits.threads >= 512);
  CHECK(limits.shared_bytes >= 16 * 1024);
  const Choice choice = cuda_native::explain<double>({100, 100, 100}, {Kernel::tiled_dynamic, {}});
  CHECK(choice.tile == widest_square_tile(limits, sizeof(double)));
}

/// Compares the model with the runtime for the kernel of each rung and tile in a math mode.
template <Math math>
void check_occupancy(const model::SmLimits& limits) {
  const Target target = cuda_native::target(math);
  for (const Rung& rung : ladder) {
    if (!detail::computes(rung, target)) continue;
    std::vector<TileShape> tiles = detail::built_tiles(rung, target);
    if (tiles.empty()) tiles.push_back(default_tile(rung, {16, 16, 16}, target));
    for (const TileShape tile : tiles) {
      INFO(rung.name << ' ' << to_string(tile) << ' ' << to_string(math));
      const auto kernel = cuda_native::resources<ElementIn<math>>(rung.kernel, tile, math);
      const model::Occupancy occupancy = model::occupancy(
          limits, {kernel.threads, kernel.registers, static_cast<model::Count>(kernel.shared_bytes)});
      CHECK(occupancy.blocks == kernel.blocks_per_sm);
      CHECK(kernel.local_bytes == 0);  // no register spills
    }
  }
}

TEST_CASE("the model's occupancy is the runtime's for every kernel", "[occupancy]") {
  device();
  cudaDeviceProp properties;
  REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  const model::SmLimits limits = model::nvidia_limits(properties.major, properties.minor);
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (
        [&] {
          if constexpr (!is_mixed(all_maths[i])) check_occupancy<all_maths[i]>(limits);
        }(),
        ...);
  }
  (std::make_index_sequence<math_count>{});
}

}  // namespace
}  // namespace rooftile::testing
