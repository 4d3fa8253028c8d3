// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "captured_product.hpp"

#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "rooftile/error.hpp"
#include "rooftile/gemm.hpp"
#include "tests/support/cuda_uniform.hpp"

namespace rooftile::testing {
namespace {

CapturedProduct capture_product(Kernel kernel, ComputeMode math) {
  constexpr Index n = CapturedProduct::n, k = CapturedProduct::k;
  Uniform a(n * k, 3), b(n * k, 1), c(n * n, -1);
  const auto multiply = [&](const Kokkos::Cuda& exec) {
    gemm(exec, 1, row_major<const float>(a.data, n, k), row_major<const float>(b.data, k, n), 0,
         row_major(c.data, n, n), {.kernel = kernel, .math = math});
  };
  CapturedProduct found;
  multiply(Kokkos::Cuda());  // Kokkos copies its locks at a kernel's first launch, which a capture forbids
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

/// The operands and the stream of one host thread.
struct Product {
  GemmShape shape;
  Uniform a, b, c;
  cudaStream_t stream;
  std::optional<Kokkos::Cuda> exec;

  Product(GemmShape shape_, float value)
      : shape(shape_), a(shape.m * shape.k, value), b(shape.k * shape.n, 1), c(shape.m * shape.n, -1) {
    check(cudaStreamCreate(&stream));
    exec.emplace(stream);
  }
  ~Product() {
    exec.reset();
    cudaStreamDestroy(stream);
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  void multiply(const GemmOptions& options) const {
    const auto [m, n, k] = shape;
    gemm(*exec, 1, row_major<const float>(a.data, m, k), row_major<const float>(b.data, k, n), 0,
         row_major(c.data, m, n), options);
  }
};

}  // namespace

int compute_capability_major() {
  return find_compute_capability_major();
}

std::vector<CapturedProduct> capture_products(const std::vector<std::pair<Kernel, ComputeMode>>& kernels) {
  const Kokkos::ScopeGuard kokkos;
  std::vector<CapturedProduct> found;
  for (const auto& [kernel, math] : kernels) found.push_back(capture_product(kernel, math));
  return found;
}

RefusedProducts refuse_products() {
  const Kokkos::ScopeGuard kokkos;
  constexpr Index n = RefusedProducts::n, k = RefusedProducts::k;
  const Uniform a(n * k + 1, 1), b(k * n, 1), c(n * n, -1);
  const Kokkos::Cuda exec;
  const auto refusal = [&](const float* of_a, const float* of_b) {
    try {
      gemm(exec, 1, row_major(of_a, n, k), row_major(of_b, k, n), 0, row_major(c.data, n, n));
      return std::string();
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  RefusedProducts found{};
  found.misaligned_a = reinterpret_cast<const char*>(a.data) + 2;
  found.misaligned = refusal(static_cast<const float*>(found.misaligned_a), b.data);
  int count = 0;
  check(cudaGetDeviceCount(&count));
  if (count > 1) {
    const int here = exec.cuda_device();
    check(cudaSetDevice(here == 0 ? 1 : 0));
    const Uniform elsewhere(k * n, 1);
    check(cudaSetDevice(here));
    found.other_device_b = elsewhere.data;
    found.other_device = refusal(a.data, elsewhere.data);
  }
  refusal(a.data, b.data);
  Kokkos::fence();
  found.computed_behind = c.value();
  return found;
}

HostThreads::HostThreads() {
  Kokkos::initialize();
}
HostThreads::~HostThreads() {
  Kokkos::finalize();
}

std::vector<float> HostThreads::multiply(int threads, int repeats, GemmShape shape,
                                         const GemmOptions& options) const {
  std::vector<std::unique_ptr<Product>> products;
  for (int t = 0; t < threads; ++t)
    products.push_back(std::make_unique<Product>(shape, static_cast<float>(t + 1)));
  Kokkos::fence();
  {
    std::latch start(threads);
    std::vector<std::jthread> running;
    for (const auto& product : products) {
      running.emplace_back([&start, &product, repeats, &options] {
        start.arrive_and_wait();
        for (int i = 0; i < repeats; ++i) product->multiply(options);
      });
    }
  }
  Kokkos::fence();
  std::vector<float> values;
  for (const auto& product : products) values.push_back(product->c.value());
  return values;
}

}  // namespace rooftile::testing
