// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>

#include "cuda_native/warpgroup/operand.hpp"
#include "cuda_native/warpgroup/work.hpp"
#include "rooftile/problem.hpp"

/// Products as the `warpgroup` kernel sees them: which factor is which, and how the work is cut.
namespace rooftile::cuda_native {

/// What a math mode's elements are to the tensor cores.
template <Math math>
struct WarpgroupMath {
  using T = float;
  static constexpr int parts = math == Math::tf32x3 ? 2 : 1;
};
template <>
struct WarpgroupMath<Math::fp16> {
  using T = __half;
  static constexpr int parts = 1;
};
template <>
struct WarpgroupMath<Math::bf16> {
  using T = __nv_bfloat16;
  static constexpr int parts = 1;
};

/// A batch of products, its operands' roles given.
template <Math math>
struct WarpgroupProblem {
  using T = typename WarpgroupMath<math>::T;
  static constexpr int parts = WarpgroupMath<math>::parts;

  MatrixRef<const T> A;  // (M,K)
  MatrixRef<const T> B;  // (N,K)
  MatrixRef<T> C;        // (M,N)
  float alpha, beta;
  int bn;  ///< columns of a tile of C; it has 128 rows
  Batch batch;

  /// Cᵀ = Bᵀ·Aᵀ
  WarpgroupProblem transposed() const {
    return {
        B, A, C.transposed(), alpha, beta, bn, {batch.count, batch.stride_b, batch.stride_a, batch.stride_c}};
  }

  Index tiles_m() const { return (C.rows + 2 * slab_rows - 1) / (2 * slab_rows); }
  Index tiles_n() const { return (C.cols + bn - 1) / bn; }
  Index tiles() const { return tiles_m() * tiles_n(); }

  WarpgroupOperand<T> a() const { return plan_operand(A, true, batch.stride_a, batch.count); }
  WarpgroupOperand<T> b() const {
    WarpgroupOperand<T> b = plan_operand(B, sizeof(T) == 2, batch.stride_b, batch.count);
    if (parts == 2) b.major = Major::k, b.relaid = true, b.parts = parts;
    return b;
  }

  std::size_t operand_bytes() const { return a().workspace_bytes() + b().workspace_bytes(); }

  bool has_rows_to_store() const { return has_aligned_rows(MatrixRef<const T>(C), batch.stride_c); }
  /// fp32 A through registers lets the kernel store columns, too.
  bool has_columns_to_store() const {
    const bool a_in_registers = sizeof(T) == 4 && (parts == 2 || a().major == Major::mn);
    return a_in_registers && has_aligned_rows(MatrixRef<const T>(C.transposed()), batch.stride_c);
  }
};

/// Tiles, and elements of an extent, of one launch: the kernel and TMA count them as `int`.
inline constexpr Index max_tiles = std::numeric_limits<int>::max() / 2;

/// How products are cut into work for the SMs.
/// @throws Error where the matrices are longer than TMA counts
template <Math math>
WarpgroupWork cut(const WarpgroupProblem<math>& p, int sms) {
  constexpr Index bk = swizzle_bytes / Index{sizeof(typename WarpgroupMath<math>::T)};
  const Index tiles = p.tiles() * p.batch.count, k_blocks = (p.A.cols + bk - 1) / bk;
  if (std::max({p.C.rows, p.C.cols, p.A.cols, tiles}) > max_tiles) {
    throw Error(detail::text("matrices are too long for TMA (m ", p.C.rows, ", n ", p.C.cols, ", k ",
                             p.A.cols, "): split the product or take another kernel"));
  }
  const Index share = share_of_k(tiles, k_blocks, p.bn, sms);
  return {static_cast<int>(p.tiles_m()),
          static_cast<int>(p.tiles_n()),
          static_cast<int>(k_blocks),
          static_cast<int>(share),
          static_cast<int>((k_blocks + share - 1) / share),
          static_cast<int>(p.batch.count),
          p.a().planes_apart(),
          p.b().planes_apart()};
}

/// Of the two ways to name the factors, C = A·B and Cᵀ = Bᵀ·Aᵀ, the one that needs less of the workspace, if
/// it has no more tiles. To 16-bit operands both are alike; fp32 B must be contiguous along K, and split in
/// tf32x3.
template <Math math>
WarpgroupProblem<math> with_best_roles(const WarpgroupProblem<math>& p, int sms) {
  if (sizeof(typename WarpgroupMath<math>::T) == 2) return p;
  const WarpgroupProblem<math> t = p.transposed();
  const WarpgroupWork work = cut(t, sms);
  const bool storable = work.splits > 1 || t.has_columns_to_store();
  return storable && t.operand_bytes() < p.operand_bytes() && work.tiles() <= cut(p, sms).tiles() ? t : p;
}

}  // namespace rooftile::cuda_native
