// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/common/delay_injection.hpp"  // for `shake`: nvcc needs the name on the host, too
#include "rooftile/detail/function.hpp"
#include "rooftile/matrix.hpp"

/// Operations for which a GPU or its compiler needs code of its own. Here are their meaning and their generic
/// definitions; the `verbs.hpp` of each vendor has the others.
namespace rooftile::detail::plain {

/// Returns x as a value that the compiler cannot trace. The compiler then keeps x in a register instead of
/// recomputing it at every use, which in an innermost loop costs more than the register.
template <class T>
ROOFTILE_FUNCTION T unforeseen(T x) {
  return x;
}

/// `unforeseen` for clang with HIP only. Otherwise clang keeps values derived from x in registers for as long
/// as x.
template <class T>
ROOFTILE_FUNCTION T unforeseen_by_clang(T x) {
  return x;
}

/// Returns x (64 bits, equal in all lanes) as a scalar that clang for HIP cannot trace.
template <class T>
ROOFTILE_FUNCTION T unforeseen_scalar(T x) {
  return x;
}

/// Returns the pointer as a scalar that leads to global memory, for clang with HIP. To clang, a pointer that
/// was itself read from memory could lead anywhere.
template <class T>
ROOFTILE_FUNCTION T* global_pointer(T* pointer) {
  return pointer;
}

/// `unforeseen` for a pointer to global memory, whose address space stays known.
template <class T>
ROOFTILE_FUNCTION T* unforeseen_global(T* pointer) {
  return pointer;
}

/// Returns pointer i of an array. The pointer leads to global memory.
template <class T>
ROOFTILE_FUNCTION T* read_pointer(T* const* pointers, Index i) {
  return pointers[i];
}

/// Returns how many of `all` steps along k are unrolled in loops that multiply panels.
ROOFTILE_FUNCTION constexpr int unrolled_steps(int all) {
  return all;
}

/// Whether copies from global into shared memory are asynchronous: a thread starts them and waits for them
/// later. Otherwise copies go through registers and are complete when begun, and the waits do nothing.
inline constexpr bool copies_are_asynchronous = false;

/// Begins to copy n elements if they are `wanted`. Both addresses are aligned to n elements.
/// @pre `copies_are_asynchronous`
template <int n, class T>
ROOFTILE_FUNCTION void begin_copy([[maybe_unused]] T* shared, [[maybe_unused]] const T* global,
                                  [[maybe_unused]] bool wanted) {}

/// Groups the copies that the thread has begun since the last group.
ROOFTILE_FUNCTION void end_group() {}

/// Waits until at most `pending` of the thread's groups are in flight.
template <int pending>
ROOFTILE_FUNCTION void wait_for_groups() {}

}  // namespace rooftile::detail::plain

// The only place that selects the vendor: by the GPU that the compiler targets.
#if defined(__CUDA_ARCH__)
#include "device/nvidia/verbs.hpp"
#elif defined(__HIP_DEVICE_COMPILE__)
#include "device/amd/verbs.hpp"
#else  // the host
namespace rooftile::detail {
using namespace plain;
}  // namespace rooftile::detail
#endif
