// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Portable products on a CUDA stream that is being captured: workspace and all. A kernel's first launch ever
// is none that can be: Kokkos then copies its locks to the device, on a stream of its own.
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "rooftile/gemm.hpp"

namespace rooftile {
namespace {

using Matrix = Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::CudaSpace>;

/// Whether every element of C is `value`.
bool holds(const Matrix& C, float value) {
  const auto c = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), C);
  for (std::size_t i = 0; i < c.extent(0); ++i) {
    for (std::size_t j = 0; j < c.extent(1); ++j) {
      if (c(i, j) != value) return false;
    }
  }
  return true;
}

void capture_and_replay(const GemmOptions& options) {
  const int n = 64, k = 4096;  // a single tile, or two: shared
  const Matrix A("A", n, k), B("B", k, n), C("C", n, n);
  Kokkos::deep_copy(A, 1), Kokkos::deep_copy(B, 1);
  gemm(1.0F, A, B, 0.0F, C, options);
  Kokkos::deep_copy(C, -1);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t replay;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  {
    const Kokkos::Cuda exec(stream);
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    gemm(exec, 1.0F, A, B, 0.0F, C, options);
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    CHECK(holds(C, -1));  // captured, not run
    REQUIRE(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
    for (const float x : {1.0F, 2.0F}) {
      Kokkos::deep_copy(A, x);
      REQUIRE(cudaGraphLaunch(replay, stream) == cudaSuccess);
      REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
      CHECK(holds(C, x * static_cast<float>(k)));
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
