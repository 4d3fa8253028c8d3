// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "cuda_native/relayout.cuh"
#include "cuda_native/run.hpp"
#include "cuda_native/workspace.hpp"
#include "rooftile/detail/relaid.hpp"

namespace rooftile::cuda_native {
namespace {

/// Lays out anew what must be, and multiplies. Where the device has no memory for it, as it lies.
template <Math math, class T = ElementIn<math>>
void multiply_relaid(cudaStream_t stream, const BatchArgs<T>& args, TileShape tile) {
  constexpr const Rung& rung = multiplier(rung_of(Kernel::relaid), math);
  const detail::RelaidProducts<T> products(args, rung.fragments);
  std::optional<Workspace> workspace;
  try {
    workspace.emplace(stream, products.workspace_bytes());
  } catch (const OutOfMemory&) {
    return run<rung.kernel, math>(stream, args, tile);
  }
  const detail::Relayout<T> copies = products.copies(*workspace);
  launch_relayout(stream, copies);
  run<rung.kernel, math>(stream, products.of(copies), tile);
}

template <Math math, class T = ElementIn<math>>
void run_relaid(cudaStream_t stream, const BatchArgs<T>& args, TileShape tile) {
  const bool fragments = multiplier(rung_of(Kernel::relaid), math).fragments;
  for_each_part(args, detail::relaid_at_a_time(args, fragments),
                [&](const BatchArgs<T>& part) { multiply_relaid<math>(stream, part, tile); });
}

}  // namespace

template <>
void run<Kernel::relaid, Math::fp32>(cudaStream_t stream, const BatchArgs<float>& args, TileShape tile) {
  run_relaid<Math::fp32>(stream, args, tile);
}
template <>
void run<Kernel::relaid, Math::fp64>(cudaStream_t stream, const BatchArgs<double>& args, TileShape tile) {
  run_relaid<Math::fp64>(stream, args, tile);
}
template <>
void run<Kernel::relaid, Math::tf32>(cudaStream_t stream, const BatchArgs<float>& args, TileShape tile) {
  run_relaid<Math::tf32>(stream, args, tile);
}
template <>
void run<Kernel::relaid, Math::fp16>(cudaStream_t stream, const BatchArgs<float16>& args, TileShape tile) {
  run_relaid<Math::fp16>(stream, args, tile);
}
template <>
void run<Kernel::relaid, Math::bf16>(cudaStream_t stream, const BatchArgs<bfloat16>& args, TileShape tile) {
  run_relaid<Math::bf16>(stream, args, tile);
}

}  // namespace rooftile::cuda_native
