// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// What the native entry does where CUDA refuses, or has refused others.
#include <utility>
#include <vector>

#include "cuda_native/workspace.hpp"
#include "memory_taken.hpp"
#include "ones.hpp"
#include "tests/ladder/this_ladder.hpp"

namespace rooftile::testing {
namespace {

/// C = A·Aᵀ for A of ones, none of whose rows but the first begins at a multiple of 16 bytes.
struct Unaligned {
  static constexpr Index n = 4095, k = 4097;
  Buffer<float> a, c;

  explicit Unaligned(Device& device) : a(device, n * k), c(device, n * n) {
    a.upload(std::vector<float>(n * k, 1));
    clear();
  }
  void clear() { c.upload(std::vector<float>(n * n, -1)); }
  void launch(const GemmOptions& options) const {
    const auto A = row_major<const float>(a.data(), n, k);
    cuda_native::gemm(nullptr, 1, A, A.transposed(), 0, row_major(c.data(), n, n), options);
  }
  bool holds(float value) const {
    std::vector<float> result(n * n);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    c.download(result);
    return result == std::vector<float>(n * n, value);
  }
};

TEST_CASE("with too little memory for workspace, a kernel that needs it throws and C stays, or does without",
          "[memory]") {
  const Target here = (device(), cuda_native::target(Math::fp32));
  Unaligned product(device());
  std::vector<GemmOptions> all;
  for (const GemmOptions& options :
       {GemmOptions{.kernel = Kernel::pipelined, .math = Math::fp32, .repack = true},
        {.kernel = Kernel::warpgroup, .math = Math::tf32},
        {.kernel = Kernel::warpgroup_tf32x3, .math = Math::tf32x3}}) {
    Target target = here;
    target.math = options.math;
    if (detail::computes(rung_of(options.kernel), target)) all.push_back(options);
  }
  for (const GemmOptions& options : all) {
    INFO(rung_of(options.kernel).name);
    REQUIRE(cudaMemPoolTrimTo(cuda_native::pool_of(0), 0) == cudaSuccess);  // which keeps what it once had
    {
      const MemoryTaken taken(std::size_t{16} << 20);
      if (options.repack) {  // multiplies the operands as they lie
        product.launch(options);
        CHECK(product.holds(Unaligned::k));
      } else {
        CHECK_THROWS_AS(product.launch(options), OutOfMemory);
        CHECK(product.holds(-1));
      }
      CHECK(cudaGetLastError() == cudaSuccess);
    }
    product.clear();
    product.launch(options);  // there is memory again
    CHECK(product.holds(Unaligned::k));
    product.clear();
  }
}

TEST_CASE("an error that others left behind is not reported as a product's", "[errors]") {
  Ones ones(device());
  for (const Math math : maths_of_fp32()) {
    INFO(to_string(math));
    ones.c.upload(std::vector<float>(Ones::n * Ones::n, -1));
    void* memory = nullptr;
    REQUIRE(cudaMalloc(&memory, std::size_t{1} << 60) == cudaErrorMemoryAllocation);
    CHECK_NOTHROW(ones.launch(nullptr, 1, math));
    cudaGetLastError();
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(ones.holds(static_cast<float>(Ones::n)));
  }
}

}  // namespace
}  // namespace rooftile::testing
