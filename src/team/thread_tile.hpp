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

/// A tile of C that one thread of a user's team computes in registers, without matrix instructions.
namespace rooftile::detail {

/// The direction of the elements that one vector load reads.
enum class VectorLoad { along_x, along_k, none };

/// The part of an operand X (X,K), A or the transpose of B, that a thread multiplies: `count` lines along K.
/// The lines are spread over all of X, so that adjacent threads read adjacent elements.
template <class T, int count>
struct ThreadLines {
  using Sum = Scalar<T>;
  static constexpr int width = std::min(count, static_cast<int>(16 / sizeof(Sum)));  ///< elements of a vector
  static constexpr bool has_vectors = width > 1;

  MatrixRef<const T> X;
  int first;  ///< line 0
  int inner;  ///< distance in lines between elements of a vector
  int outer;  ///< distance in lines between vectors
  VectorLoad load_by = VectorLoad::none;

  /// @param thread   index of the thread among the `threads` that divide X
  ROOFTILE_FUNCTION ThreadLines(const MatrixRef<const T>& operand, int thread, int threads) : X(operand) {
    const bool by_line = X.row_stride == 1 && X.col_stride != 1;  // contiguous along x
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
  /// Clamps a line to the last lines of X. Results of clamped lines are not stored: C has no element there.
  ROOFTILE_FUNCTION int line_inside(int i, int together = 1) const {
    const int last = static_cast<int>(X.rows) - together;
    return line(i) < last ? line(i) : last;
  }

  /// Loads steps k to k + `width` − 1. @tparam by  the value of `load_by`
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

  /// Loads step k with scalar loads.
  ROOFTILE_FUNCTION void load_step(Sum (&values)[std::size_t{count}], Index k) const {
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < count; ++i)
      values[i] = X.read(X.data[line_inside(i) * X.row_stride + k * X.col_stride]);
  }
};

/// A tile of (TM,TN) elements of C and their accumulators.
template <class T, int TM, int TN>
struct ThreadTile {
  using E = In<T>;
  using Sum = Scalar<T>;
  static constexpr int threads = 1, rows = TM, cols = TN;
  static constexpr int steps = ThreadLines<E, TM>::width;  ///< steps along K per vector load
  static_assert(ThreadLines<E, TN>::width == steps, "A and B have as many steps");

  ThreadLines<E, TM> a_lines;
  ThreadLines<E, TN> b_lines;
  Sum sums[std::size_t{TM}][std::size_t{TN}] = {};

  /// Constructs tile (ty,tx) of a grid of (tiles_y,tiles_x) tiles that covers C.
  /// @param A,B  operands of the first call of `add`
  ROOFTILE_FUNCTION ThreadTile(const MatrixRef<const E>& A, const MatrixRef<const E>& B, int /*lane*/, int ty,
                               int tx, int tiles_y, int tiles_x)
      : a_lines(A, ty, tiles_y), b_lines(B.transposed(), tx, tiles_x) {}

  /// Adds A·B to the accumulators. @pre A and B have the major order and alignment of the first operands
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

  /// Stores C = alpha·sums + beta·C.
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
  /// Adds the steps along K that fill whole vectors. @return the number of steps added
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
