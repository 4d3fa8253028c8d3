// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda_native/hopper/tensor_map.hpp"
#include "device/nvidia/hopper/store_operand.hpp"
#include "device/nvidia/hopper/wgmma.hpp"
#include "plan/plan.hpp"
#include "plan/workspace_parts.hpp"

namespace rooftile::cuda_native {

using namespace detail::hopper;

/// Whether operands are complex numbers, which are multiplied as real ones (1M).
using detail::is_complex;

/// The type that the tensor cores multiply: a part of a complex number, else the element itself.
template <class T>
using RealOf = std::conditional_t<is_complex<T>, float, T>;
template <class T>
inline constexpr int reals_of = sizeof(T) / sizeof(RealOf<T>);

template <class T>
using RepackStore = std::conditional_t<is_complex<T>, StoreTwins, StoreParts>;
template <class T>
using RepackOperand = detail::RepackOperand<T, RepackStore<T>>;

/// An operand of a batch of products: A as (M,K), or B as (N,K).
template <class T>
struct WarpgroupOperand {
  MatrixRef<const T> matrix;  // (rows,K)
  Major major = Major::k;     ///< as the kernel gets it
  bool repacked = false;      ///< which it does from the workspace
  int parts = 1;              ///< 2: big and small tf32 parts, always from the workspace, or twin rows
  Index stride = 0;           ///< from a product's matrix to the next's
  int products = 1;           ///< 1 also where all share it

  Index ld() const {
    constexpr Index line = 128 / sizeof(T);
    return (matrix.cols + line - 1) / line * line;
  }
  std::size_t workspace_bytes() const {
    return repacked ? detail::copies_bytes(Index{products} * parts, matrix.rows, matrix.cols, sizeof(T)) : 0;
  }
  /// Rows of a copy that a row becomes: two of complex B.
  int twins() const { return is_complex<T> ? parts : 1; }
  /// TMA's planes of a product's matrix.
  int planes() const { return parts / twins(); }
  /// In these, from a product's matrix to the next's.
  int planes_apart() const { return products > 1 ? planes() : 0; }
};

/// How an operand gets to the kernel.
/// @param parts   2: split into its big and small tf32 parts, or each row in two
/// @param stride  from a product's matrix to the next's
template <class T>
WarpgroupOperand<T> operand_of(const MatrixRef<const T>& x, OperandPlan plan, int parts, Index stride,
                               Index count) {
  return {x,      plan.k_major ? Major::k : Major::mn,      plan.repack, parts,
          stride, stride == 0 ? 1 : static_cast<int>(count)};
}

/// How the operand is stored when it is repacked. @param other  the other operand
template <class T>
RepackStore<T> repack_store(const WarpgroupOperand<T>& x, [[maybe_unused]] const WarpgroupOperand<T>& other) {
  if constexpr (is_complex<T>) {
    const auto sign = [](const auto& X) { return X.matrix.is_conjugated != 0 ? -1.0f : 1.0f; };
    return {x.twins(), x.ld(), sign(other), sign(x)};
  } else {
    return {x.parts == 2 ? x.matrix.rows * x.ld() : 0};
  }
}

/// The operand's copies in the workspace, still to be made; nowhere if it stays as it lies.
template <class T>
RepackOperand<T> repack_of(const WarpgroupOperand<T>& x, const WarpgroupOperand<T>& other,
                           detail::WorkspaceParts& workspace) {
  if (!x.repacked) return {};
  return {x.matrix,
          workspace.take<T>(x.workspace_bytes()),
          x.ld(),
          x.stride,
          x.parts * x.matrix.rows * x.ld(),
          x.products,
          repack_store(x, other)};
}

/// Complex numbers as real ones, (re,im) one after the other along a row.
template <class T>
TensorPlanes<RealOf<T>> real_planes(const TensorPlanes<T>& x) {
  constexpr int reals = reals_of<T>;
  const auto* const data = reinterpret_cast<const RealOf<T>*>(x.data);
  return {data, x.rows, x.cols * reals, x.row_stride * reals, x.planes, x.plane_stride * reals};
}

/// @param copies   where `x.repacked` says it is
/// @param sharing  blocks of a cluster that bring a part of each box
template <class T>
CUtensorMap tensor_map_of(const WarpgroupOperand<T>& x, const RepackOperand<T>& copies, Elements elements,
                          int sharing) {
  const Index plane = x.matrix.rows * x.twins() * x.ld();
  const MatrixRef<const T> m = x.major == Major::k ? x.matrix : x.matrix.transposed();
  const TensorPlanes<T> planes =
      x.repacked
          ? TensorPlanes<T>{copies.to, m.rows * x.twins(), m.cols, x.ld(), x.planes() * x.products, plane}
          : TensorPlanes<T>{m.data,       m.rows,     m.cols,
                            m.row_stride, x.products, x.products > 1 ? x.stride : m.row_stride};
  return tensor_map(real_planes(planes), rows_per_box<RealOf<T>>(x.major) / sharing, elements);
}

}  // namespace rooftile::cuda_native
