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
  Major major = Major::k;     ///< major order in which the kernel reads it
  bool repacked = false;      ///< true: the kernel reads a copy in the workspace
  int parts = 1;              ///< 2: big and small tf32 parts, or twin rows; always in the workspace
  Index stride = 0;           ///< elements from one product's matrix to the next
  int products = 1;           ///< 1 also if all products share the matrix

  Index ld() const {
    constexpr Index line = 128 / sizeof(T);
    return (matrix.cols + line - 1) / line * line;
  }
  std::size_t workspace_bytes() const {
    return repacked ? detail::copies_bytes(Index{products} * parts, matrix.rows, matrix.cols, sizeof(T)) : 0;
  }
  /// Rows of the copy per row of the operand: 2 for complex B.
  int twins() const { return is_complex<T> ? parts : 1; }
  /// Planes of the tensor map per product.
  int planes() const { return parts / twins(); }
  /// Planes from one product's matrix to the next; 0: all products share it.
  int planes_apart() const { return products > 1 ? planes() : 0; }
};

/// Describes how the kernel reads an operand.
/// @param parts   2: split into big and small tf32 parts, or each row stored as two rows
/// @param stride  elements from one product's matrix to the next
template <class T>
WarpgroupOperand<T> operand_of(const MatrixRef<const T>& x, OperandPlan plan, int parts, Index stride,
                               Index count) {
  return {x,      plan.k_major ? Major::k : Major::mn,      plan.repack, parts,
          stride, stride == 0 ? 1 : static_cast<int>(count)};
}

/// Returns how a repacked operand is stored. @param other  the other operand
template <class T>
RepackStore<T> repack_store(const WarpgroupOperand<T>& x, [[maybe_unused]] const WarpgroupOperand<T>& other) {
  if constexpr (is_complex<T>) {
    const auto sign = [](const auto& X) { return X.matrix.is_conjugated != 0 ? -1.0f : 1.0f; };
    return {x.twins(), x.ld(), sign(other), sign(x)};
  } else {
    return {x.parts == 2 ? x.matrix.rows * x.ld() : 0};
  }
}

/// Reserves workspace for the operand's copies and describes them. Empty if the operand is not repacked.
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

/// Reinterprets complex numbers as real numbers, with re and im interleaved along a row.
template <class T>
TensorPlanes<RealOf<T>> real_planes(const TensorPlanes<T>& x) {
  constexpr int reals = reals_of<T>;
  const auto* const data = reinterpret_cast<const RealOf<T>*>(x.data);
  return {data, x.rows, x.cols * reals, x.row_stride * reals, x.planes, x.plane_stride * reals};
}

/// Returns the tensor map of an operand.
/// @param copies   used if `x.repacked`
/// @param sharing  blocks of a cluster that each copy a part of every box
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
