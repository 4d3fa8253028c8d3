// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "rooftile/detail/function.hpp"
#include "rooftile/gemm_plan.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/tile.hpp"

/// Operand alignment: which operands the threads of a GPU copy in vectors of 16 bytes, and TMA can read.
namespace rooftile::detail {

/// Whether the rows of a matrix are contiguous and consist of whole, aligned vectors.
/// @param width  elements of a vector; by default 16 bytes
template <class T>
ROOFTILE_FUNCTION bool has_whole_vectors(const MatrixRef<const T>& X, int width = 16 / sizeof(T)) {
  return X.col_stride == 1 && X.row_stride % width == 0 && X.cols % width == 0 &&
         reinterpret_cast<std::uintptr_t>(X.data) % (static_cast<std::size_t>(width) * sizeof(T)) == 0;
}

/// Returns −|stride|. The positive magnitude of the least Index would overflow.
ROOFTILE_FUNCTION Index below_zero(Index stride) {
  return stride < 0 ? stride : -stride;
}

/// Whether X (K,X), which is Aᵀ or B, is K-major: its contiguous lines run along k.
template <class T>
ROOFTILE_FUNCTION bool is_k_major(const MatrixRef<const T>& X) {
  return below_zero(X.row_stride) > below_zero(X.col_stride);
}

/// Whether TMA can read a matrix of every batch entry in place: contiguous rows that start at multiples of 16
/// bytes.
template <class T>
bool has_aligned_rows(const MatrixRef<const T>& X, Index stride) {
  constexpr Index size = 16 / sizeof(T), largest_stride = (Index{1} << 40) / static_cast<Index>(sizeof(T));
  return reinterpret_cast<std::uintptr_t>(X.data) % 16 == 0 && X.col_stride == 1 && X.row_stride >= X.cols &&
         X.row_stride % size == 0 && X.row_stride < largest_stride && stride >= 0 && stride % size == 0 &&
         stride < largest_stride;
}

/// Returns the alignment of an operand X (K,X). @param stride  elements from one product's X to the next
template <class T>
OperandAlignment lines_of(const MatrixRef<const T>& X, Index stride) {
  const bool k_major = is_k_major(X);
  const auto whole = [&](int width) {
    return has_whole_vectors(k_major ? X.transposed() : X, width) && stride % width == 0;
  };
  return {k_major,
          whole(16 / sizeof(T)),
          whole(2),
          has_aligned_rows(X.transposed(), stride),
          has_aligned_rows(X, stride),
          stride == 0};
}

/// Returns the alignment that holds for each product of a batch. The strides of a single product are ignored.
/// With two dimensions, launches may cover only the inner one: the outer strides must keep the alignment.
template <class T>
OperandAlignments operand_alignments(const BatchArgs<T>& args) {
  const auto& [first, batch, pointers] = args;
  const bool single = batch.count == 1, nested = batch.inner != 0;
  const auto lines = [&](const MatrixRef<const In<T>>& X, Index stride, Index outer_stride, bool anywhere) {
    OperandAlignment found = lines_of(X, single ? 0 : stride);
    if (nested) found = found.and_also(lines_of(X, outer_stride));
    if (anywhere) found.tma_k = found.tma_mn = found.shared = false;  // TMA needs a single tensor
    return found;
  };
  return {lines(first.A.transposed(), batch.stride_a, batch.outer_a, pointers.a != nullptr),
          lines(first.B, batch.stride_b, batch.outer_b, pointers.b != nullptr)};
}

/// Returns the alignment of operands at aligned addresses whose rows, or columns, are stored without gaps.
constexpr OperandAlignments operand_alignments(const GemmShape& shape, Type type, bool a_is_row_major = true,
                                               bool b_is_row_major = true) {
  const auto lines = [&](bool k_major, Index length) {
    const bool whole = length % static_cast<Index>(16 / size_of(type)) == 0;
    return OperandAlignment{k_major, whole, length % 2 == 0, whole && k_major, whole && !k_major, false};
  };
  return {lines(a_is_row_major, a_is_row_major ? shape.k : shape.m),
          lines(!b_is_row_major, b_is_row_major ? shape.n : shape.k)};
}

}  // namespace rooftile::detail
