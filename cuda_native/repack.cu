// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "cuda_native/repack.cuh"
#include "cuda_native/run.hpp"
#include "cuda_native/workspace.hpp"
#include "device/common/repacked.hpp"
#include "plan/batch_parts.hpp"

/// Repacks operands before a kernel multiplies them, if threads could only copy them element by element.
/// Without device memory for the copies, the kernel reads the operands in their own layout.
namespace rooftile::cuda_native {

template <class T>
void run_repacked(cudaStream_t stream, const BatchArgs<T>& args, const GemmPlan& plan, Run<T> run) {
  for_each_part(args, plan.batch_chunk, [&](const BatchArgs<T>& part) {
    const detail::RepackedProducts<T> products(part, plan);
    std::optional<Workspace> workspace;
    try {
      workspace.emplace(stream, products.workspace_bytes(), plan.memory);
    } catch (const OutOfMemory&) {
      return run(stream, part, detail::without_repacking(plan));
    }
    const detail::Repack<T> copies = products.copies(*workspace);
    launch_repack(stream, copies);
    run(stream, products.of(copies), plan);
  });
}

template void run_repacked(cudaStream_t, const BatchArgs<float>&, const GemmPlan&, Run<float>);
template void run_repacked(cudaStream_t, const BatchArgs<double>&, const GemmPlan&, Run<double>);
template void run_repacked(cudaStream_t, const BatchArgs<float16>&, const GemmPlan&, Run<float16>);
template void run_repacked(cudaStream_t, const BatchArgs<bfloat16>&, const GemmPlan&, Run<bfloat16>);

}  // namespace rooftile::cuda_native
