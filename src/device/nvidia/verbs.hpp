// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "device/common/delay_injection.hpp"
#include "device/common/verbs.hpp"
#include "rooftile/matrix.hpp"

/// The operations of `common/verbs.hpp`, which includes this file, for NVIDIA GPUs.
namespace rooftile::detail {

using plain::unforeseen_by_clang, plain::unforeseen_scalar, plain::global_pointer, plain::unrolled_steps;

template <class T>
ROOFTILE_FUNCTION T unforeseen(T x) {
  if constexpr (sizeof(T) == 8) {  // two registers
    asm volatile("" : "+l"(x));
  } else {
    asm volatile("" : "+r"(x));
  }
  return x;
}

/// If the address space were unknown, loads would be generic. The empty instruction prevents nvcc from
/// removing the two conversions.
template <class T>
ROOFTILE_FUNCTION T* unforeseen_global(T* pointer) {
  std::size_t address = __cvta_generic_to_global(pointer);
  asm("" : "+l"(address));
  return static_cast<T*>(__cvta_global_to_generic(address));
}

template <class T>
ROOFTILE_FUNCTION T* read_pointer(T* const* pointers, Index i) {
  return unforeseen_global(pointers[i]);
}

#if __CUDA_ARCH__ >= 800
inline constexpr bool copies_are_asynchronous = true;

/// The condition is a predicate of the instruction. An `if` around the instruction would be a branch.
template <int n, class T>
ROOFTILE_FUNCTION void begin_copy(T* shared, const T* global, bool wanted) {
  constexpr int bytes = n * sizeof(T);
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  if constexpr (bytes == 16) {  // bypasses L1: no other thread of the team reads it
    asm volatile(
        "{.reg .pred p; setp.ne.b32 p, %2, 0; @p cp.async.cg.shared.global [%0], [%1], 16;}" ::"r"(to),
        "l"(global), "r"(int{wanted}));
  } else {
    asm volatile(
        "{.reg .pred p; setp.ne.b32 p, %2, 0; @p cp.async.ca.shared.global [%0], [%1], %3;}" ::"r"(to),
        "l"(global), "r"(int{wanted}), "n"(bytes));
  }
}

ROOFTILE_FUNCTION void end_group() {
  asm volatile("cp.async.commit_group;");
  shake<Step::copy>();
}

template <int pending>
ROOFTILE_FUNCTION void wait_for_groups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
  shake<Step::wait>();
}
#else  // before compute capability 8.0
using plain::copies_are_asynchronous, plain::begin_copy, plain::end_group, plain::wait_for_groups;
#endif

}  // namespace rooftile::detail
