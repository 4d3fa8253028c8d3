// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The configuration of the installed Kokkos without its backends and with the backend of this compiler: CUDA
// for nvcc, HIP for clang. This folder precedes Kokkos' headers on the include path. No include guard: the
// header below has one, which rejects a second inclusion.
#include_next <KokkosCore_config.h>

#undef KOKKOS_ENABLE_CUDA
#undef KOKKOS_ENABLE_HIP
#undef KOKKOS_ENABLE_HPX
#undef KOKKOS_ENABLE_OPENACC
#undef KOKKOS_ENABLE_OPENMP
#undef KOKKOS_ENABLE_SYCL
#undef KOKKOS_ENABLE_THREADS
#ifndef KOKKOS_ENABLE_SERIAL  // a device backend needs a host space, too
#define KOKKOS_ENABLE_SERIAL
#endif
#ifdef __HIP__
#define KOKKOS_ENABLE_HIP
#elif defined(__CUDACC__)
#define KOKKOS_ENABLE_CUDA
#endif
