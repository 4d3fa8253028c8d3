// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "device/nvidia/hopper/mbarrier.hpp"
#include "rooftile/detail/function.hpp"

/// Hopper's tensor cores (PTX ISA, "wgmma.mma_async"): the four warps of a warpgroup start
/// d (64,N) += a (64,16 or 8) · b (16 or 8,N), with a and b in shared memory and d in their registers.
namespace rooftile::detail::hopper {

/// The dimension along which an operand lies contiguously in shared memory: K, or the other one (M of A, N of
/// B).
enum class Major { k, mn };

/// An operand's tile in shared memory is a stack of slabs: 64 rows (of A, or columns of B) × 128 bytes of K,
/// or, if it is contiguous along rows, 128 bytes of K-rows of 64: 8 KB either way, swizzled by 128 bytes as
/// TMA writes it.
inline constexpr int slab_rows = 64;
inline constexpr int swizzle_bytes = 128;
inline constexpr int slab_bytes = slab_rows * swizzle_bytes;

/// Rows that a swizzled box holds; of operands contiguous along them, 128 bytes.
template <class T>
ROOFTILE_FUNCTION constexpr int rows_per_box(Major major) {
  return major == Major::k ? slab_rows : swizzle_bytes / static_cast<int>(sizeof(T));
}

namespace wgmma {

/// The element types in the instruction's name; 32-bit floats are read as tf32.
template <class T>
struct Kind;
template <>
struct Kind<__nv_bfloat16> {
  static constexpr char name[] = "k16.f32.bf16.bf16";
};
template <>
struct Kind<__half> {
  static constexpr char name[] = "k16.f32.f16.f16";
};
template <>
struct Kind<float> {
  static constexpr char name[] = "k8.f32.tf32.tf32";
};

/// The end of the instruction: 16-bit operands say which are transposed; tf32 ones must be contiguous along
/// K.
template <class T, Major a, Major b>
struct Majors {
  static constexpr char text[] = {',', ' ', a == Major::mn ? '1' : '0', ',', ' ', b == Major::mn ? '1' : '0',
                                  '\0'};
};
template <>
struct Majors<float, Major::k, Major::k> {
  static constexpr char text[] = "";
};

/// An operand in shared memory (PTX ISA, "matrix descriptor").
using Descriptor = std::uint64_t;

/// The bytes of K that one instruction takes: 16 elements of 16 bits, 8 of 32.
inline constexpr int step_bytes = 32;

/// Step `step` along K of the tile at `tile`. Swizzled groups of 8 lines are 1,024 bytes apart; of an operand
/// that is contiguous along its rows, the next 64 rows are a slab further.
template <class T, Major major>
__device__ inline Descriptor descriptor(SharedAddress tile, int step) {
  constexpr std::uint64_t group = 8 * swizzle_bytes >> 4, slab = slab_bytes >> 4, swizzle_128 = 1;
  constexpr int k_per_step = step_bytes / static_cast<int>(sizeof(T));
  const SharedAddress start = tile + step * (major == Major::k ? step_bytes : k_per_step * swizzle_bytes);
  // In a cluster, the upper bits of a shared address tell the block.
  return static_cast<std::uint64_t>((start & 0x3ffff) >> 4) | slab << 16 | group << 32 | swizzle_128 << 62;
}

/// Orders this warpgroup's registers before the instructions that follow.
__device__ inline void fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ inline void commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  detail::shake<detail::Step::arrive>();
}

/// Waits until at most `pending` of the committed groups are still running.
template <int pending>
__device__ inline void wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
  detail::shake<detail::Step::wait>();
}

/// Waits until d is there. The compiler knows nothing of the waiting: without the empty statements, which
/// seem to write d, it may move what reads d above it.
template <class Sum, int size>
__device__ inline void wait_for(Sum (&d)[size]) {
  wait<0>();
#pragma unroll
  for (Sum& x : d) {
    if constexpr (std::is_same_v<Sum, float>) {
      asm volatile("" : "+f"(x)::"memory");
    } else {
      asm volatile("" : "+r"(x)::"memory");
    }
  }
}

/// d (64,N) = a · b, or += if `accumulate`. A thread holds N / 2 elements of d: its warp w the rows 16w to
/// 16w + 15, its lane l of each 8 columns the two from 2 (l % 4) in row l / 4 (elements 4j, 4j + 1) and in
/// row l / 4 + 8 (elements 4j + 2, 4j + 3).
template <class T, Major a_major, Major b_major, int n>
struct Multiply;

/// The same in tf32 with a (64,8) in registers: of the rows that the thread has of d, lane l holds the
/// elements (l / 4, l % 4), (l / 4 + 8, l % 4), (l / 4, l % 4 + 4) and (l / 4 + 8, l % 4 + 4).
template <int n>
struct MultiplyRegisters;

}  // namespace wgmma

/// Gives registers back to, or takes them from, the SM: a warpgroup that copies needs few, one
/// that holds accumulators many.
template <int registers>
__device__ inline void shrink_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
__device__ inline void grow_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

}  // namespace rooftile::detail::hopper
