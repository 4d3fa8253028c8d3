// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <decl/Kokkos_Declare_SERIAL.hpp>
#ifdef KOKKOS_ENABLE_HIP
#include <decl/Kokkos_Declare_HIP.hpp>
#elif defined(KOKKOS_ENABLE_CUDA)
#include <decl/Kokkos_Declare_CUDA.hpp>
#endif
