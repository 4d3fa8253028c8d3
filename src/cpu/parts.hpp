// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "cpu/blocks.hpp"
#include "cpu/caches.hpp"
#include "cpu/grid.hpp"
#include "cpu/workspace.hpp"
#include "plan/batch_parts.hpp"
#include "rooftile/detail/block_epilogue.hpp"
#include "rooftile/detail/epilogue.hpp"
#include "rooftile/problem.hpp"

/// Complex products with one very small operand, computed as real products. The other operand is read in
/// place: the parts of its elements are adjacent, so that its memory is a real matrix.
namespace rooftile::portable {

/// The real product for the first columns of B.
/// @param operand  A as a real matrix: (2m,k), real parts above imaginary parts, where B is read by rows;
/// (2m,2k), each number as (re,-im) above (im,re), where B is read by columns
template <class R>
GemmArgs<R> real_product(CpuParts parts, const GemmArgs<complex<R>>& args, Index columns, const R* operand,
                         R* sums) {
  const auto& [alpha, A, B, beta, C] = args;
  const R* const b = reinterpret_cast<const R*>(B.data);
  const Index m = C.rows, k = A.cols;
  if (parts == CpuParts::rows) {
    return {1,
            row_major(operand, 2 * m, k),
            {b, k, 2 * columns, 2 * B.row_stride, 1},
            0,
            row_major(sums, 2 * m, 2 * columns)};
  }
  return {1,
          row_major(operand, 2 * m, 2 * k),
          {b, 2 * k, columns, 1, 2 * B.col_stride},
          0,
          row_major(sums, 2 * m, columns)};
}

/// Writes A as the real matrix of `real_product`.
template <class R>
void write_operand(CpuParts parts, const MatrixRef<const complex<R>>& A, bool conjugates_b, R* out) {
  const R sign = conjugates_b ? -1 : 1;
  const Index m = A.rows, k = A.cols;
  for (Index i = 0; i < m; ++i) {
    for (Index l = 0; l < k; ++l) {
      const complex<R> z = A.value(i, l);
      if (parts == CpuParts::rows) {
        out[i * k + l] = z.re, out[(m + i) * k + l] = z.im;
      } else {
        R* const re = out + 2 * (i * k + l);
        R* const im = re + 2 * m * k;
        re[0] = z.re, re[1] = -sign * z.im;
        im[0] = z.im, im[1] = sign * z.re;
      }
    }
  }
}

/// C = alpha·sums + beta·C for some columns.
template <class R>
void update_from_parts(CpuParts parts, const MatrixRef<complex<R>>& C, bool conjugates_b, complex<R> alpha,
                       const R* sums, Index ld, complex<R> beta) {
  const R sign = conjugates_b ? -1 : 1;
  const MatrixRef<complex<R>> own = C;  // a copy, which elements of C cannot alias
  for (Index i = 0; i < own.rows; ++i) {
    const R* const re = sums + i * ld;
    const R* const im = re + own.rows * ld;
    for (Index j = 0; j < own.cols; ++j) {
      const complex<R> sum = parts == CpuParts::rows ? complex<R>(re[2 * j] - sign * im[2 * j + 1],
                                                                  im[2 * j] + sign * re[2 * j + 1])
                                                     : complex<R>(re[j], im[j]);
      detail::update(own(i, j), alpha, sum, beta);
    }
  }
}

/// The calling thread's memory for the operand and its sums. `kept_workspace` serves the real product.
inline KeptWorkspace& kept_parts() {
  thread_local constinit KeptWorkspace kept;
  return kept;
}

/// Memory for a product by parts.
template <class R>
struct PartsMemory {
  R* operand;  ///< the numbers of A
  R* sums;     ///< of the products of A with some columns

  /// Takes the calling thread's memory. @throws std::bad_alloc
  PartsMemory(CpuParts parts, const GemmShape& shape, Index columns) {
    const Index per_number = parts == CpuParts::rows ? 2 : 4,
                sums_per_number = parts == CpuParts::rows ? 4 : 2;
    const Index line = cache_line / Index{sizeof(R)};
    const Index operand_size = ceil_div(per_number * shape.m * shape.k, line) * line;
    const Index size = operand_size + sums_per_number * shape.m * columns;
    operand = static_cast<R*>(kept_parts().of(static_cast<std::size_t>(size) * sizeof(R)));
    sums = operand + operand_size;
  }
};

/// C = alpha·A·B + beta·C, `columns` at a time. All real products have equal shapes, so that any failure
/// occurs before C is written.
/// @param multiply  computes a real product
template <class R, class Multiply>
void multiply_parts(CpuParts parts, const GemmArgs<complex<R>>& args, Index columns, const Multiply& multiply,
                    const detail::BlockEpilogue<complex<R>>& epilogue = {}) {
  const auto& [alpha, A, B, beta, C] = args;
  const auto [operand, sums] = PartsMemory<R>(parts, args.shape(), columns);
  const bool conjugates = detail::reads_conjugates(B);
  write_operand(parts, A, conjugates, operand);
  for (Index done = 0; done < C.cols; done += columns) {
    const Index first = std::min(done, C.cols - columns);
    GemmArgs<complex<R>> some = args;
    some.B = B.block(0, first, B.rows, columns);
    const GemmArgs<R> product = real_product(parts, some, columns, operand, sums);
    multiply(product);
    const Index again = done - first;  // columns that the previous part computed
    const MatrixRef<complex<R>> c = C.block(0, done, C.rows, columns - again);
    update_from_parts(parts, c, conjugates, alpha, sums + (parts == CpuParts::rows ? 2 : 1) * again,
                      product.C.cols, beta);
    epilogue.finish(c, 0, done);
  }
}

}  // namespace rooftile::portable
