// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "products_at_once.hpp"

#include <algorithm>
#include <latch>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

#include "rooftile/gemm.hpp"

namespace rooftile::testing {
namespace {

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

using Values = Kokkos::View<float*, Kokkos::CudaSpace>;

/// The operands of a thread, and its stream.
struct Product {
  GemmShape shape;
  Values a, b, c;
  cudaStream_t stream;
  std::optional<Kokkos::Cuda> exec;

  Product(GemmShape shape_, float value)
      : shape(shape_),
        a("a", static_cast<std::size_t>(shape.m * shape.k)),
        b("b", static_cast<std::size_t>(shape.k * shape.n)),
        c("c", static_cast<std::size_t>(shape.m * shape.n)) {
    Kokkos::deep_copy(a, value);
    Kokkos::deep_copy(b, 1.0F);
    Kokkos::deep_copy(c, -1.0F);
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
    gemm(*exec, 1, row_major<const float>(a.data(), m, k), row_major<const float>(b.data(), k, n), 0,
         row_major(c.data(), m, n), options);
  }
  float value() const {
    const auto values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), c);
    const float* const first = values.data();
    const bool uniform = std::all_of(first, first + values.size(), [&](float x) { return x == *first; });
    return uniform ? *first : std::numeric_limits<float>::quiet_NaN();
  }
};

}  // namespace

int compute_capability_major() {
  int count = 0, major = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  return major;
}

HostThreads::HostThreads() {
  Kokkos::initialize();
}
HostThreads::~HostThreads() {
  Kokkos::finalize();
}

std::vector<float> HostThreads::multiply(int threads, int repeats, GemmShape shape, Kernel kernel,
                                         Math math) const {
  std::vector<std::unique_ptr<Product>> products;
  for (int t = 0; t < threads; ++t)
    products.push_back(std::make_unique<Product>(shape, static_cast<float>(t + 1)));
  Kokkos::fence();
  {
    std::latch start(threads);
    std::vector<std::jthread> running;
    for (const auto& product : products) {
      running.emplace_back([&start, &product, repeats, kernel, math] {
        start.arrive_and_wait();
        for (int i = 0; i < repeats; ++i) product->multiply({.kernel = kernel, .math = math});
      });
    }
  }
  Kokkos::fence();
  std::vector<float> values;
  for (const auto& product : products) values.push_back(product->value());
  return values;
}

}  // namespace rooftile::testing
