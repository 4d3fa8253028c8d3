// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Portable products on a CUDA stream that is being captured: workspace and all. A kernel's first launch ever
// is none that can be: Kokkos then copies its locks to the device, on a stream of its own.
#include <cstdlib>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "rooftile/gemm.hpp"

namespace rooftile {
namespace {

/// C = A·B for A and B of x and ones: every element is x·k.
struct Product {
  static constexpr int n = 64, k = 4096;  // a single tile, or two: shared
  float *a = nullptr, *b = nullptr, *c = nullptr;

  Product() {
    REQUIRE(cudaMalloc(&a, sizeof(float) * n * k) == cudaSuccess);
    REQUIRE(cudaMalloc(&b, sizeof(float) * n * k) == cudaSuccess);
    REQUIRE(cudaMalloc(&c, sizeof(float) * n * n) == cudaSuccess);
    fill(b, n * k, 1);
  }
  ~Product() { cudaFree(a), cudaFree(b), cudaFree(c); }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  static void fill(float* x, std::size_t count, float value) {
    const std::vector<float> values(count, value);
    REQUIRE(cudaMemcpy(x, values.data(), count * sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess);
  }
  bool holds(float value) const {
    std::vector<float> values(n * n);
    REQUIRE(cudaMemcpy(values.data(), c, n * n * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess);
    return values == std::vector<float>(n * n, value);
  }
  void launch(const Kokkos::Cuda& exec, const GemmOptions& options) const {
    gemm(exec, 1, row_major<const float>(a, n, k), row_major<const float>(b, k, n), 0, row_major(c, n, n),
         options);
  }
};

void capture_and_replay(const GemmOptions& options) {
  const Product product;
  product.fill(product.a, Product::n * Product::k, 3);
  product.launch(Kokkos::Cuda(), options);
  Kokkos::fence();
  CHECK(product.holds(3 * Product::k));
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t replay;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  {
    const Kokkos::Cuda exec(stream);
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    product.launch(exec, options);
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    REQUIRE(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
    for (const float x : {1.0F, 2.0F}) {
      product.fill(product.a, Product::n * Product::k, x);
      CHECK_FALSE(product.holds(x * Product::k));  // captured, not run
      REQUIRE(cudaGraphLaunch(replay, stream) == cudaSuccess);
      REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
      CHECK(product.holds(x * Product::k));
    }
  }
  cudaGraphExecDestroy(replay);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}

TEST_CASE("a product whose tiles are shared can be captured in a graph", "[graph]") {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
    const char* required = std::getenv("ROOFTILE_REQUIRE_GPU");
    if (required != nullptr && std::string(required) == "1") FAIL("no device for cuda");
    SKIP("no device for cuda");
  }
  const Kokkos::ScopeGuard kokkos;
  capture_and_replay({.kernel = Kernel::stream_k});
  if (Kokkos::Cuda().cuda_device_prop().major >= 8) {
    capture_and_replay({.kernel = Kernel::stream_k_tensor_core, .math = Math::tf32});
  }
}

}  // namespace
}  // namespace rooftile
