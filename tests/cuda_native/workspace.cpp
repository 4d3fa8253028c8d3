// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Streams, graphs, threads, workspaces and memory pools of the native entry, and CUDA errors.
#include "cuda_native/workspace.hpp"

#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "ones.hpp"
#include "rooftile/detail/batch_args.hpp"
#include "tests/ladder/this_ladder.hpp"

namespace rooftile::testing {

// compiled_for.cu: whether a kernel waits in device code for the kernel before it.
bool compiled_for_80();
bool compiled_for_90();

namespace {

TEST_CASE("a batch can be captured in a graph, workspace and all", "[graph][batched]") {
  Ones ones(device());
  const Index n = 32, count = 9;  // 9·32·32 elements: all of the matrix
  const auto A = row_major<const float>(ones.a.data(), n, n + 1, n + 2);  // rows not multiples of 16 bytes
  for (const ComputeMode math : maths_of_fp32()) {
    INFO(to_string(math));
    ones.c.upload(std::vector<float>(Ones::n * Ones::n, -1));
    const Captured batch([&](cudaStream_t stream) {
      cuda_native::gemm_strided_batched(stream, 2, A, 1, A.transposed(), 3, 0, row_major(ones.c.data(), n, n),
                                        n * n, count, options_of(math));
    });
    CHECK(ones.holds(-1));
    batch.replay();
    CHECK(ones.holds(2 * static_cast<float>(n + 1)));
  }
}

/// D = (A·Aᵀ)·ones in one capture. The second product reads the result of the first, whose operands are
/// repacked. Each replay has another value in all elements of A.
TEST_CASE("of two products in a capture the second reads what the first has written", "[graph]") {
  const Index n = 96, ld = n + 1;
  Device& here = device();
  Buffer<float> a(here, n * ld), between(here, n * n), ones(here, n * n), d(here, n * n);
  ones.upload(std::vector<float>(n * n, 1));
  const auto A = row_major<const float>(a.data(), n, n, ld);  // rows not multiples of 16 bytes
  const auto E = row_major(between.data(), n, n);
  for (const ComputeMode math : maths_of_fp32()) {
    INFO(to_string(math));
    const Captured products([&](cudaStream_t stream) {
      cuda_native::gemm(stream, 1, A, A.transposed(), 0, E, options_of(math));
      cuda_native::gemm(stream, 1, row_major<const float>(between.data(), n, n),
                        row_major<const float>(ones.data(), n, n), 0, row_major(d.data(), n, n),
                        options_of(math));
    });
    for (const float x : {1.0F, 2.0F}) {
      a.upload(std::vector<float>(n * ld, x));
      products.replay();
      std::vector<float> result(n * n);
      d.download(result);
      CHECK(result == std::vector<float>(n * n, x * x * static_cast<float>(n * n)));
    }
  }
}

TEST_CASE("a capture may be joined from two streams", "[graph]") {
  Device& here = device();
  std::vector<Ones> products;
  for (int i = 0; i < 3; ++i) products.emplace_back(here);
  for (const ComputeMode math : maths_of_fp32()) {
    INFO(to_string(math));
    const Stream other;
    cudaEvent_t fork, join;
    require(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    require(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    const Captured both([&](cudaStream_t stream) {
      require(cudaEventRecord(fork, stream));
      require(cudaStreamWaitEvent(other, fork));
      products[0].launch(stream, 1, math);
      products[1].launch(other, 2, math);
      require(cudaEventRecord(join, other));
      require(cudaStreamWaitEvent(stream, join));
      products[2].launch(stream, 3, math);
    });
    for (Ones& x : products) x.c.upload(std::vector<float>(Ones::n * Ones::n, -1));
    both.replay(3);
    for (int i = 0; i < 3; ++i)
      CHECK(products[static_cast<std::size_t>(i)].holds(static_cast<float>((i + 1) * Ones::n)));
    cudaEventDestroy(join);
    cudaEventDestroy(fork);
  }
}

TEST_CASE("only kernels compiled for 9.0 start before the one before them has ended", "[launch]") {
  device();
  CHECK_FALSE(compiled_for_80());
  int major = 0;
  require(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  if (major >= 9) CHECK(compiled_for_90());
}

/// Runs alone, like all memory tests, because the free memory also depends on other programs.
TEST_CASE("a captured product runs at each replay, and a thousand replays take no memory",
          "[graph][memory]") {
  Ones ones(device());
  for (const ComputeMode math : maths_of_fp32()) {
    INFO(to_string(math));
    ones.c.upload(std::vector<float>(Ones::n * Ones::n, -1));
    const Captured product([&](cudaStream_t stream) { ones.launch(stream, 1, math); });
    CHECK(ones.holds(-1));  // captured, not run
    product.replay();
    CHECK(ones.holds(static_cast<float>(Ones::n)));
    std::size_t before = 0, after = 0, total = 0;
    require(cudaMemGetInfo(&before, &total));
    ones.c.upload(std::vector<float>(Ones::n * Ones::n, -1));
    product.replay(1000);
    require(cudaMemGetInfo(&after, &total));
    CHECK(ones.holds(static_cast<float>(Ones::n)));
    CHECK(before == after);
  }
}

TEST_CASE("host threads with streams of their own do not disturb each other", "[threads]") {
  Device& here = device();
  for (const ComputeMode math : maths_of_fp32()) {
    INFO(to_string(math));
    std::vector<Ones> products;
    for (int t = 0; t < 8; ++t) products.emplace_back(here);
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 8; ++t) {
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
    for (int t = 0; t < 8; ++t)
      CHECK(products[static_cast<std::size_t>(t)].holds(static_cast<float>((t + 1) * Ones::n)));
  }
}

/// Returns the bytes that the pool of device 0 has reserved from the driver.
std::uint64_t bytes_of_pool() {
  std::uint64_t bytes = 0;
  REQUIRE(cudaMemPoolGetAttribute(cuda_native::pool_of(0), cudaMemPoolAttrReservedMemCurrent, &bytes) ==
          cudaSuccess);
  return bytes;
}

/// C_i = A_i·A_iᵀ for matrices of ones. If `aligned`, the leading dimension is a multiple of 16 elements;
/// otherwise it is odd.
struct Case {
  Index m, k;
  bool aligned;
  Index count = 1;
  GemmOptions options = {};
};

constexpr std::uint8_t mark = 0xa5;

/// Returns whether the first `used` bytes were written, at least in part, and all bytes behind them still
/// have the mark.
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

  with.workspace = {nullptr, 0};  // no workspace: another kernel computes
  if (c.options.kernel == Kernel::automatic) {
    run_into(from_pool, with);
    CHECK(bytes_of_pool() == before);
    CHECK(from_pool == from_caller);
  }
}

TEST_CASE("workspace may be the caller's, who has all of it again afterwards", "[memory]") {
  const Target here = (device(), cuda_native::target(ComputeMode::fp32));
  if (!detail::computes(rung_of(Kernel::stream_k), here)) SKIP("no kernel here takes workspace");
  check_own_workspace<float>({64, 65537, false});
  check_own_workspace<double>({70, 30001, false});
  for (const Index count : {1, 5})
    check_own_workspace<float>({515, 517, false, count, {.kernel = Kernel::pipelined, .repack = true}});
  Target bf16 = here;
  bf16.math = ComputeMode::bf16;
  if (!detail::computes(rung_of(Kernel::warpgroup), bf16)) return;
  check_own_workspace<bfloat16>({64, 255, false, 3, {.kernel = Kernel::warpgroup}});
  check_own_workspace<float16>({60, 2047, false, 2, {.kernel = Kernel::warpgroup}});
  check_own_workspace<float>({64, 16384, true, 1, {.kernel = Kernel::warpgroup, .math = ComputeMode::tf32}});
  check_own_workspace<float>(
      {300, 301, false, 2, {.kernel = Kernel::warpgroup_tf32x3, .math = ComputeMode::tf32x3}});
}

/// C = A·Aᵀ for A of ones. Only every fourth row of A begins at a multiple of 16 bytes.
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
  const Target here = (device(), cuda_native::target(ComputeMode::fp32));
  Unaligned product(device());
  std::vector<GemmOptions> all;
  for (const GemmOptions& options :
       {GemmOptions{.kernel = Kernel::pipelined, .math = ComputeMode::fp32, .repack = true},
        {.kernel = Kernel::warpgroup, .math = ComputeMode::tf32},
        {.kernel = Kernel::warpgroup_tf32x3, .math = ComputeMode::tf32x3}}) {
    Target target = here;
    target.math = options.math;
    if (detail::computes(rung_of(options.kernel), target)) all.push_back(options);
  }
  for (const GemmOptions& options : all) {
    INFO(rung_of(options.kernel).name);
    REQUIRE(cudaMemPoolTrimTo(cuda_native::pool_of(0), 0) == cudaSuccess);  // the pool keeps released memory
    {
      const MemoryTaken taken(std::size_t{16} << 20);
      if (options.repack) {  // falls back to the kernel without repacking
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
  for (const ComputeMode math : maths_of_fp32()) {
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
