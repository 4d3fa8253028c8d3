// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "cuda_native/check.hpp"
#include "cuda_native/run.hpp"
#include "rooftile/cuda_native.hpp"
#include "rooftile/detail/check.hpp"

namespace rooftile::cuda_native {
namespace {

/// What starts each rung; null where a rung has no native kernel.
template <class T>
constexpr auto kernels = []<std::size_t... i>(std::index_sequence<i...>) {
  using Run = void (*)(cudaStream_t, const GemmArgs<T>&, TileShape);
  constexpr auto of = []<std::size_t j>(std::integral_constant<std::size_t, j>) -> Run {
    if constexpr (ladder[j].native) {
      return &run<ladder[j].kernel, T>;
    } else {
      return nullptr;
    }
  };
  return std::array<Run, rung_count>{of(std::integral_constant<std::size_t, i>{})...};
}
(std::make_index_sequence<rung_count>{});

template <class T>
void gemm_of(cudaStream_t stream, const GemmArgs<T>& args, const GemmOptions& options) {
  const GemmArgs<T> ready = detail::prepared(args);
  if (detail::is_empty(ready.C)) return;
  const Choice choice = choose(ready.shape(), options, {Path::native, block_limits(), sizeof(T)});
  kernels<T>[static_cast<std::size_t>(choice.kernel)](stream, ready, choice.tile);
}

}  // namespace

BlockLimits block_limits() {
  int device = 0, threads = 0, shared = 0;
  check(cudaGetDevice(&device), "find a CUDA device");
  check(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, device), "query a CUDA device");
  check(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlock, device), "query a CUDA device");
  return {threads, static_cast<std::size_t>(shared)};
}

void gemm(cudaStream_t stream, float alpha, MatrixRef<const float> A, MatrixRef<const float> B, float beta,
          MatrixRef<float> C, const GemmOptions& options) {
  gemm_of<float>(stream, {alpha, A, B, beta, C}, options);
}

void gemm(cudaStream_t stream, double alpha, MatrixRef<const double> A, MatrixRef<const double> B,
          double beta, MatrixRef<double> C, const GemmOptions& options) {
  gemm_of<double>(stream, {alpha, A, B, beta, C}, options);
}

}  // namespace rooftile::cuda_native
