// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The native entry with memory of each kind: it computes the product or refuses the call.
#include "cuda_native/device_accessible.hpp"

#include <memory>
#include <string>
#include <vector>

#include "ones.hpp"
#include "tests/ladder/this_ladder.hpp"
#include "tests/support/refused.hpp"

namespace rooftile::testing {
namespace {

constexpr Index n = Ones::n;

/// Returns whether the device reads memory of malloc.
bool reads_pageable() {
  static_cast<void>(device());
  int reads = 0;
  REQUIRE(cudaDeviceGetAttribute(&reads, cudaDevAttrPageableMemoryAccess, 0) == cudaSuccess);
  return reads != 0;
}

std::string text_of(const char* name, const void* address) {
  return detail::text("host memory that the GPU cannot access (", name, ", ", address,
                      "): copy it to the device, or allocate pinned or managed memory");
}

/// Three matrices (n,n) in memory of one kind: two of ones, and C of -1.
struct Matrices {
  std::unique_ptr<float, void (*)(float*)> memory;
  float* data() const { return memory.get(); }
  MatrixRef<const float> ones(int i = 0) const { return row_major<const float>(data() + i * n * n, n, n); }
  MatrixRef<float> c() const { return row_major(data() + 2 * n * n, n, n); }
  /// Returns whether all elements of C have the value.
  bool holds(float value) const {
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    std::vector<float> result(n * n);
    REQUIRE(cudaMemcpy(result.data(), c().data, n * n * sizeof(float), cudaMemcpyDefault) == cudaSuccess);
    return result == std::vector<float>(n * n, value);
  }
  void clear() const {
    std::vector<float> values(3 * n * n, 1);
    std::fill(values.begin() + 2 * n * n, values.end(), -1.0F);
    REQUIRE(cudaMemcpy(data(), values.data(), values.size() * sizeof(float), cudaMemcpyDefault) ==
            cudaSuccess);
  }
};

enum class Kind { device, pinned, managed, host };
Matrices matrices(Kind kind) {
  static_cast<void>(device());
  constexpr std::size_t bytes = 3 * n * n * sizeof(float);
  void* memory = nullptr;
  void (*release)(float*) = [](float* p) { cudaFree(p); };
  if (kind == Kind::host) {
    memory = std::malloc(bytes), release = [](float* p) { std::free(p); };
  } else if (kind == Kind::pinned) {
    REQUIRE(cudaMallocHost(&memory, bytes) == cudaSuccess);
    release = [](float* p) { cudaFreeHost(p); };
  } else {
    REQUIRE((kind == Kind::device ? cudaMalloc(&memory, bytes) : cudaMallocManaged(&memory, bytes)) ==
            cudaSuccess);
  }
  return {{static_cast<float*>(memory), release}};
}

/// Checks that a call with host memory is refused and leaves C unchanged, or computes C if the device reads
/// host memory.
template <class Call>
void check_host(const char* name, const void* address, const Matrices& where, const Call& call) {
  INFO(name);
  where.clear();
  if (reads_pageable()) {
    CHECK_NOTHROW(call());
    CHECK(where.holds(static_cast<float>(n)));
  } else {
    CHECK(refused(call) == text_of(name, address));
    CHECK(where.holds(-1));
  }
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("device, pinned and managed memory is multiplied", "[reach]") {
  for (const Kind kind : {Kind::device, Kind::pinned, Kind::managed}) {
    INFO(static_cast<int>(kind));
    const Matrices all = matrices(kind);
    all.clear();
    cuda_native::gemm(nullptr, 1, all.ones(0), all.ones(1), 0, all.c());
    CHECK(all.holds(static_cast<float>(n)));
  }
}

TEST_CASE("memory of the host is refused by name, by every entry", "[reach]") {
  const Matrices there = matrices(Kind::device), here = matrices(Kind::host);
  here.clear();
  const auto a = there.ones(0), b = there.ones(1);
  const auto c = there.c();
  const float* const host = here.ones(0).data;
  using cuda_native::gemm;
  check_host("A", host, there, [&] { gemm(nullptr, 1, here.ones(0), b, 0, c); });
  check_host("B", host, there, [&] { gemm(nullptr, 1, a, here.ones(0), 0, c); });
  check_host("C", here.c().data, here, [&] { gemm(nullptr, 1, a, b, 0, here.c()); });
  check_host("B", host, there, [&] {  // A of the transposed product
    gemm(nullptr, 1, b.transposed(), here.ones(0).transposed(), 0, c.transposed());
  });
  check_host("A", host, there, [&] {
    cuda_native::gemm_strided_batched(nullptr, 1, here.ones(0), 0, b.block(0, 0, n, n / 2), 0, 0,
                                      c.block(0, 0, n, n / 2), n / 2, 2);
  });
  const BatchArgs<float> product{{1, here.ones(0), b, 0, c}, {}};
  const GemmPlan plan = cuda_native::explain(nullptr, product);  // does not access the operands
  check_host("A", host, there, [&] { cuda_native::run(plan, nullptr, product); });
  const float* const pointers[] = {a.data};
  check_host("pointers of A", pointers, there, [&] {
    cuda_native::gemm_batched(nullptr, 1, pointer_batch(pointers, row_major<const float>(nullptr, n, n), 1),
                              BatchRef<const float>{b, 0, 1}, 0, BatchRef<float>{c, 0, 1});
  });
}

TEST_CASE("of a group, memory of the host is refused with the product's number", "[reach]") {
  const Matrices first = matrices(Kind::device), second = matrices(Kind::device), here = matrices(Kind::host);
  first.clear(), second.clear(), here.clear();
  const GemmArgs<float> products[] = {{1, first.ones(0), first.ones(1), 0, first.c()},
                                      {1, second.ones(0), here.ones(1), 0, second.c()}};
  const auto call = [&] { cuda_native::gemm_grouped<float>(nullptr, products); };
  if (reads_pageable()) {
    CHECK_NOTHROW(call());
    CHECK(first.holds(static_cast<float>(n)));
    CHECK(second.holds(static_cast<float>(n)));
  } else {
    CHECK(refused(call) == "product 1 of 2, counted from 0: " + text_of("B", here.ones(1).data));
    CHECK(first.holds(-1));
    CHECK(second.holds(-1));
  }
}

template <class P>
P moved(P address, std::uintptr_t bytes) {
  return reinterpret_cast<P>(reinterpret_cast<std::uintptr_t>(address) + bytes);
}

TEST_CASE("memory of another device is refused by name, unless the stream's device has access", "[reach]") {
  static_cast<void>(device());
  int count = 0, access = 0;
  REQUIRE(cudaGetDeviceCount(&count) == cudaSuccess);
  if (count < 2) SKIP("one device");
  const auto on_device = [](int number) {
    REQUIRE(cudaSetDevice(number) == cudaSuccess);
    Matrices made = matrices(Kind::device);
    made.clear();
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
    return made;
  };
  const Matrices there = on_device(0), elsewhere = on_device(1);
  const auto expected = [](const char* name, const void* address) {
    return detail::text("another GPU's memory, which the stream's GPU cannot access (", name, ", ", address,
                        "): copy it to the stream's GPU, or enable peer access");
  };
  const auto a = there.ones(0), b = there.ones(1), other = elsewhere.ones(0);
  const auto c = there.c();
  const Stream stream;
  using cuda_native::gemm;
  CHECK(refused([&] { gemm(stream, 1, other, b, 0, c); }) == expected("A", other.data));
  CHECK(refused([&] { gemm(stream, 1, a, other, 0, c); }) == expected("B", other.data));
  CHECK(refused([&] { gemm(stream, 1, a, b, 0, elsewhere.c()); }) == expected("C", elsewhere.c().data));
  const GemmArgs<float> products[] = {{1, a, b, 0, c}, {1, a, other, 0, elsewhere.c()}};
  CHECK(refused([&] { cuda_native::gemm_grouped<float>(stream, products); }) ==
        "product 1 of 2, counted from 0: " + expected("C", elsewhere.c().data));
  cudaGraph_t graph;
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  CHECK(refused([&] { gemm(stream, 1, other, b, 0, c); }) == expected("A", other.data));
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  cudaGraphDestroy(graph);
  CHECK(there.holds(-1));
  CHECK(elsewhere.holds(-1));
  CHECK(cudaGetLastError() == cudaSuccess);

  // The current device may differ from the device that runs the kernels.
  REQUIRE(cudaSetDevice(1) == cudaSuccess);
  CHECK(cuda_native::device_accessible(0, other.data) == detail::Access::other_device);
  CHECK(cuda_native::device_accessible(0, a.data) == detail::Access::reached);
  CHECK(cuda_native::device_accessible(1, a.data) == detail::Access::other_device);
  REQUIRE(cudaSetDevice(0) == cudaSuccess);

  REQUIRE(cudaDeviceCanAccessPeer(&access, 0, 1) == cudaSuccess);
  if (access != 0) {
    REQUIRE(cudaDeviceEnablePeerAccess(1, 0) == cudaSuccess);
    CHECK_NOTHROW(gemm(stream, 1, other, b, 0, c));
    CHECK(cuda_native::device_accessible(0, other.data) == detail::Access::reached);
    CHECK(there.holds(static_cast<float>(n)));
    CHECK(cudaDeviceDisablePeerAccess(1) == cudaSuccess);
  }
  REQUIRE(cudaSetDevice(1) == cudaSuccess);
  CHECK_NOTHROW(gemm(nullptr, 1, other, elsewhere.ones(1), 0, elsewhere.c()));
  CHECK(elsewhere.holds(static_cast<float>(n)));
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
}

TEST_CASE("an operand that is not aligned to its elements is refused by name, and the device goes on",
          "[reach]") {
  const Matrices there = matrices(Kind::device);
  there.clear();
  // Smaller matrices, so that shifted matrices stay inside the memory.
  const auto a = there.ones(0).block(0, 0, n - 1, n - 1), b = there.ones(1).block(0, 0, n - 1, n - 1);
  const auto c = there.c().block(0, 0, n - 1, n - 1);
  const auto off = [](auto X) { return X.at(moved(X.data, 2)); };
  const auto expected = [](const char* name, const void* address) {
    return detail::text_of_misaligned(name, address, sizeof(float));
  };
  const auto transposed = [](auto X) { return X.transposed(); };
  using cuda_native::gemm;
  CHECK(refused([&] { gemm(nullptr, 1, off(a), b, 0, c); }) == expected("A", off(a).data));
  CHECK(refused([&] { gemm(nullptr, 1, a, off(b), 0, c); }) == expected("B", off(b).data));
  CHECK(refused([&] { gemm(nullptr, 1, a, b, 0, off(c)); }) == expected("C", off(c).data));
  CHECK(refused([&] { gemm(nullptr, 1, transposed(off(a)), transposed(b), 0, transposed(c)); }) ==
        expected("A", off(a).data));
  const BatchArgs<float> product{{1, a, off(b), 0, c}, {}};
  const GemmPlan plan = cuda_native::explain(nullptr, product);  // does not access the operands
  CHECK(refused([&] { cuda_native::run(plan, nullptr, product); }) == expected("B", off(b).data));
  const GemmArgs<float> products[] = {{1, off(a), b, 0, c}};
  CHECK(refused([&] { cuda_native::gemm_grouped<float>(nullptr, products); }) ==
        "product 0 of 1, counted from 0: " + expected("A", off(a).data));
  CHECK(there.holds(-1));
  gemm(nullptr, 1, there.ones(0), there.ones(1), 0, there.c());
  CHECK(there.holds(static_cast<float>(n)));
}

TEST_CASE("memory that is not read may lie anywhere", "[reach]") {
  const Matrices there = matrices(Kind::device), here = matrices(Kind::host);
  there.clear(), here.clear();
  cuda_native::gemm(nullptr, 0, here.ones(0), here.ones(1), 2, there.c());
  CHECK(there.holds(-2));
  cuda_native::gemm(nullptr, 1, here.ones(0).block(0, 0, n, 0), here.ones(1).block(0, 0, 0, n), 2, there.c());
  CHECK(there.holds(-4));
}

TEST_CASE("memory is checked while a stream is captured", "[reach][graph]") {
  const Matrices there = matrices(Kind::device), here = matrices(Kind::host);
  there.clear(), here.clear();
  const Stream stream;
  cuda_native::gemm(stream, 1, there.ones(0), there.ones(1), 0, there.c());  // loads the kernel
  there.clear();
  for (const cudaStreamCaptureMode mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal}) {
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    REQUIRE(cudaStreamBeginCapture(stream, mode) == cudaSuccess);
    CHECK_NOTHROW(cuda_native::gemm(stream, 1, there.ones(0), there.ones(1), 1, there.c()));
    if (!reads_pageable()) {
      CHECK(refused([&] { cuda_native::gemm(stream, 1, here.ones(0), there.ones(1), 1, there.c()); }) ==
            text_of("A", here.ones(0).data));
    }
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    REQUIRE(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
    there.clear();
    REQUIRE(cudaGraphLaunch(replay, stream) == cudaSuccess);
    CHECK(there.holds(static_cast<float>(n - 1)));
    cudaGraphExecDestroy(replay);
    cudaGraphDestroy(graph);
  }
}

}  // namespace
}  // namespace rooftile::testing
