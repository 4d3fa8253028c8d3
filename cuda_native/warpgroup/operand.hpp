// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cuda_native/hopper/tensor_map.hpp"
#include "rooftile/detail/workspace_parts.hpp"
#include "rooftile/device/nvidia/hopper/store_parts.hpp"
#include "rooftile/device/nvidia/hopper/wgmma.hpp"
#include "rooftile/plan.hpp"

namespace rooftile::cuda_native {

using namespace detail::hopper;

template <class T>
using RepackOperand = detail::RepackOperand<T, StoreParts>;

/// An operand of a batch of products: A as (M,K), or B as (N,K).
template <class T>
struct WarpgroupOperand {
  MatrixRef<const T> matrix;  // (rows,K)
  Major major = Major::k;     ///< as the kernel gets it
  bool repacked = false;      ///< which it does from the workspace
  int parts = 1;              ///< 2: big and small tf32 parts, always from the workspace
  Index stride = 0;           ///< from a product's matrix to the next's
  int products = 1;           ///< 1 also where all share it

  Index ld() const {
    constexpr Index line = 128 / sizeof(T);
    return (matrix.cols + line - 1) / line * line;
  }
  std::size_t workspace_bytes() const {
    return repacked ? detail::copies_bytes(Index{products} * parts, matrix.rows, matrix.cols, sizeof(T)) : 0;
  }
  /// In TMA's planes, from a product's matrix to the next's.
  int planes_apart() const { return products > 1 ? parts : 0; }
};

/// How an operand gets to the kernel.
/// @param parts   2: split into its big and small tf32 parts
/// @param stride  from a product's matrix to the next's
template <class T>
WarpgroupOperand<T> operand_of(const MatrixRef<const T>& x, OperandPlan plan, int parts, Index stride,
                               Index count) {
  return {x,      plan.k_major ? Major::k : Major::mn,      plan.repack, parts,
          stride, stride == 0 ? 1 : static_cast<int>(count)};
}

/// The operand's copies in the workspace, still to be made. @pre x.repacked
template <class T>
RepackOperand<T> repack_of(const WarpgroupOperand<T>& x, detail::WorkspaceParts& workspace) {
  const Index plane = x.matrix.rows * x.ld();
  return {x.matrix,
          workspace.take<T>(x.workspace_bytes()),
          x.ld(),
          x.stride,
          x.parts * plane,
          x.products,
          {x.parts == 2 ? plane : 0}};
}

/// @param copies  where `x.repacked` says it is
template <class T>
CUtensorMap tensor_map_of(const WarpgroupOperand<T>& x, const RepackOperand<T>& copies, Elements elements) {
  const Index plane = x.matrix.rows * x.ld();
  const MatrixRef<const T> m = x.major == Major::k ? x.matrix : x.matrix.transposed();
  const TensorPlanes<T> planes =
      x.repacked ? TensorPlanes<T>{copies.to, m.rows, m.cols, x.ld(), x.parts * x.products, plane}
                 : TensorPlanes<T>{m.data,       m.rows,     m.cols,
                                   m.row_stride, x.products, x.products > 1 ? x.stride : m.row_stride};
  return tensor_map(planes, rows_per_box<T>(x.major), elements);
}

}  // namespace rooftile::cuda_native
