// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "plan/check.hpp"
#include "plan/check_scales.hpp"
#include "plan/cpu_plan.hpp"
#include "plan/operand_alignment.hpp"
#include "rooftile/gemm_plan.hpp"
#include "rooftile/matrix.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/tuning.hpp"
#include "rooftile/types.hpp"

namespace rooftile {

/// Returns the description of products. @pre the products are prepared: checked, with row-major C
template <class T>
GemmDesc describe(const BatchArgs<T>& args) {
  const MatrixRef<const Out<T>> C = args.first.C;
  const Batch& batch = args.batch;
  const bool nested = batch.inner != 0;
  const auto has_aligned_rows = [&](const auto& X) {
    return args.pointers.c == nullptr &&
           detail::has_aligned_rows<Out<T>>(X, batch.count == 1 ? 0 : batch.stride_c) &&
           (!nested || detail::has_aligned_rows<Out<T>>(X, batch.outer_c));
  };
  GemmDesc desc{args.shape(),
                type_of<T>(),
                nested ? batch.inner : batch.count,
                detail::operand_alignments(args),
                {has_aligned_rows(C), has_aligned_rows(C.transposed())},
                args.pointers.any(),
                result_type_of<T>(),
                nested ? batch.count / batch.inner : 1,
                args.first.beta != Scalar<T>(0)};
  if constexpr (detail::Float8<In<T>>) {
    const auto& [alpha, A, B, beta, C_] = args.first;
    desc.scales_a = detail::scale_layout_of(A.scales, A.rows, A.cols);
    desc.scales_b = detail::scale_layout_of(B.scales.transposed(), B.cols, B.rows);
  }
  return desc;
}

/// Adds the strides, on which plans for CPUs depend.
template <class T>
void describe_strides(GemmDesc& desc, const BatchArgs<T>& args) {
  const detail::CpuProduct product = detail::cpu_product(args);
  desc.cpu_a = product.a, desc.cpu_b = product.b;
}
/// Adds the strides of row-major operands without gaps between rows.
constexpr void describe_strides(GemmDesc& desc) {
  desc.cpu_a = detail::cpu_strides(desc.shape.k, 1, size_of(desc.type));
  desc.cpu_b = detail::cpu_strides(desc.shape.n, 1, size_of(desc.type));
}

/// Returns the description of operands at aligned addresses without gaps between rows, or columns. C is
/// row-major.
constexpr GemmDesc describe(const GemmShape& shape, Type type, Index count = 1, bool a_is_row_major = true,
                            bool b_is_row_major = true) {
  const bool aligned = shape.n % static_cast<Index>(16 / size_of(type)) == 0;
  return {shape,
          type,
          count,
          detail::operand_alignments(shape, type, a_is_row_major, b_is_row_major),
          {aligned, false},
          false,
          type,
          1};
}

/// Returns the description of row-major operands in a compute mode, whose C may have another type.
/// @throws Error if sizes are negative or overflow
inline GemmDesc describe_row_major(const GemmShape& shape, ComputeMode math, Index count) {
  const auto [type, result] = std::pair(type_of(math), mode_of(math).result);
  detail::check_row_major(shape, count, size_of(result));  // the largest element
  GemmDesc desc = describe(shape, type, count);
  desc.result_type = result;
  return desc;
}

/// Returns the layout of described products in a tuning table.
constexpr TuningLayout tuning_layout(const GemmDesc& desc) {
  const auto alignment = [&](const detail::OperandAlignment& x) {
    if (x.whole) return Alignment::aligned;
    if (x.k_major ? x.tma_k : x.tma_mn) return Alignment::padded;
    return is_16_bit(desc.type) && x.pairs ? Alignment::pairs : Alignment::ragged;
  };
  return {desc.alignment.a.k_major, !desc.alignment.b.k_major, alignment(desc.alignment.a),
          alignment(desc.alignment.b), desc.result.rows ? Alignment::aligned : Alignment::ragged};
}

}  // namespace rooftile
