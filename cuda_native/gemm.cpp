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

/// A function of each rung, made by `make(kernel as a type)`; null where a rung has no native kernel.
template <class Function, class Make>
constexpr std::array<Function, rung_count> for_each_rung(Make make) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return std::array<Function, rung_count>{make(std::integral_constant<Kernel, ladder[i].kernel>{})...};
  }
  (std::make_index_sequence<rung_count>{});
}

template <class T>
using Run = void (*)(cudaStream_t, const GemmArgs<T>&, TileShape);
template <class T>
constexpr auto runs =
    for_each_rung<Run<T>>([]<Kernel kernel>(std::integral_constant<Kernel, kernel>) -> Run<T> {
      if constexpr (rung_of(kernel).native) {
        return &run<kernel, T>;
      } else {
        return nullptr;
      }
    });

using Query = KernelResources (*)(TileShape);
template <class T>
constexpr auto queries =
    for_each_rung<Query>([]<Kernel kernel>(std::integral_constant<Kernel, kernel>) -> Query {
      if constexpr (rung_of(kernel).native) {
        return &resources<kernel, T>;
      } else {
        return nullptr;
      }
    });

template <class T>
void gemm_of(cudaStream_t stream, const GemmArgs<T>& args, const GemmOptions& options) {
  const GemmArgs<T> ready = detail::prepared(args);
  if (detail::is_empty(ready.C)) return;
  const Choice choice = choose(ready.shape(), options, {Path::native, block_limits(), sizeof(T)});
  runs<T>[static_cast<std::size_t>(choice.kernel)](stream, ready, choice.tile);
}

}  // namespace

BlockLimits block_limits() {
  int device = 0, threads = 0, shared = 0;
  check(cudaGetDevice(&device), "find a CUDA device");
  check(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, device), "query a CUDA device");
  check(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlock, device), "query a CUDA device");
  return {threads, static_cast<std::size_t>(shared)};
}

template <class T>
KernelResources resources(Kernel kernel, TileShape tile) {
  const Rung& rung = rung_of(kernel);
  const Target target{Path::native, block_limits(), sizeof(T)};
  // A product that every rung takes: one tile.
  if (const std::string problem = refusal(rung, {tile.bm, tile.bn, tile.bk}, tile, target);
      !problem.empty()) {
    throw Error(problem);
  }
  return queries<T>[static_cast<std::size_t>(kernel)](tile);
}
template KernelResources resources<float>(Kernel, TileShape);
template KernelResources resources<double>(Kernel, TileShape);

void gemm(cudaStream_t stream, float alpha, MatrixRef<const float> A, MatrixRef<const float> B, float beta,
          MatrixRef<float> C, const GemmOptions& options) {
  gemm_of<float>(stream, {alpha, A, B, beta, C}, options);
}

void gemm(cudaStream_t stream, double alpha, MatrixRef<const double> A, MatrixRef<const double> B,
          double beta, MatrixRef<double> C, const GemmOptions& options) {
  gemm_of<double>(stream, {alpha, A, B, beta, C}, options);
}

}  // namespace rooftile::cuda_native
