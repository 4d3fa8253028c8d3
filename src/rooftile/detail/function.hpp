// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Marks a function for host and device code. A macro, because CUDA's specifiers have no other portable form.
#if defined(__CUDACC__) || defined(__HIPCC__) || defined(__HIP__)
#define ROOFTILE_FUNCTION __host__ __device__ inline __attribute__((always_inline))
#else
#define ROOFTILE_FUNCTION inline __attribute__((always_inline))
#endif

/// Unrolls the next loop n times (a constant expression), or completely. Arrays in registers need complete
/// unrolling. For g++, also as nvcc's host compiler, the macros are empty.
#if defined(__CUDA_ARCH__) || defined(__clang__)
#define ROOFTILE_PRAGMA(text) _Pragma(#text)
#define ROOFTILE_UNROLL(n) ROOFTILE_PRAGMA(unroll n)
#define ROOFTILE_UNROLL_ALL ROOFTILE_PRAGMA(unroll)
#else
#define ROOFTILE_UNROLL(n)
#define ROOFTILE_UNROLL_ALL
#endif
