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
void multiply_relaid(cudaStream_t stream, const BatchArgs<float>& args, TileShape tile) {
  const detail::RelaidProducts<float> products(args, false);
  std::optional<Workspace> workspace;
  try {
    workspace.emplace(stream, products.workspace_bytes());
  } catch (const Error&) {
    return run<Kernel::pipelined, Math::fp32>(stream, args, tile);
  }
  const detail::Relayout<float> copies = products.copies(*workspace);
  launch_relayout(stream, copies);
  run<Kernel::pipelined, Math::fp32>(stream, products.of(copies), tile);
}

}  // namespace

template <>
void run<Kernel::relaid, Math::fp32>(cudaStream_t stream, const BatchArgs<float>& args, TileShape tile) {
  for_each_part(args, detail::relaid_at_a_time(args, false),
                [&](const BatchArgs<float>& part) { multiply_relaid(stream, part, tile); });
}
template <>
KernelResources resources<Kernel::relaid, Math::fp32>(TileShape tile) {
  return resources<Kernel::pipelined, Math::fp32>(tile);
}

}  // namespace rooftile::cuda_native
