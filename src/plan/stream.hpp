// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/detail/function.hpp"
#include "rooftile/gemm_plan.hpp"
#include "rooftile/problem.hpp"

/// Stream-K: most tiles of C get one block each. The last tiles would not fill the SMs: many blocks share
/// their steps along K in even work units (Osama et al., "Stream-K", 2023).
namespace rooftile::detail {

/// The steps [first,last) of one tile of C that a block computes.
struct StreamPart {
  unsigned tile;  ///< counted through all products of a batch
  Index first;
  Index last;
  unsigned sum;  ///< index of its partial sum; unused if the part is the whole tile

  ROOFTILE_FUNCTION bool is_whole(Index steps) const { return first == 0 && last == steps; }
  ROOFTILE_FUNCTION Index size() const { return last - first; }
};

/// Returns the work units of a launch of `products` products of a plan.
inline const Stream& stream_for(const GemmPlan& plan, Index products) {
  return products == plan.batch_chunk ? plan.stream : plan.stream_rest;
}

/// Returns the part of a block that begins with a step, counted through all tiles.
/// @pre begin(block) <= step < begin(block + 1)
ROOFTILE_FUNCTION StreamPart part_of(const Stream& stream, unsigned block, Index step) {
  const auto tile = static_cast<unsigned>(step / stream.steps);
  const Index tile0 = tile * stream.steps, rest = stream.begin(block + 1) - tile0;
  return {tile, step - tile0, rest < stream.steps ? rest : stream.steps, block + tile - 2 * stream.whole};
}

/// The operands of a part: the columns of A and the rows of B of its steps. If bk does not divide K, the
/// first step is shorter.
template <class T>
struct StreamOperands {
  MatrixRef<const In<T>> A;
  MatrixRef<const In<T>> B;
};
template <class T>
ROOFTILE_FUNCTION StreamOperands<T> steps_of(const GemmArgs<T>& args, const StreamPart& part, Index steps,
                                             int bk) {
  const auto& [alpha, A, B, beta, C] = args;
  const Index missing = steps * bk - A.cols;
  const Index k0 = part.first == 0 ? 0 : part.first * bk - missing, k = part.last * bk - missing - k0;
  return {A.block(0, k0, A.rows, k), B.block(k0, 0, k, B.cols)};
}

}  // namespace rooftile::detail
