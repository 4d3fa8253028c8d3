// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "rooftile/error.hpp"
#include "rooftile/gemm_plan.hpp"
#include "rooftile/matrix.hpp"
#include "rooftile/problem.hpp"

/// Checks and describes the scales of 8-bit floats.
namespace rooftile::detail {

/// Returns the number of scales for blocks of 128 rows or columns.
constexpr Index scale_blocks(Index extent) {
  return (extent + scale_block - 1) / scale_block;
}

/// Checks the scales of an operand X (R,K), that is A or Bᵀ. @throws Error if their shape or strides do not
/// fit
inline void check_scales(const char* name, const Float8Scales& s, Index rows, Index k, Index count) {
  if (s.data == nullptr && s.rows == 0 && s.cols == 0) return;
  const auto shape = [&] { return text(name, ", scales ", s.rows, " x ", s.cols, " of ", rows, " x ", k); };
  if (rows == 0 || k == 0) return;
  const Index row_blocks = scale_blocks(rows), steps = scale_blocks(k);
  if ((s.rows != 1 && s.rows != rows && s.rows != row_blocks) || (s.cols != 1 && s.cols != steps)) {
    throw Error(text("wrong number of scales (", shape(), ", seen with K as columns): give 1, ", rows, " or ",
                     row_blocks, " along the rows, and 1 or ", steps, " along K"));
  }
  if (s.data == nullptr)
    throw Error(text("null pointer to scales (", shape(), "): give their address, or no extents"));
  if (reinterpret_cast<std::uintptr_t>(s.data) % alignof(float) != 0) {
    throw Error(text("misaligned scales (", shape(), ", ", static_cast<const void*>(s.data),
                     "): give a multiple of ", alignof(float), " bytes"));
  }
  if (s.cols == 1 && s.rows == rows && rows > 1 && s.row_stride != 1) {
    throw Error(text("scales with gaps (", shape(), ", stride ", s.row_stride,
                     "): store scales that do not vary along K contiguously"));
  }
  // The kernels recognize scales that vary along K by their stride.
  const bool repeats = s.cols > 1 && s.col_stride == 0;
  if (s.row_stride < 0 || s.col_stride < 0 || repeats || (count > 1 && s.batch_stride < 0)) {
    throw Error(text("invalid stride of scales (", shape(), ", strides ", s.row_stride, ", ", s.col_stride,
                     " and ", s.batch_stride, "): give positive strides, or 1 scale along K"));
  }
}

/// Returns how the scales of an operand X (R,K) vary.
constexpr ScaleLayout scale_layout_of(const Float8Scales& s, Index rows, Index k) {
  if (s.data == nullptr) return ScaleLayout::constant;
  const bool lines = s.rows == rows && rows > 1, steps = s.cols > 1 && k > scale_block;
  if (steps) return lines ? ScaleLayout::line_steps : ScaleLayout::block_steps;
  return lines ? ScaleLayout::lines : ScaleLayout::constant;
}

/// Whether each row of A, or column of B, has its own scale.
constexpr bool scales_lines(ScaleLayout scales) {
  return scales == ScaleLayout::lines || scales == ScaleLayout::line_steps;
}

}  // namespace rooftile::detail
