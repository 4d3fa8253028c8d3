// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/detail/team_operands.hpp"
#include "team/product.hpp"

namespace rooftile::cuda_native {

/// Computes C = alpha·A·B + beta·C by all threads of a group inside a CUDA kernel, which call it together.
///
/// Operands, options, barriers and preconditions are those of `rooftile::team_gemm`, but operands are
/// MatrixRefs or mdspans. Matrix instructions need a group of whole warps.
///
/// @param block  a `cooperative_groups::thread_block` or tile, or a type with `thread_rank()`, `size()` and
///               `sync()`; threads of a warp have consecutive ranks
template <class Block, class AMatrix, class BMatrix, class CMatrix, class Options = TeamGemmOptions<>>
requires requires(const Block& block) {
  block.thread_rank();
  block.size();
  block.sync();
}
__device__ inline __attribute__((always_inline)) void block_gemm(
    const Block& block, detail::TeamScalar<CMatrix> alpha, const AMatrix& A, const BMatrix& B,
    detail::TeamScalar<CMatrix> beta, const CMatrix& C, const Options& options = {}) {
  if constexpr (detail::are_team_operands<Options, AMatrix, BMatrix, CMatrix>()) {
    const auto args = detail::team_args<Options>(alpha, A, B, beta, C);
    if (options.barrier_before) block.sync();
    const detail::GroupThread thread{static_cast<int>(block.thread_rank()), static_cast<int>(block.size())};
    detail::multiply_in_group<detail::TeamOptions<Options>>(
        thread, args, detail::GroupScratch(options.scratch, options.scratch_bytes, [&] { block.sync(); }));
    if (options.barrier_after) block.sync();
  }
}

}  // namespace rooftile::cuda_native
