// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/warpgroup/operand.hpp"
#include "device/nvidia/warpgroup/float8_scale.hpp"
#include "device/nvidia/warpgroup/result.hpp"
#include "device/nvidia/warpgroup/work.hpp"
#include "plan/plan.hpp"
#include "rooftile/problem.hpp"

/// Products of the `warpgroup` kernel: the roles of the factors and the division of the work.
namespace rooftile::cuda_native {

/// The CUDA name of an element type. Both types have equal bits.
template <class E>
struct CudaElement {
  using type = E;
};
template <>
struct CudaElement<float16> {
  using type = __half;
};
template <>
struct CudaElement<bfloat16> {
  using type = __nv_bfloat16;
};

/// The element types of a compute mode on the tensor cores.
template <ComputeMode math>
struct WarpgroupMath {
  using T = typename CudaElement<In<ProductIn<math>>>::type;               ///< of A and B
  using Out = typename CudaElement<rooftile::Out<ProductIn<math>>>::type;  ///< of C
  /// Parts of B: two tf32 parts per element in tf32x3, or two rows of real numbers per row of complex
  /// numbers.
  static constexpr int parts = mode_of(math).terms > 1 || rooftile::is_complex(type_of(math)) ? 2 : 1;
};

/// A batch of products after the roles of A and B are assigned.
template <ComputeMode math>
struct WarpgroupProblem {
  using T = typename WarpgroupMath<math>::T;
  using Out = typename WarpgroupMath<math>::Out;

  MatrixRef<const T> A;  // (M,K)
  MatrixRef<const T> B;  // (N,K)
  MatrixRef<Out> C;      // (M,N)
  ScaleOf<Out> alpha, beta;
  Batch batch;

  /// Cᵀ = Bᵀ·Aᵀ
  WarpgroupProblem transposed() const {
    return {B, A, C.transposed(), alpha, beta, {batch.count, batch.stride_b, batch.stride_a, batch.stride_c}};
  }

  WarpgroupOperand<T> a(const GemmPlan& plan) const {
    return operand_of(A, plan.a, 1, batch.stride_a, batch.count);
  }
  WarpgroupOperand<T> b(const GemmPlan& plan) const {
    return operand_of(B, plan.b, WarpgroupMath<math>::parts, batch.stride_b, batch.count);
  }
};

/// Returns how the kernel reads the scales of an operand X (R,K); null: all are 1.
inline Float8Scale scale_of(const Float8Scales& s, Index rows) {
  if (s.data == nullptr) return {};
  const bool whole = s.rows == 1, blocks = !whole && s.rows != rows;
  return {s.data,         whole ? 0 : s.row_stride, s.cols == 1 ? 0 : s.col_stride,
          s.batch_stride, static_cast<int>(rows),   blocks ? 7 : 0};
}

/// Returns what the kernel needs to know of the factors besides their elements.
template <ComputeMode math>
auto factors_of(const WarpgroupProblem<math>& p) {
  if constexpr (type_of(math) == Type::fp8) {
    return Float8Factors{scale_of(p.A.scales, p.A.rows), scale_of(p.B.scales, p.B.rows), p.A.format,
                         p.B.format};
  } else {
    return NoFactors{};
  }
}

/// Returns the division of the products into work for the SMs.
template <ComputeMode math>
WarpgroupWork cut(const WarpgroupProblem<math>& p, const GemmPlan& plan) {
  constexpr Index bk = swizzle_bytes / Index{sizeof(typename WarpgroupMath<math>::T)};
  const Index bm = plan.tile.bm, bn = plan.tile.bn;
  return {static_cast<int>((p.C.rows + bm - 1) / bm),
          static_cast<int>((p.C.cols + bn - 1) / bn),
          static_cast<int>((p.A.cols + bk - 1) / bk),
          static_cast<int>(plan.split_steps),
          static_cast<int>(plan.split_k),
          static_cast<int>(p.batch.count),
          p.a(plan).planes_apart(),
          p.b(plan).planes_apart(),
          plan.cluster};
}

}  // namespace rooftile::cuda_native
