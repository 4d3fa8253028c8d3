// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

// The matrix instructions of the GPUs that the Kokkos found is for: of one vendor, always.
#ifdef KOKKOS_ENABLE_HIP
#include "backends/hip/fragments.hpp"
#else
#include "backends/cuda/fragments.hpp"
#endif
