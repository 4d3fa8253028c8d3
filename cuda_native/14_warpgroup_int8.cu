// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "cuda_native/fp64_int8/multiply.hpp"
#include "cuda_native/launch.cuh"
#include "cuda_native/workspace.hpp"
#include "numerics/parts.hpp"
#include "plan/batch_parts.hpp"
#include "plan/residue_chunks.hpp"

/// fp64 and complex fp64 from exact int8 products by the `warpgroup` kernel (`fp64_int8/`). The fp64 kernel
/// is launched, too, and returns at once if the guard on the device found a number of moduli. The host does
/// not wait, and a graph that captures the call decides at each replay. Without device memory for the
/// residues, the call computes in fp64.
namespace rooftile::cuda_native {

extern template void run<Kernel::tensor_core, ComputeMode::fp64>(cudaStream_t, const BatchArgs<double>&,
                                                                 const GemmPlan&);
extern template void run<Kernel::tensor_core, ComputeMode::cfp64>(cudaStream_t,
                                                                  const BatchArgs<complex<double>>&,
                                                                  const GemmPlan&);

namespace {

template <class T>
void run_int8(cudaStream_t stream, const BatchArgs<T>& args, const GemmPlan& plan) {
  const auto in_fp64 = [&] {
    constexpr ComputeMode math = own_mode<T>();
    GemmPlan fp64 = plan;
    fp64.kernel = Kernel::tensor_core, fp64.math = math, fp64.tile = plan.fallback;
    run<Kernel::tensor_core, math>(stream, args, fp64);
  };
  const detail::ResidueChunks chunks{args.shape(), plan.rows, plan.columns, residues::product_count<T>};
  if (chunks.shape.k == 0) return in_fp64();  // C is scaled
  std::optional<Workspace> workspace;
  try {
    workspace.emplace(stream, chunks.bytes(), plan.memory);
  } catch (const OutOfMemory&) {
    return in_fp64();
  }
  char* const memory = workspace->take<char>(chunks.bytes());
  for_each_part(args, 1, [&](const BatchArgs<T>& product) {
    const int* const moduli = multiply_by_residues(stream, product, plan.moduli, chunks, memory);
    multiply_in_fp64_unless(moduli, stream, product, plan);
  });
}

}  // namespace

template <>
void run<Kernel::warpgroup_int8, ComputeMode::fp64_int8>(cudaStream_t stream, const BatchArgs<double>& args,
                                                         const GemmPlan& plan) {
  run_int8(stream, args, plan);
}
template <>
void run<Kernel::warpgroup_int8, ComputeMode::cfp64_int8>(cudaStream_t stream,
                                                          const BatchArgs<complex<double>>& args,
                                                          const GemmPlan& plan) {
  run_int8(stream, args, plan);
}

template <>
KernelResources resources<Kernel::warpgroup_int8, ComputeMode::fp64_int8>(TileShape) {
  return residue_products_resources<double>();
}
template <>
KernelResources resources<Kernel::warpgroup_int8, ComputeMode::cfp64_int8>(TileShape) {
  return residue_products_resources<complex<double>>();
}

}  // namespace rooftile::cuda_native
