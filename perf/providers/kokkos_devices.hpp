// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include "../machine.hpp"
#ifdef ROOFTILE_PERF_CUDA
#include "cuda_device.hpp"
#endif
#ifdef KOKKOS_ENABLE_HIP
#include "hip_device.hpp"
#endif

namespace rooftile::perf {

/// Calls f(device, exec) for each device of the machine that this Kokkos build supports.
/// @pre Kokkos is initialised
template <class F>
void for_each_kokkos_device(Machine& machine, const F& f) {
  f(*machine.devices.front(), Kokkos::DefaultHostExecutionSpace());
#ifdef ROOFTILE_PERF_CUDA
  if (auto* gpu = dynamic_cast<CudaDevice*>(machine.device("cuda"))) f(*gpu, Kokkos::Cuda(gpu->stream()));
#endif
#ifdef KOKKOS_ENABLE_HIP
  if (auto* gpu = dynamic_cast<HipDevice*>(machine.device("hip"))) f(*gpu, Kokkos::HIP(gpu->stream()));
#endif
}

}  // namespace rooftile::perf
