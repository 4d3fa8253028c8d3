// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Ceilings of an NVIDIA GPU, including its matrix instructions. Their operands are ones, which need the least
// power and permit the highest sustained clock.
#include <algorithm>
#include <string>

#include "../measure/gpu_ceilings.hpp"
#include "cuda_ceilings.hpp"
#include "device/nvidia/mma.hpp"

namespace rooftile::perf {
namespace {

/// Chains per warp, and matrix instructions per chain.
constexpr int mma_chains = 8, mma_steps = 2048;

/// `mma.sync` for each operand type: d (16,8) += a (16,K)·b (K,8). All operand elements of a lane are ones.
template <Operand operand>
struct Mma;

template <class T, int K>
struct MmaOfWords {
  using Sum = float;
  static constexpr int k = K;
  static __device__ void add(float (&d)[4], detail::Word one) {
    const detail::Word a[4] = {one, one, one, one};
    detail::mma<T>(d, a, one, one);
  }
};
template <>
struct Mma<Operand::bf16> : MmaOfWords<bfloat16, 16> {
  static constexpr detail::Word one = 0x3F803F80;
};
template <>
struct Mma<Operand::fp16> : MmaOfWords<float16, 16> {
  static constexpr detail::Word one = 0x3C003C00;
};
template <>
struct Mma<Operand::tf32> : MmaOfWords<float, 8> {
  static constexpr detail::Word one = 0x3F800000;
};
template <>
struct Mma<Operand::fp64> {
  using Sum = double;
  static constexpr int k = 8;
  static constexpr detail::Word one = 1;
  static __device__ void add(double (&d)[4], detail::Word one) {
    const double x = one;
    detail::mma(d[0], d[1], d[2], d[3], {x, x, x, x}, {x, x});
  }
};
template <>
struct Mma<Operand::int8> {
  using Sum = int;
  static constexpr int k = 32;
  static constexpr detail::Word one = 0x01010101;
  static __device__ void add([[maybe_unused]] int (&d)[4], [[maybe_unused]] detail::Word one) {
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, "
        "{%0,%1,%2,%3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(one));
#endif
  }
};

/// Sums a lane's elements of all chains. The chains start with different values, because the compiler would
/// merge equal chains.
template <Operand operand>
__global__ void mma_kernel(typename Mma<operand>::Sum* out, detail::Word one) {
  using Sum = typename Mma<operand>::Sum;
  Sum d[mma_chains][4];
  for (int c = 0; c < mma_chains; ++c) {
    for (Sum& x : d[c]) x = static_cast<Sum>(c);
  }
  for (int step = 0; step < mma_steps; ++step) {
#pragma unroll
    for (int c = 0; c < mma_chains; ++c) Mma<operand>::add(d[c], one);
  }
  Sum sum = 0;
  for (int c = 0; c < mma_chains; ++c) {
    for (const Sum x : d[c]) sum += x;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// Adds no rate if the GPU's code was compiled for an architecture without the instruction.
template <Operand operand>
void add_mma_gflops(Device& device, cudaStream_t stream, int sms, std::vector<NamedRate>& rates) {
  using Sum = typename Mma<operand>::Sum;
  cudaFuncAttributes attributes;
  if (cudaFuncGetAttributes(&attributes, mma_kernel<operand>) != cudaSuccess || attributes.ptxVersion < 80)
    return;
  Grid<Sum> grid{256, 2 * sms};
  constexpr double wanted =
      4.0 * (mma_chains * (mma_chains - 1) / 2 + mma_chains * mma_steps * Mma<operand>::k);
  const double seconds = grid.timed(device, "mma.sync", wanted, 0, [&](Sum* out) {
    mma_kernel<operand><<<grid.blocks, grid.threads, 0, stream>>>(out, Mma<operand>::one);
  });
  const double warps = grid.size() / 32, flops = 2.0 * 16 * 8 * Mma<operand>::k * mma_chains * mma_steps;
  rates.push_back({std::string(model::name(operand)), 1e-9 * flops * warps / seconds});
}

/// The faster of mma.sync and wgmma under the operand's name. A slower mma.sync also appears under its own
/// name.
std::vector<NamedRate> measure_matrix_gflops(Device& device, cudaStream_t stream, int sms) {
  std::vector<NamedRate> rates, slower;
  add_mma_gflops<Operand::fp64>(device, stream, sms, rates);
  add_mma_gflops<Operand::tf32>(device, stream, sms, rates);
  add_mma_gflops<Operand::bf16>(device, stream, sms, rates);
  add_mma_gflops<Operand::fp16>(device, stream, sms, rates);
  add_mma_gflops<Operand::int8>(device, stream, sms, rates);
  for (const NamedRate& warpgroup : measure_warpgroup_gflops(device, stream, sms)) {
    if (std::none_of(rates.begin(), rates.end(),
                     [&](const NamedRate& x) { return x.name == warpgroup.name; }))
      rates.push_back(warpgroup);
    for (NamedRate& rate : rates) {
      if (rate.name != warpgroup.name || rate.rate >= warpgroup.rate) continue;
      slower.push_back({rate.name + " by mma.sync", rate.rate});
      rate.rate = warpgroup.rate;
    }
  }
  rates.insert(rates.end(), slower.begin(), slower.end());
  return rates;
}

}  // namespace

Ceilings measure_cuda_ceilings(Device& device, cudaStream_t stream) {
  const int sms = attribute(cudaDevAttrMultiProcessorCount, device.number);
  const auto l2 = static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize, device.number));
  Ceilings ceilings = measure_gpu_ceilings(device, stream, sms, l2);
  ceilings.matrix_gflops = measure_matrix_gflops(device, stream, sms);
  return ceilings;
}

}  // namespace rooftile::perf
