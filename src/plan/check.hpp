// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "rooftile/detail/batch_args.hpp"
#include "rooftile/detail/memory.hpp"
#include "rooftile/problem.hpp"

/// Every entry checks its arguments by these functions before it launches anything.
namespace rooftile::detail {

constexpr bool is_empty(const MatrixMemory& X) {
  return X.rows == 0 || X.cols == 0;
}

/// The matrices of a batch: how many there are in each of two dimensions, and how far apart.
struct Steps {
  Index count = 1;  ///< of the inner dimension
  Index stride = 0;
  Index outer = 1;
  Index outer_stride = 0;

  /// The steps of a batch with these strides. The stride of a single entry is not used and becomes 0.
  static constexpr Steps of(Index count, Index stride, Index inner, Index outer_stride) {
    const auto steps = [](Index one, Index step, Index other, Index outer_step) {
      return Steps{one, one == 1 ? 0 : step, other, other == 1 ? 0 : outer_step};
    };
    return inner == 0 ? steps(count, stride, 1, 0) : steps(inner, stride, count / inner, outer_stride);
  }
};

/// The lowest and the highest offset of the elements of a matrix, or of those of a batch.
struct OffsetRange {
  Index low = 0;
  Index high = 0;
};
/// @throws Error where addresses could overflow
OffsetRange offset_range(const char* name, const MatrixMemory& X, const Steps& steps = {});

/// The sizes of products whose operands are not known. @throws Error for negative ones
void check_sizes(const GemmShape& shape, Index count);
/// The same of row-major operands of elements of `size` bytes, matrices one behind the other.
/// @throws Error also where one would have more elements than addresses
void check_row_major(const GemmShape& shape, Index count, std::size_t size);

/// @throws Error for negative extents
void check_extents(const char* name, const MatrixMemory& X);
/// @throws Error for an address that is null, and where addresses could overflow. @pre `check_extents`
void check_memory(const char* name, const MatrixMemory& X, const Steps& steps = {});
/// @throws Error where extents do not go together
void check_conforming(const MatrixMemory& A, const MatrixMemory& B, const MatrixMemory& C);
/// C's elements must be distinct. Of a row and a column stride that have a common multiple within C, some
/// rows down and some columns back lead to the same element.
void check_distinct(const MatrixMemory& C);

/// Whether two matrices of one type share a byte of an element: exactly for sub-matrices of one parent,
/// transposed or not; of matrices with other strides it suffices that their memory overlaps.
bool overlap(const MatrixMemory& X, const MatrixMemory& Y);
[[noreturn]] void refuse_overlap(const char* name, const MatrixMemory& X, const MatrixMemory& C);

/// Whether each dimension of a batch steps over all that the ones with smaller strides reach, so that its
/// elements are distinct.
bool is_nested(const MatrixMemory& C, const Steps& steps);
/// C's products must not share elements.
void check_products_distinct(const MatrixMemory& C, const Steps& steps);
/// No product may write to what one of them reads. Of an X with a stride that is neither 0 nor C's, or not of
/// C's type (`one_type`), it suffices that the memory of all of it overlaps that of all of C.
void check_apart(const char* name, const MatrixMemory& X, const Steps& x, const MatrixMemory& C,
                 const Steps& c, bool one_type);

/// The text of an error about an address.
std::string text_of_misaligned(const char* name, const void* address, std::size_t size);

/// A GPU reads an element, also a complex number, only at a multiple of its size. A kernel that reads one
/// elsewhere ends the process' work on the GPU.
template <class E>
bool is_aligned(const E* address) {
  return reinterpret_cast<std::uintptr_t>(address) % sizeof(E) == 0;
}
/// @throws Error where a GPU cannot read an element at the address
template <class E>
void check_aligned(const char* name, const E* address) {
  if (!is_aligned(address)) throw Error(text_of_misaligned(name, address, sizeof(E)));
}

}  // namespace rooftile::detail
