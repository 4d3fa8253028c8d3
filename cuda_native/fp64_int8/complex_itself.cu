// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/fp64_int8/fp64_itself.cuh"

namespace rooftile::cuda_native {

template void multiply_in_fp64_unless(const int*, cudaStream_t, const BatchArgs<complex<double>>&,
                                      const GemmPlan&);

}  // namespace rooftile::cuda_native
