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
#include "rooftile/error.hpp"
#include "tests/distributed/case.hpp"

namespace rooftile::distributed::test {

/// Selects a GPU for each rank, in a fixed order. If there are too few GPUs, prints why and returns false.
/// With ROOFTILE_REQUIRE_GPU=1 and `wanted` = 1, exits with status 1 instead.
inline bool take_gpu(int rank, int wanted) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count >= wanted) return cudaSetDevice(rank % count) == cudaSuccess;
  const char* const required = std::getenv("ROOFTILE_REQUIRE_GPU");
  if (required != nullptr && *required != '\0' && wanted == 1) std::exit(1);
  if (rank == 0) std::printf("skipped: %d GPUs of %d (%s)\n", count, wanted, cudaGetErrorName(status));
  return false;
}

/// The engine of this name. Any other name gives `automatic`.
inline CudaEngine engine_named(std::string_view name) {
  for (const CudaEngine engine : {CudaEngine::nccl, CudaEngine::copies, CudaEngine::staging}) {
    if (to_string(engine) == name) return engine;
  }
  return CudaEngine::automatic;
}

/// Device memory of the size of a host vector.
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
  /// Copies in the order of the null stream. `host` must stay valid until the copy is done.
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

/// A distributed matrix whose local part is the device copy.
template <class T>
DistributedMatrix<T> there(Shared<T>& X, const OnGpu<T>& copy) {
  DistributedMatrix<T> matrix = X.matrix();
  matrix.local.data = copy.data() + (matrix.local.data - X.memory().data());
  return matrix;
}

/// Calls f(T()) for a random type that GPUs support.
template <class F>
void with_random_gpu_type(Draw& draw, const F& f) {
  switch (draw(0, 5)) {
    case 0:
      return f(float16());
    case 1:
      return f(bfloat16());
    default:
      return with_random_type(draw, f);
  }
}

/// The main function of programs with the arguments ENGINE COUNT [SEED [FAULT]]: ten random cases for each of
/// COUNT seeds, if there are enough GPUs. With a fault, the cases must find an error.
/// @param run  takes seed, processes, engine and fault; returns the number of wrong elements
/// @return the exit code
template <class Run>
int run_seeds(int argc, char** argv, const char* cases, const Run& run) {
  int processes = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::string_view engine = argv[1];
  if (!take_gpu(rank, engine == "nccl" ? processes : 1)) return 0;
  const int count = std::atoi(argv[2]);
  const unsigned first = argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 1;
  const std::string_view fault = argc > 4 ? argv[4] : "";
  int wrong = 0;
  try {
    for (int i = 0; i < count; ++i)
      wrong += run(first + static_cast<unsigned>(i), processes, engine_named(engine), fault);
  } catch (const Error& error) {
    std::printf("rank %d: %s\n", rank, error.what());
    std::fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (rank == 0)
    std::printf("%d times 10 %s by %s on up to %d processes, %s\n", count, cases, argv[1], processes,
                wrong > 0 ? "wrong" : "right");
  return (wrong > 0) == fault.empty() ? 1 : 0;
}

}  // namespace rooftile::distributed::test
