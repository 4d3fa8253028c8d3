// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <cuda_runtime_api.h>

#include "rooftile/cuda_native.hpp"
#include "tests/support/device.hpp"

/// A product on the native path with an obvious result, and helpers for memory, streams and graphs.
namespace rooftile::testing {

/// Options that select the kernel of the mode. For a small tf32x3 product, `gemm` would choose an fp32
/// kernel.
inline GemmOptions options_of(ComputeMode math) {
  return {.kernel = math == ComputeMode::tf32x3 ? Kernel::warpgroup_tf32x3 : Kernel::automatic, .math = math};
}

/// C = A·A for A of ones: every element is n.
struct Ones {
  static constexpr Index n = 96;
  Buffer<float> a, c;
  std::vector<float> result = std::vector<float>(n * n);

  explicit Ones(Device& device) : a(device, n * n), c(device, n * n) {
    a.upload(std::vector<float>(n * n, 1));
    c.upload(std::vector<float>(n * n, -1));
  }

  void launch(cudaStream_t stream, float alpha = 1, ComputeMode math = ComputeMode::automatic) const {
    const auto A = row_major<const float>(a.data(), n, n);
    cuda_native::gemm(stream, alpha, A, A, 0, row_major(c.data(), n, n), options_of(math));
  }
  bool holds(float value) {
    c.download(result);
    return result == std::vector<float>(n * n, value);
  }
};

/// Returns the modes in which this device multiplies fp32. The modes of the tensor cores need workspace.
inline std::vector<ComputeMode> maths_of_fp32() {
  std::vector<ComputeMode> maths;
  for (const ComputeMode math : all_modes) {
    const Target here = cuda_native::target(math);
    const auto computes = [&](const Rung& rung) { return detail::computes(rung, here); };
    if (type_of(math) == Type::fp32 && std::any_of(std::begin(ladder), std::end(ladder), computes)) {
      maths.push_back(math);
    }
  }
  return maths;
}

/// Allocates all memory of the device except for `left` bytes.
class MemoryTaken {
 public:
  explicit MemoryTaken(std::size_t left) {
    std::size_t free = 0, total = 0;
    REQUIRE(cudaMemGetInfo(&free, &total) == cudaSuccess);
    for (std::size_t bytes = free; bytes >= left; bytes /= 2) {
      void* memory = nullptr;
      while (cudaMemGetInfo(&free, &total) == cudaSuccess && free >= bytes + left &&
             cudaMalloc(&memory, bytes) == cudaSuccess) {
        taken_.push_back(memory);
      }
      cudaGetLastError();
    }
  }
  ~MemoryTaken() {
    for (void* memory : taken_) cudaFree(memory);
  }
  MemoryTaken(const MemoryTaken&) = delete;
  MemoryTaken& operator=(const MemoryTaken&) = delete;

 private:
  std::vector<void*> taken_;
};

inline void require(cudaError_t status) {
  INFO(cudaGetErrorName(status));
  REQUIRE(status == cudaSuccess);
}

struct Stream {
  cudaStream_t stream;

  Stream() { require(cudaStreamCreate(&stream)); }
  ~Stream() { cudaStreamDestroy(stream); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  operator cudaStream_t() const { return stream; }
};

/// The work that `work(stream)` puts on a stream, captured as a graph.
class Captured {
 public:
  template <class Work>
  explicit Captured(const Work& work) {
    require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    work(static_cast<cudaStream_t>(stream_));
    require(cudaStreamEndCapture(stream_, &graph_));
    require(cudaGraphInstantiate(&exec_, graph_, 0));
  }
  ~Captured() {
    cudaGraphExecDestroy(exec_);
    cudaGraphDestroy(graph_);
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  void replay(int times = 1) const {
    for (int i = 0; i < times; ++i) require(cudaGraphLaunch(exec_, stream_));
    require(cudaStreamSynchronize(stream_));
  }

 private:
  Stream stream_;
  cudaGraph_t graph_;
  cudaGraphExec_t exec_;
};

}  // namespace rooftile::testing
