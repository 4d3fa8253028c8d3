// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/grouped/kernel.cuh"

namespace rooftile::cuda_native {

template void run_group<Kernel::tensor_core, ComputeMode::fp64>(cudaStream_t,
                                                                const detail::SharedLaunch<double>&, bool);
template void run_group<Kernel::tensor_core, ComputeMode::cfp64>(cudaStream_t,
                                                                 const detail::SharedLaunch<complex<double>>&,
                                                                 bool);

}  // namespace rooftile::cuda_native
