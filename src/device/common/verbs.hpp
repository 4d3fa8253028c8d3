// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/common/delay_injection.hpp"  // the vendor's verbs shake: nvcc wants their names on the host, too
#include "rooftile/detail/function.hpp"
#include "rooftile/matrix.hpp"

/// What some GPU or its compiler wants said in its own way: here what it means, and all that it is elsewhere.
/// The `verbs.hpp` of each vendor has the rest.
namespace rooftile::detail::plain {

/// x itself, as a value that the compiler knows nothing of: it keeps x in a register where it would compute
/// it anew at every use, which inside a kernel's innermost loop costs more than the register.
template <class T>
ROOFTILE_FUNCTION T unforeseen(T x) {
  return x;
}

/// The same for clang and HIP only, which keep what follows from x for as long as x itself.
template <class T>
ROOFTILE_FUNCTION T unforeseen_by_clang(T x) {
  return x;
}

/// x of 64 bits, the same in all lanes, as a scalar of which clang, for HIP, knows nothing.
template <class T>
ROOFTILE_FUNCTION T unforeseen_scalar(T x) {
  return x;
}

/// The same pointer, of which clang, for HIP, then knows that it is a scalar and leads to global memory: one
/// that was itself read from memory could lead anywhere.
template <class T>
ROOFTILE_FUNCTION T* global_pointer(T* pointer) {
  return pointer;
}

/// `unforeseen` of a pointer to global memory, of which that much stays known.
template <class T>
ROOFTILE_FUNCTION T* unforeseen_global(T* pointer) {
  return pointer;
}

/// Pointer number i of an array, which leads to global memory.
template <class T>
ROOFTILE_FUNCTION T* read_pointer(T* const* pointers, Index i) {
  return pointers[i];
}

/// Of `all` steps along k, those that are unrolled where a kernel multiplies panels.
ROOFTILE_FUNCTION constexpr int unrolled_steps(int all) {
  return all;
}

/// Whether copies from global into shared memory run by themselves: a thread starts them and waits for them
/// later. Else they go through registers and are done when they are begun, and waiting is nothing.
inline constexpr bool copies_are_asynchronous = false;

/// Begins to copy n elements, which are aligned as a whole on both sides, if they are `wanted`.
/// @pre `copies_are_asynchronous`
template <int n, class T>
ROOFTILE_FUNCTION void begin_copy([[maybe_unused]] T* shared, [[maybe_unused]] const T* global,
                                  [[maybe_unused]] bool wanted) {}

/// Makes a group of the copies that the thread has begun since the last one.
ROOFTILE_FUNCTION void end_group() {}

/// Waits until at most `pending` of the thread's groups are under way.
template <int pending>
ROOFTILE_FUNCTION void wait_for_groups() {}

}  // namespace rooftile::detail::plain

// Chosen here alone: those of the vendor whose GPU is compiled for.
#if defined(__CUDA_ARCH__)
#include "device/nvidia/verbs.hpp"
#elif defined(__HIP_DEVICE_COMPILE__)
#include "device/amd/verbs.hpp"
#else  // the host
namespace rooftile::detail {
using namespace plain;
}  // namespace rooftile::detail
#endif
