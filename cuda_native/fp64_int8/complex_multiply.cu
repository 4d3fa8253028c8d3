// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/fp64_int8/start.cuh"

namespace rooftile::cuda_native {

template const int* multiply_by_residues(cudaStream_t, const BatchArgs<complex<double>>&, int,
                                         const detail::ResidueChunks&, void*);
template KernelResources residue_products_resources<complex<double>>();

}  // namespace rooftile::cuda_native
