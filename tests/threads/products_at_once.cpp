// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "products_at_once.hpp"

#include <latch>
#include <memory>
#include <optional>
#include <thread>

#include "rooftile/gemm.hpp"
#include "tests/support/cuda_uniform.hpp"

namespace rooftile::testing {
namespace {

/// The operands of a thread, and its stream.
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
