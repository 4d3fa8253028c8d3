// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Random products inside CUDA thread blocks, without Kokkos: `block_products [CASES [SEED]]`. Without a GPU,
// the program prints the name of the CUDA error and ends.
#include <cooperative_groups.h>

#include "case.hpp"
#include "rooftile/block_gemm.hpp"

namespace {

using namespace rooftile::testing;
using rooftile::Index;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorName(error));
  std::exit(2);
}

/// The free part of the scratch memory.
struct Scratch {
  char* free;

  template <class T>
  __device__ T* take(Index count) {
    T* const taken = reinterpret_cast<T*>(free);
    free += (count * static_cast<Index>(sizeof(T)) + 15) / 16 * 16;
    return taken;
  }
};

template <class T>
__device__ T* place(Scratch& scratch, T* data, const Layout& x) {
  if (x.where != Where::level0) return data;
  T* const to = scratch.take<T>(x.size);
  for (Index i = threadIdx.x; i < x.size; i += blockDim.x) to[i] = data[i];
  return to;
}

template <class E, class R, rooftile::ComputeMode math>
__global__ void multiply(E* a, E* b, R* c, Case p, int copy_bytes) {
  extern __shared__ __align__(16) char memory[];
  Scratch scratch{memory};
  const Index team = blockIdx.x;
  R* const c_global = c + team * p.c.size;
  E* const a_here = place(scratch, a + team * p.a.size, p.a);
  E* const b_here = place(scratch, b + team * p.b.size, p.b);
  R* const c_here = place(scratch, c_global, p.c);
  rooftile::TeamGemmOptions<0, 0, 0, math> options;
  options.barrier_before = options.barrier_after = p.barriers;
  options.scratch = scratch.free, options.scratch_bytes = copy_bytes;
  if (!p.barriers) __syncthreads();
  using S = rooftile::Scalar<R>;
  const S alpha(static_cast<rooftile::Real<S>>(p.alpha)), beta(static_cast<rooftile::Real<S>>(p.beta));
  rooftile::cuda_native::block_gemm(
      cooperative_groups::this_thread_block(), alpha, operand<const E>(a_here, p.a, p.ops & 3),
      operand<const E>(b_here, p.b, p.ops >> 2 & 3), beta, operand<R>(c_here, p.c, p.ops >> 4 & 3), options);
  __syncthreads();
  if (c_here != c_global)
    for (Index i = threadIdx.x; i < p.c.size; i += blockDim.x) c_global[i] = c_here[i];
}

template <class T>
T* uploaded(const std::vector<T>& from) {
  T* to = nullptr;
  check(cudaMalloc(&to, from.size() * sizeof(T)));
  check(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  return to;
}

template <class E, class R, rooftile::ComputeMode math>
bool run(Case p, std::uint64_t seed) {
  std::size_t bytes = 0;
  const auto add = [&](const Layout& x, std::size_t size) {
    if (x.where == Where::level0) bytes += static_cast<std::size_t>(x.size) * size + 16;
  };
  add(p.a, sizeof(E)), add(p.b, sizeof(E)), add(p.c, sizeof(R));
  constexpr std::size_t most = 48 << 10;  // the limit without a function attribute
  if (bytes > most) bytes = 0, p.a.where = p.b.where = p.c.where = Where::global;
  std::size_t copy_bytes =
      p.staged ? rooftile::detail::staged_bytes<E>(p.m, p.k) + rooftile::detail::staged_bytes<E>(p.k, p.n)
               : 0;
  if (bytes + copy_bytes > most) copy_bytes = 0;
  const Operands<E, R> operands(p, seed);
  E *const a = uploaded(operands.a), *const b = uploaded(operands.b);
  R* const c = uploaded(operands.c);
  const int threads = p.team_size == 0 ? 160 : p.team_size;
  multiply<E, R, math><<<teams, threads, bytes + copy_bytes>>>(a, b, c, p, static_cast<int>(copy_bytes));
  check(cudaGetLastError());
  std::vector<R> after(operands.c.size());
  check(cudaMemcpy(after.data(), c, after.size() * sizeof(R), cudaMemcpyDeviceToHost));
  check(cudaFree(a)), check(cudaFree(b)), check(cudaFree(c));
  return operands.check(p, after, "block_gemm");
}

bool run_case(std::uint64_t seed) {
  Random random(seed);
  const int type = random.below(type_count);
  const Case p = draw_case(random, true);
  return with_types(type,
                    [&]<class E, class R, rooftile::ComputeMode math>() { return run<E, R, math>(p, seed); });
}

}  // namespace

int main(int argc, char** argv) {
  int devices = 0;
  check(cudaGetDeviceCount(&devices));
  return run_cases(argc, argv, "CUDA", run_case);
}
