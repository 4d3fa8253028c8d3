// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

// Memory in an instance's order, of the GPUs that the Kokkos found is for: of one vendor, always.
#ifdef KOKKOS_ENABLE_HIP
#include "backends/hip/workspace.hpp"
#else
#include "backends/cuda/workspace.hpp"
#endif
