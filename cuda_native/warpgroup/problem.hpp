// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/warpgroup/operand.hpp"
#include "device/nvidia/warpgroup/result.hpp"
#include "device/nvidia/warpgroup/work.hpp"
#include "plan/plan.hpp"
#include "rooftile/problem.hpp"

/// Products as the `warpgroup` kernel sees them: which factor is which, and how the work is cut.
namespace rooftile::cuda_native {

/// What a math mode's elements are to the tensor cores.
template <ComputeMode math>
struct WarpgroupMath {
  using T = float;
  static constexpr int parts = math == ComputeMode::tf32x3 ? 2 : 1;  ///< of an element of B
};
template <>
struct WarpgroupMath<ComputeMode::cfp32_tf32> {
  using T = complex<float>;
  static constexpr int parts = 2;
};
template <>
struct WarpgroupMath<ComputeMode::fp16> {
  using T = __half;
  static constexpr int parts = 1;
};
template <>
struct WarpgroupMath<ComputeMode::bf16> {
  using T = __nv_bfloat16;
  static constexpr int parts = 1;
};

/// A batch of products, its operands' roles given.
template <ComputeMode math>
struct WarpgroupProblem {
  using T = typename WarpgroupMath<math>::T;

  MatrixRef<const T> A;  // (M,K)
  MatrixRef<const T> B;  // (N,K)
  MatrixRef<T> C;        // (M,N)
  ScaleOf<T> alpha, beta;
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

/// How products are cut into work for the SMs.
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
