// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Workspace from the caller, and what the library's own pool keeps.
// What the native entry does where CUDA refuses, or has refused others.
#include "cuda_native/workspace.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "ones.hpp"
#include "rooftile/detail/batch_args.hpp"
#include "tests/ladder/this_ladder.hpp"

namespace rooftile::testing {
namespace {

/// What the pool of the first device has from the driver.
std::uint64_t bytes_of_pool() {
  std::uint64_t bytes = 0;
  REQUIRE(cudaMemPoolGetAttribute(cuda_native::pool_of(0), cudaMemPoolAttrReservedMemCurrent, &bytes) ==
          cudaSuccess);
  return bytes;
}

/// C_i = A_i·A_iᵀ for matrices of ones, whose rows begin anywhere, or are whole vectors.
struct Case {
  Index m, k;
  bool aligned;
  Index count = 1;
  GemmOptions options = {};
};

constexpr std::uint8_t mark = 0xa5;

/// Whether bytes have no mark, and those behind them all have it.
bool marked_behind(const std::vector<std::uint8_t>& found, std::size_t used) {
  const auto end = found.begin() + static_cast<std::ptrdiff_t>(used);
  const auto is_mark = [](std::uint8_t x) { return x == mark; };
  return !std::all_of(found.begin(), end, is_mark) && std::all_of(end, found.end(), is_mark);
}

template <class T>
void check_own_workspace(const Case& c) {
  constexpr std::size_t guard = 4096;
  const Index ld = c.aligned ? (c.k + 15) / 16 * 16 : c.k | 1, elements = c.m * ld, sums = c.m * c.m;
  Buffer<T> a(device(), static_cast<std::size_t>(c.count * elements)),
      result(device(), static_cast<std::size_t>(c.count * sums));
  const std::vector<T> ones(static_cast<std::size_t>(c.count * elements), static_cast<T>(Scalar<T>(1)));
  a.upload(ones);
  const auto A = row_major<const T>(a.data(), c.m, c.k, ld);
  const BatchArgs<T> args{{1, A, A.transposed(), 0, row_major(result.data(), c.m, c.m)},
                          {c.count, elements, elements, sums}};
  const std::size_t bytes = cuda_native::explain<T>(nullptr, args, c.options).workspace;
  INFO(to_string(type_of<T>()) << ' ' << c.m << 'x' << c.k << " x " << c.count << ", " << bytes << " bytes");
  REQUIRE(bytes > 0);
  Buffer<std::uint8_t> memory(device(), bytes + guard);
  std::vector<std::uint8_t> content(bytes + guard, mark);
  memory.upload(content);

  cuda_native::release_workspace(nullptr);
  const std::uint64_t before = bytes_of_pool();
  GemmOptions with = c.options;
  with.workspace = {memory.data(), bytes};
  std::vector<T> from_caller(static_cast<std::size_t>(c.count * sums)), from_pool = from_caller;
  const auto run_into = [&](std::vector<T>& found, const GemmOptions& options) {
    result.upload(std::vector<T>(found.size(), static_cast<T>(Scalar<T>(-1))));
    cuda_native::run(cuda_native::explain<T>(nullptr, args, options), nullptr, args);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    result.download(found);
  };
  run_into(from_caller, with);
  CHECK(bytes_of_pool() == before);
  memory.download(content);
  CHECK(marked_behind(content, bytes));
  CHECK(from_caller == std::vector<T>(from_caller.size(), static_cast<T>(static_cast<Scalar<T>>(c.k))));
  run_into(from_pool, c.options);
  CHECK(bytes_of_pool() > before);
  CHECK(from_pool == from_caller);
  cuda_native::release_workspace(nullptr);
  CHECK(bytes_of_pool() == before);

  with.workspace = {nullptr, 0};  // goes another way, or says that there is none
  if (c.options.kernel == Kernel::automatic) {
    run_into(from_pool, with);
    CHECK(bytes_of_pool() == before);
    CHECK(from_pool == from_caller);
  }
}

TEST_CASE("workspace may be the caller's, who has all of it again afterwards", "[memory]") {
  const Target here = (device(), cuda_native::target(Math::fp32));
  if (!detail::computes(rung_of(Kernel::stream_k), here)) SKIP("no kernel here takes workspace");
  check_own_workspace<float>({64, 65537, false});
  check_own_workspace<double>({70, 30001, false});
  for (const Index count : {1, 5})
    check_own_workspace<float>({515, 517, false, count, {.kernel = Kernel::pipelined, .repack = true}});
  Target bf16 = here;
  bf16.math = Math::bf16;
  if (!detail::computes(rung_of(Kernel::warpgroup), bf16)) return;
  check_own_workspace<bfloat16>({64, 255, false, 3, {.kernel = Kernel::warpgroup}});
  check_own_workspace<float16>({60, 2047, false, 2, {.kernel = Kernel::warpgroup}});
  check_own_workspace<float>({64, 16384, true, 1, {.kernel = Kernel::warpgroup, .math = Math::tf32}});
  check_own_workspace<float>(
      {300, 301, false, 2, {.kernel = Kernel::warpgroup_tf32x3, .math = Math::tf32x3}});
}

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
