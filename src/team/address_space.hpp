// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rooftile/detail/function.hpp"

/// Address spaces of pointers in a user's kernel.
namespace rooftile::detail {

/// Whether a pointer refers to the shared memory of the thread block.
template <class T>
ROOFTILE_FUNCTION bool is_shared([[maybe_unused]] const T* pointer) {
#if defined(__CUDA_ARCH__)
  return __isShared(pointer) != 0;
#elif defined(__HIP_DEVICE_COMPILE__)
  return __builtin_amdgcn_is_shared(pointer);
#else
  return false;
#endif
}

/// Returns the pointer in a form from which the compiler infers shared memory. @pre it is in shared memory
template <class T>
ROOFTILE_FUNCTION T* shared_pointer(T* pointer) {
#if defined(__CUDA_ARCH__)
  auto address = static_cast<unsigned>(__cvta_generic_to_shared(pointer));
  asm("" : "+r"(address));  // otherwise nvcc folds the two conversions
  return static_cast<T*>(__cvta_shared_to_generic(address));
#elif defined(__HIP_DEVICE_COMPILE__)
  using Shared = __attribute__((address_space(3))) T*;
  // The 32-bit address hides the round trip: clang would fold a conversion to shared memory and back.
  return (T*)reinterpret_cast<Shared>(static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(pointer)));
#else
  return pointer;
#endif
}

}  // namespace rooftile::detail
