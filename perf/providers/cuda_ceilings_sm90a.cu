// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Peak rates of wgmma, with both operands in shared memory.
#include <algorithm>
#include <string>

#include "../measure/gpu_ceilings.hpp"
#include "cuda_ceilings.hpp"
#include "device/nvidia/hopper/tma.hpp"
#include "device/nvidia/hopper/wgmma_widths.hpp"
#include "rooftile/model/device.hpp"

namespace rooftile::perf {
namespace {

using detail::hopper::Major;

/// The width is the number of columns of B, the maximum of an instruction. Each group has one instruction for
/// each K step of a tile.
constexpr int width = 256, groups = 512;
constexpr int steps = detail::hopper::swizzle_bytes / detail::hopper::wgmma::step_bytes;
constexpr int warpgroup = 128, warpgroups = 2;  // per block; one block per SM

/// @tparam T    operand type; float means tf32
/// @param word  a word of ones; with equal elements, the swizzle does not matter
/// @param out   for each thread, the sum of its elements of d (64,256)
template <class T, class Sum>
__global__ void __launch_bounds__(warpgroup* warpgroups, 1) wgmma_kernel(Sum* out, std::uint32_t word) {
  constexpr int a_bytes = detail::hopper::slab_bytes, bytes = a_bytes + width * detail::hopper::swizzle_bytes;
  __shared__ alignas(1024) std::uint32_t tiles[bytes / 4];
  for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x) tiles[i] = word;
  detail::hopper::tma::fence_writes();
  __syncthreads();
  const detail::hopper::SharedAddress at = detail::hopper::shared_address(tiles);
  const detail::hopper::wgmma::Descriptor a = detail::hopper::wgmma::descriptor(at),
                                          b = detail::hopper::wgmma::descriptor(at + a_bytes);
  Sum d[width / 2];
#pragma unroll
  for (Sum& x : d) x = 0;
  for (int group = 0; group < groups; ++group) {
    detail::hopper::wgmma::fence();
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      detail::hopper::wgmma::Multiply<T, Major::k, Major::k, width>::run(
          d, a + detail::hopper::wgmma::descriptor_step<T, Major::k>(step),
          b + detail::hopper::wgmma::descriptor_step<T, Major::k>(step), 1);
    }
    detail::hopper::wgmma::commit();
    detail::hopper::wgmma::wait<1>();
  }
  detail::hopper::wgmma::wait_for(d);
  Sum sum = 0;
#pragma unroll
  for (const Sum x : d) sum += x;
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <class T, class Sum>
NamedRate measure(Device& device, cudaStream_t stream, int sms, Operand operand, std::uint32_t word) {
  constexpr double k = groups * steps * detail::hopper::wgmma::step_bytes / static_cast<int>(sizeof(T));
  // The tensor cores keep 13 bits of fraction of sums of fp8, so that sums of ones end at 2¹⁴.
  const double sum = operand == Operand::fp8 ? std::min(k, 0x1p14) : k;
  Grid<Sum> grid{warpgroup * warpgroups, sms};
  const double seconds = grid.timed(device, "wgmma", sum * width / 2, 0, [&](Sum* out) {
    wgmma_kernel<T, Sum><<<grid.blocks, grid.threads, 0, stream>>>(out, word);
  });
  return {std::string(model::name(operand)), 2e-9 * 64 * width * k * warpgroups * sms / seconds};
}

}  // namespace

std::vector<NamedRate> measure_warpgroup_gflops(Device& device, cudaStream_t stream, int sms) {
  if (attribute(cudaDevAttrComputeCapabilityMajor, device.number) != 9 ||
      attribute(cudaDevAttrComputeCapabilityMinor, device.number) != 0)
    return {};
  return {measure<float, float>(device, stream, sms, Operand::tf32, 0x3F800000),
          measure<__nv_bfloat16, float>(device, stream, sms, Operand::bf16, 0x3F803F80),
          measure<__half, float>(device, stream, sms, Operand::fp16, 0x3C003C00),
          measure<std::int8_t, int>(device, stream, sms, Operand::int8, 0x01010101),
          measure<detail::hopper::wgmma::Float8Pair<Float8Format::e4m3, Float8Format::e4m3>, float>(
              device, stream, sms, Operand::fp8, 0x38383838)};
}

}  // namespace rooftile::perf
