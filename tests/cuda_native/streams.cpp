// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// What the native entry promises of streams, graphs and the threads that use them.
#include <thread>

#include "ones.hpp"
#include "tests/ladder/this_ladder.hpp"

namespace rooftile::testing {

// compiled_for.cu: whether a kernel waits itself for the one before it.
bool compiled_for_80();
bool compiled_for_90();

namespace {

TEST_CASE("a product can be captured in a graph", "[graph]") {
  Ones ones(device());
  for (const Math math : maths_of_fp32()) {
    INFO(to_string(math));
    ones.c.upload(std::vector<float>(Ones::n * Ones::n, -1));
    const Captured product([&](cudaStream_t stream) { ones.launch(stream, 1, math); });
    CHECK(ones.holds(-1));  // captured, not run
    product.replay();
    CHECK(ones.holds(static_cast<float>(Ones::n)));
  }
}

TEST_CASE("a batch can be captured in a graph, workspace and all", "[graph][batched]") {
  Ones ones(device());
  const Index n = 32, count = 9;  // 9·32·32 elements: all of the matrix
  const auto A = row_major<const float>(ones.a.data(), n, n + 1, n + 2);  // rows not of 16 bytes
  for (const Math math : maths_of_fp32()) {
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

/// D = (A·B)·C in one capture: the second product reads, as it lies, what the first, whose operands are
/// repacked, has just written. All of A to C are ones but for a corner that replays change.
TEST_CASE("of two products in a capture the second reads what the first has written", "[graph]") {
  const Index n = 96, ld = n + 1;
  Device& here = device();
  Buffer<float> a(here, n * ld), between(here, n * n), ones(here, n * n), d(here, n * n);
  ones.upload(std::vector<float>(n * n, 1));
  const auto A = row_major<const float>(a.data(), n, n, ld);  // rows not of 16 bytes
  const auto E = row_major(between.data(), n, n);
  for (const Math math : maths_of_fp32()) {
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
  for (const Math math : maths_of_fp32()) {
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

/// Alone, as tests of memory are: what other programs take counts as well.
TEST_CASE("a thousand replays leave what one leaves, and take no memory", "[graph][memory]") {
  Ones ones(device());
  for (const Math math : maths_of_fp32()) {
    INFO(to_string(math));
    const Captured product([&](cudaStream_t stream) { ones.launch(stream, 1, math); });
    product.replay();
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
  for (const Math math : maths_of_fp32()) {
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

}  // namespace
}  // namespace rooftile::testing
