// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "captured_product.hpp"

#include <vector>

#include "rooftile/gemm.hpp"
#include "tests/support/cuda_uniform.hpp"

namespace rooftile::testing {
namespace {

CapturedProduct capture_product(Kernel kernel, Math math) {
  constexpr Index n = CapturedProduct::n, k = CapturedProduct::k;
  Uniform a(n * k, 3), b(n * k, 1), c(n * n, -1);
  const auto multiply = [&](const Kokkos::Cuda& exec) {
    gemm(exec, 1, row_major<const float>(a.data, n, k), row_major<const float>(b.data, k, n), 0,
         row_major(c.data, n, n), {.kernel = kernel, .math = math});
  };
  CapturedProduct found;
  multiply(Kokkos::Cuda());  // at a kernel's first launch Kokkos copies its locks, which no capture allows
  Kokkos::fence();
  found.run = c.value();

  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t replay;
  check(cudaStreamCreate(&stream));
  {
    const Kokkos::Cuda exec(stream);
    a.fill(1);
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    multiply(exec);
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&replay, graph, 0));
    found.captured = c.value();
    for (const int i : {0, 1}) {
      a.fill(static_cast<float>(i + 1));
      for (int times = 0; times < CapturedProduct::replays; ++times) check(cudaGraphLaunch(replay, stream));
      check(cudaStreamSynchronize(stream));
      found.replayed[i] = c.value();
    }
  }
  check(cudaGraphExecDestroy(replay));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
  return found;
}

}  // namespace

int compute_capability_major() {
  return find_compute_capability_major();
}

std::vector<CapturedProduct> capture_products(const std::vector<std::pair<Kernel, Math>>& kernels) {
  const Kokkos::ScopeGuard kokkos;
  std::vector<CapturedProduct> found;
  for (const auto& [kernel, math] : kernels) found.push_back(capture_product(kernel, math));
  return found;
}

}  // namespace rooftile::testing
