// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef KOKKOS_ENABLE_HIP
#include <setup/Kokkos_Setup_HIP.hpp>
#elif defined(KOKKOS_ENABLE_CUDA)
#include <setup/Kokkos_Setup_Cuda.hpp>
#endif
