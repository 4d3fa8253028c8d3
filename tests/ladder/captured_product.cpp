// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "captured_product.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "rooftile/gemm.hpp"

namespace rooftile::testing {
namespace {

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// A square or long matrix on the device, all elements of one value.
struct Uniform {
  std::size_t count;
  float* data = nullptr;

  Uniform(std::size_t count_, float value) : count(count_) {
    check(cudaMalloc(&data, count * sizeof(float)));
    fill(value);
  }
  ~Uniform() { cudaFree(data); }
  Uniform(const Uniform&) = delete;
  Uniform& operator=(const Uniform&) = delete;

  void fill(float value) {
    const std::vector<float> values(count, value);
    check(cudaMemcpy(data, values.data(), count * sizeof(float), cudaMemcpyHostToDevice));
  }
  float value() const {
    std::vector<float> values(count);
    check(cudaMemcpy(values.data(), data, count * sizeof(float), cudaMemcpyDeviceToHost));
    const bool uniform = std::all_of(values.begin(), values.end(), [&](float x) { return x == values[0]; });
    return uniform ? values[0] : std::numeric_limits<float>::quiet_NaN();
  }
};

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
  int count = 0, major = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  return major;
}

std::vector<CapturedProduct> capture_products(const std::vector<std::pair<Kernel, Math>>& kernels) {
  const Kokkos::ScopeGuard kokkos;
  std::vector<CapturedProduct> found;
  for (const auto& [kernel, math] : kernels) found.push_back(capture_product(kernel, math));
  return found;
}

}  // namespace rooftile::testing
