// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fwd/Kokkos_Fwd_SERIAL.hpp>
#ifdef KOKKOS_ENABLE_HIP
#include <fwd/Kokkos_Fwd_HIP.hpp>
#elif defined(KOKKOS_ENABLE_CUDA)
#include <fwd/Kokkos_Fwd_CUDA.hpp>
#endif
