// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <type_traits>

#include "plan/cpu_plan.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/tile.hpp"

/// What a CPU does with blocks of A and B. Declared apart from its code, which knows nothing of Kokkos:
/// only the host's compiler, at the width of the host's vectors, ever sees that.
namespace rooftile::portable {

/// Whether elements become others where they are packed and summed: those of 16 bits, floats, and those of
/// mixed types, C's.
template <class E>
concept Converted = !std::is_same_v<In<E>, Scalar<E>>;
/// Whether sums become others where they are stored: of 16 bits.
template <class E>
concept Rounded = !std::is_same_v<Out<E>, Scalar<E>>;
/// Whether C takes the sums of converted elements as they are.
template <class E>
concept Widened = Converted<E> && !Rounded<E>;
template <class E>
concept ComplexElement = detail::is_complex<E>;

/// MR rows of A, or NR columns of B, along K: element (i,k) is `data[i * stride + k * step]`.
template <class T>
struct Micropanel {
  const T* data = nullptr;
  Index stride = 0;
  Index step = 0;
};

/// The rows of A, or the columns of B, of a block, MR or NR at a time: packed one micropanel behind the
/// other, or where they are.
template <class T>
struct Micropanels {
  Micropanel<T> first;
  Index next = 0;           ///< elements from a micropanel to the next
  bool packed = false;      ///< whether the last one is filled up with zeros
  bool conjugated = false;  ///< whether complex numbers are read as their conjugates

  Micropanel<T> operator[](Index s) const { return {first.data + s * next, first.stride, first.step}; }
};

/// The name of the set of instructions that is taken, as ROOFTILE_ISA has it.
std::string_view instruction_set();

/// Blocks of real numbers for this CPU's caches: bm,bn,bk = MC,NC,KC and tm,tn = MR,NR.
template <class T>
TileShape cache_blocks();

/// The blocks of real numbers that products of T are computed in: those of the numbers that are summed.
template <class T>
TileShape real_blocks() {
  return multiplies_fp64(mode_of(own_mode<T>()).accumulator) ? cache_blocks<double>() : cache_blocks<float>();
}

/// Those of T, from the blocks of its parts.
template <class T>
constexpr TileShape blocks_of(TileShape real) {
  return detail::cpu_blocks(detail::is_complex<T>, real);
}

using detail::skinny_m_stride, detail::max_dots, detail::pack_slack;

/// Copies micropanels `from` to `to` of all rows of X (rows,kc) into memory: (micropanels,kc,width), with
/// zeros where the last one has no rows. @tparam T  they are summed in @param width  MR for A, NR for B
template <class E, class T>
void pack(const MatrixRef<const E>& X, int width, Index from, Index to, T* memory);

/// Copies X, with any strides, to memory, row by row.
/// @param ld  elements from a row to the next
template <class E>
void copy_by_rows(const MatrixRef<const E>& X, Scalar<E>* memory, Index ld);

/// The same of complex numbers, as they lie.
template <ComplexElement T>
void copy_by_rows(const MatrixRef<const T>& X, Scalar<T>* memory, Index ld);

/// C = alpha·sums + beta·C, rounded once.
/// @param sums  of C's rows, (rows,ld)
template <Rounded E>
void update_by_rows(const MatrixRef<E>& C, float alpha, const float* sums, Index ld, float beta);

/// C (mc,nc) = alpha · A (mc,kc) · B (kc,nc) + beta·C: the two loops round the micro-kernel.
template <class T>
void multiply_block(const Micropanels<T>& A, const Micropanels<T>& B, Index kc, const MatrixRef<T>& C,
                    T alpha, T beta);

/// The same of complex numbers.
template <ComplexElement T>
void multiply_block(const Micropanels<T>& A, const Micropanels<T>& B, Index kc, const MatrixRef<T>& C,
                    T alpha, T beta);

/// Products `begin` to `end` of a batch, A and B as they are. @pre B.col_stride == 1, or B has one column
template <class T>
void multiply_unpacked(const BatchArgs<T>& batch, Index begin, Index end);
template <ComplexElement T>
void multiply_unpacked(const BatchArgs<T>& batch, Index begin, Index end);

/// The rows that a thread gets of them are a multiple of this, as far as there are so many: which ones
/// `multiply_dots` takes together, and so in which order it sums, does not depend on the number of threads.
inline constexpr Index rows_of_dots = 16;

/// C = alpha·A·B + beta·C as dot products. @pre A.col_stride == 1, C.cols <= max_dots(NR), K is at least a
/// vector
template <class T>
void multiply_dots(const GemmArgs<T>& args);

/// C = alpha·A·B + beta·C, `columns` of B at a time, row by row as they lie. @param sums  of (A.rows,stride)
/// @pre B.col_stride == 1, and B's rows may be read from a vector before their end on
template <class T>
void multiply_skinny_m(const GemmArgs<T>& args, Index columns, T* sums);

}  // namespace rooftile::portable
