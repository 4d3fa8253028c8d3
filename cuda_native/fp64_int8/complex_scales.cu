// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/fp64_int8/start_scales.cuh"

namespace rooftile::cuda_native {

template residues::Guard residues::start_scales(cudaStream_t, const Parts<complex<double>>&, Index, int);
template std::array<rooftile::residues::Spread, 2> spreads(cudaStream_t, const BatchArgs<complex<double>>&);

}  // namespace rooftile::cuda_native
