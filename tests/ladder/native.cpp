// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// What the native entry promises beside the right result.
#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>

#include <catch2/matchers/catch_matchers_string.hpp>

#include "product.hpp"
#include "rooftile/cuda_native.hpp"
#include "rooftile/model/architecture.hpp"
#include "rooftile/model/occupancy.hpp"
#include "this_ladder.hpp"

namespace rooftile::testing {
namespace {

using Catch::Matchers::ContainsSubstring;

/// The mode's own: what gemm takes of a small product in tf32x3 is fp32's.
GemmOptions options_of(Math math) {
  return {.kernel = math == Math::tf32x3 ? Kernel::warpgroup_tf32x3 : Kernel::automatic, .math = math};
}

/// C = A·A for A of ones: every element is n.
struct Ones {
  static constexpr Index n = 96;
  perf::Buffer<float> a, c;
  std::vector<float> result = std::vector<float>(n * n);

  explicit Ones(perf::Device& device) : a(device, n * n), c(device, n * n) {
    a.upload(std::vector<float>(n * n, 1));
    c.upload(std::vector<float>(n * n, -1));
  }

  void launch(cudaStream_t stream, float alpha = 1, Math math = Math::automatic) const {
    const auto A = row_major<const float>(a.data(), n, n);
    cuda_native::gemm(stream, alpha, A, A, 0, row_major(c.data(), n, n), options_of(math));
  }
  bool holds(float value) {
    c.download(result);
    return result == std::vector<float>(n * n, value);
  }
};

/// The modes that this device multiplies fp32 in; those of the tensor cores need workspace.
std::vector<Math> maths_of_fp32() {
  std::vector<Math> maths;
  for (const Math math : all_maths) {
    const Target here = cuda_native::target(math);
    const auto computes = [&](const Rung& rung) { return detail::computes(rung, here); };
    if (type_of(math) == Type::fp32 && std::any_of(std::begin(ladder), std::end(ladder), computes)) {
      maths.push_back(math);
    }
  }
  return maths;
}

TEST_CASE("without a GPU, the native entry says so and touches nothing", "[no-gpu]") {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0) SKIP("there is a GPU");
  float a = 1, b = 1, c = 7;
  CHECK_THROWS_WITH(cuda_native::gemm(nullptr, 1.0F, row_major<const float>(&a, 1, 1),
                                      row_major<const float>(&b, 1, 1), 0.0F, row_major(&c, 1, 1)),
                    ContainsSubstring("could not find a CUDA device"));
  CHECK(c == 7);
}

TEST_CASE("a product can be captured in a graph", "[graph]") {
  Ones ones(device());
  for (const Math math : maths_of_fp32()) {
    INFO(to_string(math));
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    ones.c.upload(std::vector<float>(Ones::n * Ones::n, -1));
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    ones.launch(stream, 1, math);
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    CHECK(ones.holds(-1));  // captured, not run
    REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    REQUIRE(cudaGraphLaunch(exec, stream) == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(ones.holds(static_cast<float>(Ones::n)));
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
  }
}

TEST_CASE("a batch can be captured in a graph, workspace and all", "[graph][batched]") {
  Ones ones(device());
  const Index n = 32, count = 9;  // 9·32·32 elements: all of the matrix
  const auto A = row_major<const float>(ones.a.data(), n, n + 1, n + 2);  // rows not of 16 bytes
  for (const Math math : maths_of_fp32()) {
    INFO(to_string(math));
    ones.c.upload(std::vector<float>(Ones::n * Ones::n, -1));
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    cuda_native::gemm_strided_batched(stream, 2, A, 1, A.transposed(), 3, 0, row_major(ones.c.data(), n, n),
                                      n * n, count, options_of(math));
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    CHECK(ones.holds(-1));
    REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    REQUIRE(cudaGraphLaunch(exec, stream) == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(ones.holds(2 * static_cast<float>(n + 1)));
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
  }
}

TEST_CASE("host threads with streams of their own do not disturb each other", "[threads]") {
  perf::Device& here = device();
  for (const Math math : maths_of_fp32()) {
    INFO(to_string(math));
    std::vector<Ones> products;
    for (int t = 0; t < 4; ++t) products.emplace_back(here);
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&products, t, math] {
          cudaStream_t stream;
          cudaStreamCreate(&stream);
          for (int repeat = 0; repeat < 50; ++repeat)
            products[static_cast<std::size_t>(t)].launch(stream, static_cast<float>(t + 1), math);
          cudaStreamSynchronize(stream);
          cudaStreamDestroy(stream);
        });
      }
    }
    for (int t = 0; t < 4; ++t)
      CHECK(products[static_cast<std::size_t>(t)].holds(static_cast<float>((t + 1) * Ones::n)));
  }
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
    (check_occupancy<all_maths[i]>(limits), ...);
  }
  (std::make_index_sequence<math_count>{});
}

}  // namespace
}  // namespace rooftile::testing
