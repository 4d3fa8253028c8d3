// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "device/nvidia/hopper/mbarrier.hpp"
#include "rooftile/detail/function.hpp"
#include "rooftile/float8.hpp"

/// Hopper's tensor cores (PTX ISA, "wgmma.mma_async"). The four warps of a warpgroup start d (64,N) += a
/// (64,K) · b (K,N), where K is 32 bytes. Operands a and b are in shared memory, and d is in registers.
namespace rooftile::detail::hopper {

/// The dimension along which an operand is contiguous in shared memory: K, or MN (M of A, N of B).
enum class Major { k, mn };

/// An operand's tile in shared memory is a stack of slabs of 8 KB: 64 rows (of A, or columns of B) × 128
/// bytes of K. A K-major slab has a line of 128 bytes for each row. An MN-major slab has lines of 128 bytes
/// along the rows, one for each k. TMA swizzles both by 128 bytes.
inline constexpr int slab_rows = 64;
inline constexpr int swizzle_bytes = 128;
inline constexpr int slab_bytes = slab_rows * swizzle_bytes;

/// Returns the rows of a swizzled box: 64, or 128 bytes of rows for MN-major operands.
template <class T>
ROOFTILE_FUNCTION constexpr int rows_per_box(Major major) {
  return major == Major::k ? slab_rows : swizzle_bytes / static_cast<int>(sizeof(T));
}

namespace wgmma {

/// The element types in the instruction's name. fp32 is read as tf32.
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

/// The formats of a and b, if they are 8-bit floats.
template <Float8Format a, Float8Format b>
struct Float8Pair {};
template <>
struct Kind<Float8Pair<Float8Format::e4m3, Float8Format::e4m3>> {
  static constexpr char name[] = "k32.f32.e4m3.e4m3";
};
template <>
struct Kind<Float8Pair<Float8Format::e4m3, Float8Format::e5m2>> {
  static constexpr char name[] = "k32.f32.e4m3.e5m2";
};
template <>
struct Kind<Float8Pair<Float8Format::e5m2, Float8Format::e4m3>> {
  static constexpr char name[] = "k32.f32.e5m2.e4m3";
};
template <>
struct Kind<Float8Pair<Float8Format::e5m2, Float8Format::e5m2>> {
  static constexpr char name[] = "k32.f32.e5m2.e5m2";
};

/// The end of the instruction, which states the transposed operands of 16 bits. Other operands must be
/// K-major.
template <class T, Major a, Major b>
struct Majors {
  static constexpr char text[] = {',', ' ', a == Major::mn ? '1' : '0', ',', ' ', b == Major::mn ? '1' : '0',
                                  '\0'};
};
template <>
struct Majors<float, Major::k, Major::k> {
  static constexpr char text[] = "";
};
template <Float8Format a, Float8Format b>
struct Majors<Float8Pair<a, b>, Major::k, Major::k> {
  static constexpr char text[] = "";
};

/// The descriptor of an operand in shared memory (PTX ISA, "matrix descriptor").
using Descriptor = std::uint64_t;

/// Bytes of K per instruction: 16 elements of 16 bits, 8 of 32 bits, or 32 of 8 bits.
inline constexpr int step_bytes = 32;

/// Returns the descriptor of the tile at `tile`, which must be the same for all threads of the warp. Swizzled
/// groups of 8 lines are 1,024 bytes apart. For MN-major operands, the next 64 rows are one slab further.
__device__ inline Descriptor descriptor(SharedAddress tile) {
  constexpr std::uint64_t group = 8 * swizzle_bytes >> 4, slab = slab_bytes >> 4, swizzle_128 = 1;
  // In a cluster, the upper bits of a shared address identify the block.
  return static_cast<std::uint64_t>((tile & 0x3ffff) >> 4) | slab << 16 | group << 32 | swizzle_128 << 62;
}

/// Returns the difference of the descriptors of step `step` along K and of the tile.
template <class T, Major major>
__device__ constexpr Descriptor descriptor_step(int step) {
  constexpr int k_per_step = step_bytes / static_cast<int>(sizeof(T));
  return static_cast<Descriptor>(step * (major == Major::k ? step_bytes : k_per_step * swizzle_bytes) >> 4);
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

/// Waits until d is complete, and at most `pending` later groups are not. The compiler does not know about
/// the wait. Without the empty statements, which appear to write d, it may move reads of d above the wait.
template <int pending = 0, class Sum, int size>
__device__ inline void wait_for(Sum (&d)[size]) {
  wait<pending>();
#pragma unroll
  for (Sum& x : d) {
    if constexpr (std::is_same_v<Sum, float>) {
      asm volatile("" : "+f"(x)::"memory");
    } else {
      asm volatile("" : "+r"(x)::"memory");
    }
  }
}

/// d (64,N) = a · b, or += if `accumulate`. A thread holds N / 2 elements of d. Warp w holds rows 16w to 16w
/// + 15. In each 8 columns, lane l holds the two from column 2 (l % 4) on, in row l / 4 (elements 4j, 4j + 1)
/// and in row l / 4 + 8 (elements 4j + 2, 4j + 3).
template <class T, Major a_major, Major b_major, int n>
struct Multiply;

/// `Multiply` in tf32 with a (64,8) in registers. In the rows that the thread has of d, lane l holds elements
/// (l / 4, l % 4), (l / 4 + 8, l % 4), (l / 4, l % 4 + 4) and (l / 4 + 8, l % 4 + 4).
template <int n>
struct MultiplyRegisters;

}  // namespace wgmma

/// Returns registers to the SM, or takes registers from it. A producer warpgroup needs few registers; a
/// consumer warpgroup holds accumulators and needs many.
template <int registers>
__device__ inline void shrink_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
__device__ inline void grow_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

}  // namespace rooftile::detail::hopper
