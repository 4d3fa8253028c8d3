// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/detail/function.hpp"
#include "rooftile/device/common/shake.hpp"

/// Copies from global into shared memory that a thread starts and waits for later.
namespace rooftile::detail {

/// n elements that move as one: of 16 bytes at most, aligned to their size.
template <class T, int n>
struct alignas(n * sizeof(T)) Vector {
  T value[n];
};

/// Whether copies run by themselves (`cp.async`, compute capability 8.0); elsewhere they go through registers
/// and are done when they are begun, and waiting is nothing.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
inline constexpr bool copies_are_asynchronous = true;
#else
inline constexpr bool copies_are_asynchronous = false;
#endif

/// Begins to copy n elements, which are aligned as a whole on both sides, if they are `wanted`. The condition
/// is part of the instruction: around it, it would be a branch.
/// @pre `copies_are_asynchronous`
template <int n, class T>
ROOFTILE_FUNCTION void begin_copy([[maybe_unused]] T* shared, [[maybe_unused]] const T* global,
                                  [[maybe_unused]] bool wanted) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  constexpr int bytes = n * sizeof(T);
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  if constexpr (bytes == 16) {  // past L1: nobody else in the team reads it again
    asm volatile(
        "{.reg .pred p; setp.ne.b32 p, %2, 0; @p cp.async.cg.shared.global [%0], [%1], 16;}" ::"r"(to),
        "l"(global), "r"(int{wanted}));
  } else {
    asm volatile(
        "{.reg .pred p; setp.ne.b32 p, %2, 0; @p cp.async.ca.shared.global [%0], [%1], %3;}" ::"r"(to),
        "l"(global), "r"(int{wanted}), "n"(bytes));
  }
#endif
}

/// Makes a group of the copies that the thread has begun since the last one.
ROOFTILE_FUNCTION void end_group() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;");
  shake<Step::copy>();
#endif
}

/// Waits until at most `pending` of the thread's groups are under way.
template <int pending>
ROOFTILE_FUNCTION void wait_for_groups() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
  shake<Step::wait>();
#endif
}

}  // namespace rooftile::detail
