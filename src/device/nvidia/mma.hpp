// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "device/nvidia/words.hpp"
#include "rooftile/detail/function.hpp"
#include "rooftile/float16.hpp"

/// The matrix instructions of a warp for compute capability 8.0 and later. Lane 4g+t holds elements (g,2t),
/// (g,2t+1), (g+8,2t) and (g+8,2t+1) of d (16,8).
namespace rooftile::detail {

/// d += a (16,8)·b (8,8). The lane holds a's (g,t), (g+8,t), (g,t+4), (g+8,t+4) and b's (t,g), (t+4,g): PTX
/// ISA, mma.m16n8k8 with .f64. GPUs before compute capability 9.0 use four m8n8k4, which run at half the rate
/// on later GPUs.
ROOFTILE_FUNCTION void mma([[maybe_unused]] double& d0, [[maybe_unused]] double& d1,
                           [[maybe_unused]] double& d2, [[maybe_unused]] double& d3,
                           [[maybe_unused]] const double (&a)[4], [[maybe_unused]] const double (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+d"(d0), "+d"(d1), "+d"(d2), "+d"(d3)
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  ROOFTILE_UNROLL_ALL
  for (int k = 0; k < 2; ++k) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(d0), "+d"(d1)
        : "d"(a[2 * k]), "d"(b[k]));
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(d2), "+d"(d3)
        : "d"(a[2 * k + 1]), "d"(b[k]));
  }
#endif
}

/// d += a·b over 32 bytes of k, accumulated in fp32. With k counted in words, the lane holds a's (g,t),
/// (g+8,t), (g,t+4), (g+8,t+4) and b's (t,g), (t+4,g): PTX ISA, mma.m16n8k16 with .f16 and .bf16, mma.m16n8k8
/// with .tf32.
/// @tparam T  float16, bfloat16, or float for tf32
template <class T>
ROOFTILE_FUNCTION void mma([[maybe_unused]] float (&d)[4], [[maybe_unused]] const Word (&a)[4],
                           [[maybe_unused]] Word b0, [[maybe_unused]] Word b1) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<T, bfloat16>) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  } else if constexpr (std::is_same_v<T, float16>) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  } else {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
#endif
}

/// d += a·b over 32 bytes of k of int8, modulo 2³². The lane holds words as for 16 bits: PTX ISA,
/// mma.m16n8k32.
ROOFTILE_FUNCTION void mma([[maybe_unused]] std::int32_t (&d)[4], [[maybe_unused]] const Word (&a)[4],
                           [[maybe_unused]] Word b0, [[maybe_unused]] Word b1) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

/// Loads four matrices of 8 lines of 16 bytes from shared memory. The lane gets word t of line g of each
/// matrix, or, transposed, the 16-bit elements g of lines 2t and 2t+1. Lane 8m+i passes the address of line i
/// of matrix m.
template <bool transposed, class T>
ROOFTILE_FUNCTION FourWords load_matrices([[maybe_unused]] const T* line) {
  FourWords words = {};
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const auto from = static_cast<unsigned>(__cvta_generic_to_shared(line));
  auto& [x0, x1, x2, x3] = words.x;
  if constexpr (transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(x0), "=r"(x1), "=r"(x2), "=r"(x3)
                 : "r"(from));
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(x0), "=r"(x1), "=r"(x2), "=r"(x3)
                 : "r"(from));
  }
#endif
  return words;
}

/// Returns x of the neighbouring lane: lanes 2t and 2t+1 exchange values. All lanes of a warp must call it
/// together.
ROOFTILE_FUNCTION float of_neighbour(float x) {
#if defined(__CUDA_ARCH__)
  x = __shfl_xor_sync(0xFFFFFFFFU, x, 1);
#endif
  return x;
}

/// Rounds two sums to elements of 16 bits, the first in the lower half.
template <class T>
ROOFTILE_FUNCTION Word rounded_pair(float first, float second) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  Word pair;
  if constexpr (std::is_same_v<T, bfloat16>) {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  } else {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  }
  return pair;
#else
  return T(first).bits | Word{T(second).bits} << 16;
#endif
}

}  // namespace rooftile::detail
