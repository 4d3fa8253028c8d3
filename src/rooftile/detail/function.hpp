// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Marks a function that kernels call too. An attribute, hence a macro: no other spelling exists for CUDA.
#if defined(__CUDACC__) || defined(__HIPCC__) || defined(__HIP__)
#define ROOFTILE_FUNCTION __host__ __device__ inline __attribute__((always_inline))
#else
#define ROOFTILE_FUNCTION inline __attribute__((always_inline))
#endif

/// Unrolls the loop that follows n times, n a constant expression, or wholly, which arrays in registers need;
/// g++ decides for itself, also under nvcc.
#if defined(__CUDA_ARCH__) || defined(__clang__)
#define ROOFTILE_PRAGMA(text) _Pragma(#text)
#define ROOFTILE_UNROLL(n) ROOFTILE_PRAGMA(unroll n)
#define ROOFTILE_UNROLL_ALL ROOFTILE_PRAGMA(unroll)
#else
#define ROOFTILE_UNROLL(n)
#define ROOFTILE_UNROLL_ALL
#endif

namespace rooftile::detail {

/// Of `all` steps along k, those that are unrolled where a kernel multiplies panels: all of them. clang, for
/// HIP, would read the values of all at once and spill what the registers have no room for: there, one.
ROOFTILE_FUNCTION constexpr int unrolled_steps([[maybe_unused]] int all) {
#if defined(__HIP__)
  return 1;
#else
  return all;
#endif
}

/// x itself, as a value that the compiler knows nothing of: it keeps x in a register where it would compute
/// it anew at every use, which inside a kernel's innermost loop costs more than the register.
template <class T>
ROOFTILE_FUNCTION T unforeseen(T x) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == 8) {
    asm volatile("" : "+l"(x));
  } else {
    asm volatile("" : "+r"(x));
  }
#elif defined(__HIP_DEVICE_COMPILE__)
  asm volatile("" : "+v"(x));
#endif
  return x;
}

/// The same for clang and HIP only, which keep what follows from x for as long as x itself.
template <class T>
ROOFTILE_FUNCTION T unforeseen_by_clang(T x) {
#if defined(__HIP_DEVICE_COMPILE__)
  x = unforeseen(x);
#endif
  return x;
}

/// x of 64 bits, the same in all lanes, as a scalar of which clang, for HIP, knows nothing.
template <class T>
ROOFTILE_FUNCTION T unforeseen_scalar(T x) {
#if defined(__HIP_DEVICE_COMPILE__)
  const T y = unforeseen(x);
  const auto low = static_cast<unsigned>(__builtin_amdgcn_readfirstlane(static_cast<int>(y)));
  return T{__builtin_amdgcn_readfirstlane(static_cast<int>(y >> 32))} << 32 | low;
#else
  return x;
#endif
}

/// The same pointer, of which clang, for HIP, then knows that it is a scalar and leads to global memory: one
/// that was itself read from memory could lead anywhere.
template <class T>
ROOFTILE_FUNCTION T* global_pointer(T* pointer) {
#if defined(__HIP_DEVICE_COMPILE__)
  using Global = __attribute__((address_space(1))) T*;
  return (T*)reinterpret_cast<Global>(unforeseen_scalar(reinterpret_cast<long long>(pointer)));
#else
  return pointer;
#endif
}

}  // namespace rooftile::detail
