// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The backends that the Kokkos found has.
#include "backends/openmp/backend.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "backends/cuda/backend.hpp"
#endif
#ifdef KOKKOS_ENABLE_HIP
#include "backends/hip/backend.hpp"
#endif
