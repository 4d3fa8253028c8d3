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
