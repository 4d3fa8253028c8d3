// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <cuda_runtime_api.h>

#include "cuda_native/check.hpp"
#include "rooftile/distributed/cuda.hpp"
#include "tests/distributed/case.hpp"

namespace rooftile::distributed::test {

/// Makes a GPU the current one, the same for each rank in every run. @return false, and why is printed: there
/// are too few; with ROOFTILE_REQUIRE_GPU=1 the program ends with an error then
inline bool take_gpu(int rank, int wanted) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count >= wanted) return cudaSetDevice(rank % count) == cudaSuccess;
  const char* const required = std::getenv("ROOFTILE_REQUIRE_GPU");
  if (required != nullptr && *required != '\0' && wanted == 1) std::exit(1);
  if (rank == 0) std::printf("skipped: %d GPUs of %d (%s)\n", count, wanted, cudaGetErrorName(status));
  return false;
}

/// The engine that a word names.
inline CudaEngine engine_named(std::string_view name) {
  for (const CudaEngine engine : {CudaEngine::nccl, CudaEngine::copies, CudaEngine::staging}) {
    if (to_string(engine) == name) return engine;
  }
  return CudaEngine::automatic;
}

/// Memory of the device, as much as a vector of the host's.
template <class T>
class OnGpu {
 public:
  explicit OnGpu(const std::vector<T>& host) : size_(host.size()) {
    cuda_native::check(cudaMalloc(&memory_, (size_ + 1) * sizeof(T)), "allocate");
  }
  ~OnGpu() { cudaFree(memory_); }
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;

  T* data() const { return static_cast<T*>(memory_); }
  /// In the order of the null stream, until whose end it stays.
  void from(const std::vector<T>& host) {
    cuda_native::check(
        cudaMemcpyAsync(memory_, host.data(), size_ * sizeof(T), cudaMemcpyHostToDevice, nullptr), "copy");
  }
  void to(std::vector<T>& host) const {
    cuda_native::check(cudaMemcpy(host.data(), memory_, size_ * sizeof(T), cudaMemcpyDeviceToHost), "copy");
  }

 private:
  void* memory_ = nullptr;
  std::size_t size_;
};

/// A shared matrix whose local part lies where its memory was copied to.
template <class T>
DistributedMatrix<T> there(Shared<T>& X, const OnGpu<T>& copy) {
  DistributedMatrix<T> matrix = X.matrix();
  matrix.local.data = copy.data() + (matrix.local.data - X.memory().data());
  return matrix;
}

}  // namespace rooftile::distributed::test
