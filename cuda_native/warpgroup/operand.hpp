// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cuda_native/hopper/tensor_map.hpp"
#include "cuda_native/hopper/wgmma.cuh"
#include "cuda_native/relayout.cuh"
#include "cuda_native/workspace.hpp"

namespace rooftile::cuda_native {

/// An operand of a batch of products: A as (M,K), or B as (N,K).
template <class T>
struct WarpgroupOperand {
  MatrixRef<const T> matrix;  // (rows,K)
  Major major = Major::k;     ///< as the kernel gets it
  bool relaid = false;        ///< which it does from the workspace
  int parts = 1;              ///< 2: big and small tf32 parts, always from the workspace
  Index stride = 0;           ///< from a product's matrix to the next's
  int products = 1;           ///< 1 also where all share it

  Index ld() const {
    constexpr Index line = 128 / sizeof(T);
    return (matrix.cols + line - 1) / line * line;
  }
  std::size_t workspace_bytes() const {
    const Index elements = relaid ? products * parts * matrix.rows * ld() : 0;
    return Workspace::rounded(static_cast<std::size_t>(elements) * sizeof(T));
  }
  /// In TMA's planes, from a product's matrix to the next's.
  int planes_apart() const { return products > 1 ? parts : 0; }
};

/// Whether TMA reads the matrix, and those of the other products, as they are: contiguous along
/// rows, which start at multiples of 16 bytes.
template <class T>
bool has_aligned_rows(const MatrixRef<const T>& x, Index stride) {
  constexpr Index size = 16 / sizeof(T), largest_stride = (Index{1} << 40) / static_cast<Index>(sizeof(T));
  return reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0 && x.col_stride == 1 && x.row_stride >= x.cols &&
         x.row_stride % size == 0 && x.row_stride < largest_stride && stride >= 0 && stride % size == 0 &&
         stride < largest_stride;
}

/// How an operand gets to the kernel: as it is, if it is contiguous along K or, where the kernel
/// `takes_rows`, along its rows; else through the workspace.
template <class T>
WarpgroupOperand<T> plan_operand(const MatrixRef<const T>& x, bool takes_rows, Index stride, Index count) {
  const int products = stride == 0 ? 1 : static_cast<int>(count);
  if (has_aligned_rows(x, stride)) return {x, Major::k, false, 1, stride, products};
  if (takes_rows && has_aligned_rows(x.transposed(), stride))
    return {x, Major::mn, false, 1, stride, products};
  return {x, Major::k, true, 1, stride, products};
}

/// The operand's copies in the workspace, still to be made. @pre x.relaid
template <class T>
RelayoutOperand<T> relayout_of(const WarpgroupOperand<T>& x, Workspace& workspace) {
  const Index plane = x.matrix.rows * x.ld();
  return {x.matrix,
          workspace.take<T>(x.workspace_bytes()),
          x.ld(),
          x.stride,
          x.parts * plane,
          x.products,
          {x.parts == 2 ? plane : 0}};
}

/// @param relaid  where `x.relaid` says it is
template <class T>
CUtensorMap tensor_map_of(const WarpgroupOperand<T>& x, const RelayoutOperand<T>& relaid, Elements elements) {
  const Index plane = x.matrix.rows * x.ld();
  const MatrixRef<const T> m = x.major == Major::k ? x.matrix : x.matrix.transposed();
  const TensorPlanes<T> planes =
      x.relaid ? TensorPlanes<T>{relaid.to, m.rows, m.cols, x.ld(), x.parts * x.products, plane}
               : TensorPlanes<T>{m.data,       m.rows,     m.cols,
                                 m.row_stride, x.products, x.products > 1 ? x.stride : m.row_stride};
  return tensor_map(planes, rows_per_box<T>(x.major), elements);
}

}  // namespace rooftile::cuda_native
