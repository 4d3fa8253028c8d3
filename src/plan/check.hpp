// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "rooftile/detail/batch_args.hpp"
#include "rooftile/detail/memory.hpp"
#include "rooftile/problem.hpp"

/// Checks of arguments, which all entry points call before a launch.
namespace rooftile::detail {

constexpr bool is_empty(const MatrixMemory& X) {
  return X.rows == 0 || X.cols == 0;
}

/// The number of matrices of a batch and their distances, in two dimensions.
struct Steps {
  Index count = 1;  ///< matrices in the inner dimension
  Index stride = 0;
  Index outer = 1;
  Index outer_stride = 0;

  /// Returns the steps of a batch. The stride of a dimension with one entry is not used and becomes 0.
  static constexpr Steps of(Index count, Index stride, Index inner, Index outer_stride) {
    const auto steps = [](Index one, Index step, Index other, Index outer_step) {
      return Steps{one, one == 1 ? 0 : step, other, other == 1 ? 0 : outer_step};
    };
    return inner == 0 ? steps(count, stride, 1, 0) : steps(inner, stride, count / inner, outer_stride);
  }
};

/// The lowest and the highest element offset of a matrix or of a batch.
struct OffsetRange {
  Index low = 0;
  Index high = 0;
};
/// Returns the offsets of a matrix or a batch. @throws Error if addresses could overflow
OffsetRange offset_range(const char* name, const MatrixMemory& X, const Steps& steps = {});

/// Checks the sizes of products without operands. @throws Error for negative sizes, and if A or B has more
/// elements than an Index counts
void check_sizes(const GemmShape& shape, Index count);
/// Checks the sizes of row-major operands with elements of `size` bytes, without gaps between matrices.
/// @throws Error for negative sizes, and if addresses could overflow
void check_row_major(const GemmShape& shape, Index count, std::size_t size);

/// @throws Error if an extent is negative
void check_extents(const char* name, const MatrixMemory& X);
/// @throws Error if the address is null, or if addresses could overflow. @pre `check_extents` passed
void check_memory(const char* name, const MatrixMemory& X, const Steps& steps = {});
/// @throws Error if the extents of A (M,K), B (K,N) and C (M,N) do not match
void check_conforming(const MatrixMemory& A, const MatrixMemory& B, const MatrixMemory& C);
/// @throws Error if elements of C coincide: if row and column strides have a common multiple within C, some
/// rows down and some columns back lead to one element
void check_distinct(const MatrixMemory& C);

/// Whether two matrices of one type share a byte of an element. The result is exact for submatrices of one
/// parent, transposed or not. For other strides, it is true if the spanned address ranges overlap.
bool overlap(const MatrixMemory& X, const MatrixMemory& Y);
[[noreturn]] void refuse_overlap(const char* name, const MatrixMemory& X, const MatrixMemory& C);

/// Whether the stride of each dimension of a batch exceeds the span of all dimensions with smaller strides.
/// The elements are then distinct.
bool is_nested(const MatrixMemory& C, const Steps& steps);
/// @throws Error if two products share elements of C
void check_products_distinct(const MatrixMemory& C, const Steps& steps);
/// @throws Error if a product could write to an operand X of any product. Overlapping address
/// ranges suffice for an error if X has another type than C, or a stride that is neither 0 nor C's
void check_apart(const char* name, const MatrixMemory& X, const Steps& x, const MatrixMemory& C,
                 const Steps& c, bool one_type);

/// Returns the text of an error about a misaligned address.
std::string text_of_misaligned(const char* name, const void* address, std::size_t size);

/// Whether an address is a multiple of the element size, also for complex numbers. A GPU kernel that reads a
/// misaligned element destroys the process' context on the GPU.
template <class E>
bool is_aligned(const E* address) {
  return reinterpret_cast<std::uintptr_t>(address) % sizeof(E) == 0;
}
/// @throws Error if the address is not a multiple of the element size
template <class E>
void check_aligned(const char* name, const E* address) {
  if (!is_aligned(address)) throw Error(text_of_misaligned(name, address, sizeof(E)));
}

}  // namespace rooftile::detail
