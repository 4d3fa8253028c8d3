// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "device/common/fused_update.hpp"
#include "device/common/vector.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/types.hpp"

/// A tile of C that one thread of a user's team computes in registers.
namespace rooftile::detail {

/// Which neighbouring elements of an operand one vector load reads.
enum class VectorLoad { along_x, along_k, none };

/// The elements of an operand X (X,K), A or the transpose of B, that a thread multiplies. They are `count`
/// lines along K, taken from all of X, so that neighbouring threads read neighbouring elements.
template <class T, int count>
struct ThreadLines {
  using Sum = Scalar<T>;
  static constexpr int width = std::min(count, static_cast<int>(16 / sizeof(Sum)));  ///< elements of a vector
  static constexpr bool has_vectors = width > 1;

  MatrixRef<const T> X;
  int first;  ///< line 0
  int inner;  ///< lines from one element of a vector to the next
  int outer;  ///< lines from one vector to the next
  VectorLoad load_by = VectorLoad::none;

  /// @param thread   number of the thread among `threads` that divide X
  ROOFTILE_FUNCTION ThreadLines(const MatrixRef<const T>& operand, int thread, int threads) : X(operand) {
    const bool by_line = X.row_stride == 1 && X.col_stride != 1;  // neighbours along x are so in memory
    first = by_line ? thread * width : thread;
    inner = by_line ? 1 : threads;
    outer = threads * width;
    const Index pitch = by_line ? X.col_stride : X.row_stride, step = by_line ? 1 : X.col_stride;
    const bool is_aligned =
        reinterpret_cast<std::uintptr_t>(X.data) % (width * sizeof(T)) == 0 && pitch % width == 0;
    if (has_vectors && step == 1 && is_aligned && (!by_line || X.rows % width == 0))
      load_by = by_line ? VectorLoad::along_x : VectorLoad::along_k;
  }

  ROOFTILE_FUNCTION int line(int i) const { return first + i % width * inner + i / width * outer; }
  /// Lines outside X are replaced by its last ones: C has no such element.
  ROOFTILE_FUNCTION int line_inside(int i, int together = 1) const {
    const int last = static_cast<int>(X.rows) - together;
    return line(i) < last ? line(i) : last;
  }

  /// Reads `width` steps from k on. @tparam by  what `load_by` is
  template <VectorLoad by>
  ROOFTILE_FUNCTION void load(Sum (&values)[std::size_t{width}][std::size_t{count}], Index k) const {
    using Row = Vector<T, width>;
    if constexpr (by == VectorLoad::along_x) {
      const T* from = X.data + k * X.col_stride;
      ROOFTILE_UNROLL_ALL
      for (int s = 0; s < width; ++s) {
        ROOFTILE_UNROLL_ALL
        for (int i = 0; i < count; i += width) {
          const Row row = *reinterpret_cast<const Row*>(from + line_inside(i, width));
          ROOFTILE_UNROLL_ALL
          for (int e = 0; e < width; ++e) values[s][i + e] = X.read(row.value[e]);
        }
        from += X.col_stride;
      }
    } else {
      const T* const from = X.data + k;
      ROOFTILE_UNROLL_ALL
      for (int i = 0; i < count; ++i) {
        const Row row = *reinterpret_cast<const Row*>(from + line_inside(i) * X.row_stride);
        ROOFTILE_UNROLL_ALL
        for (int s = 0; s < width; ++s) values[s][i] = X.read(row.value[s]);
      }
    }
  }

  /// Reads step k alone.
  ROOFTILE_FUNCTION void load_step(Sum (&values)[std::size_t{count}], Index k) const {
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < count; ++i)
      values[i] = X.read(X.data[line_inside(i) * X.row_stride + k * X.col_stride]);
  }
};

/// (TM,TN) elements of C and their sums.
template <class T, int TM, int TN>
struct ThreadTile {
  using E = In<T>;
  using Sum = Scalar<T>;
  static constexpr int threads = 1, rows = TM, cols = TN;
  static constexpr int steps = ThreadLines<E, TM>::width;  ///< along K, that are read together
  static_assert(ThreadLines<E, TN>::width == steps, "A and B have as many steps");

  ThreadLines<E, TM> a_lines;
  ThreadLines<E, TN> b_lines;
  Sum sums[std::size_t{TM}][std::size_t{TN}] = {};

  /// Tile (ty,tx) of (tiles_y,tiles_x), which together cover C.
  /// @param A,B  the first operands of `add`
  ROOFTILE_FUNCTION ThreadTile(const MatrixRef<const E>& A, const MatrixRef<const E>& B, int /*lane*/, int ty,
                               int tx, int tiles_y, int tiles_x)
      : a_lines(A, ty, tiles_y), b_lines(B.transposed(), tx, tiles_x) {}

  /// Adds A·B. @pre A and B are as aligned as the first ones, and in the same order
  ROOFTILE_FUNCTION void add(const MatrixRef<const E>& A, const MatrixRef<const E>& B) {
    a_lines.X = A, b_lines.X = B.transposed();
    const bool a_by_x = a_lines.load_by == VectorLoad::along_x,
               b_by_x = b_lines.load_by == VectorLoad::along_x;
    const bool vectors = a_lines.load_by != VectorLoad::none && b_lines.load_by != VectorLoad::none;
    Index k = 0;
    if (vectors && a_by_x) {
      k = b_by_x ? add_vectors<VectorLoad::along_x, VectorLoad::along_x>()
                 : add_vectors<VectorLoad::along_x, VectorLoad::along_k>();
    } else if (vectors) {
      k = b_by_x ? add_vectors<VectorLoad::along_k, VectorLoad::along_x>()
                 : add_vectors<VectorLoad::along_k, VectorLoad::along_k>();
    }
    ROOFTILE_UNROLL(1)
    for (; k < A.cols; ++k) {
      Sum a[std::size_t{TM}], b[std::size_t{TN}];
      a_lines.load_step(a, k);
      b_lines.load_step(b, k);
      add_step(a, b);
    }
  }

  /// C = alpha·sums + beta·C.
  ROOFTILE_FUNCTION void store(const GemmArgs<T>& args) const {
    const MatrixRef<Out<T>>& C = args.C;
    constexpr int width = steps;
    using Row = Vector<Out<T>, width>;
    const bool vectors = width > 1 && b_lines.inner == 1 && C.col_stride == 1 && C.row_stride % width == 0 &&
                         b_lines.line(TN - 1) < C.cols &&
                         reinterpret_cast<std::uintptr_t>(C.data) % sizeof(Row) == 0;
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < TM; ++i) {
      if (a_lines.line(i) >= C.rows) continue;
      ROOFTILE_UNROLL_ALL
      for (int j = 0; j < TN; j += width) {
        Out<T>* const c = &C(a_lines.line(i), b_lines.line(j));
        if (vectors) {
          Row row = args.beta == Sum(0) ? Row{} : *reinterpret_cast<const Row*>(c);
          ROOFTILE_UNROLL_ALL
          for (int e = 0; e < width; ++e) update(row.value[e], args.alpha, sums[i][j + e], args.beta);
          *reinterpret_cast<Row*>(c) = row;
        } else {
          ROOFTILE_UNROLL_ALL
          for (int e = 0; e < width; ++e) {
            if (b_lines.line(j + e) < C.cols)
              update(C(a_lines.line(i), b_lines.line(j + e)), args.alpha, sums[i][j + e], args.beta);
          }
        }
      }
    }
  }

 private:
  /// Adds the products of whole vectors along K. @return how many steps these are
  template <VectorLoad by_a, VectorLoad by_b>
  ROOFTILE_FUNCTION Index add_vectors() {
    const Index whole = a_lines.X.cols / steps * steps;
    ROOFTILE_UNROLL(2)
    for (Index k = 0; k < whole; k += steps) {
      Sum a[std::size_t{steps}][std::size_t{TM}], b[std::size_t{steps}][std::size_t{TN}];
      a_lines.template load<by_a>(a, k);
      b_lines.template load<by_b>(b, k);
      ROOFTILE_UNROLL_ALL
      for (int s = 0; s < steps; ++s) add_step(a[s], b[s]);
    }
    return whole;
  }

  ROOFTILE_FUNCTION void add_step(const Sum (&a)[std::size_t{TM}], const Sum (&b)[std::size_t{TN}]) {
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < TM; ++i) {
      ROOFTILE_UNROLL_ALL
      for (int j = 0; j < TN; ++j) multiply_add(sums[i][j], a[i], b[j]);
    }
  }
};

}  // namespace rooftile::detail
