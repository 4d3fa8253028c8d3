// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "cuda_native/relayout.cuh"
#include "cuda_native/run.hpp"
#include "cuda_native/workspace.hpp"
#include "rooftile/detail/vectors.hpp"

/// Operands that threads can only copy element by element, because they are contiguous along K or their rows
/// do not begin at multiples of 16 bytes, are first copied to a workspace where vectors can be read: a large
/// product reads each element so often that two passes over an operand cost less.
namespace rooftile::cuda_native {
namespace {

/// An operand X (K,X) of a batch, seen as panels are copied: A transposed, B as it is.
struct PanelOperand {
  MatrixRef<const float> X;
  Index stride;  ///< from a product's X to the next's
  Index count;   ///< of products

  bool relaid() const { return !detail::has_whole_vectors(X) || stride % 4 != 0; }
  Index ld() const { return (X.cols + 31) / 32 * 32; }
  Index products() const { return stride == 0 ? 1 : count; }
  std::size_t workspace_bytes() const {
    return relaid() ? Workspace::rounded(static_cast<std::size_t>(products() * X.rows * ld()) * sizeof(float))
                    : 0;
  }
  /// Where it is still to be copied to. @pre relaid()
  RelayoutOperand<float> copy(Workspace& workspace) const {
    return {X,
            workspace.take<float>(workspace_bytes()),
            ld(),
            0,
            stride,
            X.rows * ld(),
            static_cast<int>(products())};
  }
  /// The operand as panels are copied of it then; what its rows are padded with counts as theirs.
  PanelOperand at(const RelayoutOperand<float>& copy) const {
    return {{copy.to, X.rows, (X.cols + 3) / 4 * 4, copy.ld, 1}, products() > 1 ? copy.to_stride : 0, count};
  }
};

/// Lays out anew what must be, and multiplies. Where the device has no memory for it, as it lies.
void multiply_relaid(cudaStream_t stream, const BatchArgs<float>& args, TileShape tile) {
  PanelOperand a{args.first.A.transposed(), args.batch.stride_a, args.batch.count};
  PanelOperand b{args.first.B, args.batch.stride_b, args.batch.count};
  std::optional<Workspace> workspace;
  try {
    workspace.emplace(stream, a.workspace_bytes() + b.workspace_bytes());
  } catch (const Error&) {
    cudaGetLastError();  // or the next launch would report it
    return run<Kernel::pipelined, Math::fp32>(stream, args, tile);
  }
  const RelayoutOperand<float> a_copy = a.relaid() ? a.copy(*workspace) : RelayoutOperand<float>{};
  const RelayoutOperand<float> b_copy = b.relaid() ? b.copy(*workspace) : RelayoutOperand<float>{};
  launch_relayout(stream, a_copy, b_copy);
  if (a.relaid()) a = a.at(a_copy);
  if (b.relaid()) b = b.at(b_copy);
  const auto& [alpha, A, B, beta, C] = args.first;
  run<Kernel::pipelined, Math::fp32>(
      stream,
      {{alpha, a.X.transposed(), b.X, beta, C}, {args.batch.count, a.stride, b.stride, args.batch.stride_c}},
      tile);
}

}  // namespace

template <>
void run<Kernel::relaid, Math::fp32>(cudaStream_t stream, const BatchArgs<float>& args, TileShape tile) {
  const auto& [first, batch] = args;
  const std::size_t each = PanelOperand{first.A.transposed(), batch.stride_a, 1}.workspace_bytes() +
                           PanelOperand{first.B, batch.stride_b, 1}.workspace_bytes();
  for_each_part(args, products_at_a_time(each),
                [&](const BatchArgs<float>& part) { multiply_relaid(stream, part, tile); });
}
template <>
KernelResources resources<Kernel::relaid, Math::fp32>(TileShape tile) {
  return resources<Kernel::pipelined, Math::fp32>(tile);
}

}  // namespace rooftile::cuda_native
