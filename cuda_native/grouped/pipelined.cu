// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/grouped/kernel.cuh"

namespace rooftile::cuda_native {

template void run_group<Kernel::pipelined, Math::fp32>(cudaStream_t, const detail::SharedLaunch<float>&,
                                                       bool);
template void run_group<Kernel::pipelined, Math::fp64>(cudaStream_t, const detail::SharedLaunch<double>&,
                                                       bool);
template void run_group<Kernel::pipelined, Math::cfp32>(cudaStream_t,
                                                        const detail::SharedLaunch<complex<float>>&, bool);
template void run_group<Kernel::pipelined, Math::cfp64>(cudaStream_t,
                                                        const detail::SharedLaunch<complex<double>>&, bool);

}  // namespace rooftile::cuda_native
