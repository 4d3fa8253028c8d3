// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef KOKKOS_ENABLE_HIP
#define DESUL_ATOMICS_ENABLE_HIP
#elif defined(KOKKOS_ENABLE_CUDA)
#define DESUL_ATOMICS_ENABLE_CUDA
#endif
