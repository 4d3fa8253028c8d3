// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <type_traits>

#include "plan/cpu_plan.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/tile.hpp"

/// Operations on blocks of A and B on a CPU. Only declarations are here: the definitions do not depend on
/// Kokkos, and only the host compiler compiles them, for the vector width of the host.
namespace rooftile::portable {

/// Whether packing converts the elements of A and B to the accumulator type: 16-bit elements to float, and
/// elements of mixed types to the type of C.
template <class E>
concept Converted = !std::is_same_v<In<E>, Scalar<E>>;
/// Whether sums are rounded when they are stored to C, which has 16-bit elements.
template <class E>
concept Rounded = !std::is_same_v<Out<E>, Scalar<E>>;
/// Whether elements are converted, and C stores the sums without rounding.
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

/// The rows of A, or the columns of B, of a block, in micropanels of MR rows or NR columns. The micropanels
/// are packed one after another, or are read in place.
template <class T>
struct Micropanels {
  Micropanel<T> first;
  Index next = 0;           ///< elements from one micropanel to the next
  bool packed = false;      ///< whether packed; the last micropanel is then padded with zeros
  bool conjugated = false;  ///< whether complex numbers are read as their conjugates

  Micropanel<T> operator[](Index s) const { return {first.data + s * next, first.stride, first.step}; }
};

/// The name of the instruction set in use. The environment variable ROOFTILE_ISA can select it.
std::string_view instruction_set();

/// Block sizes of real numbers for the caches of this CPU: bm,bn,bk = MC,NC,KC and tm,tn = MR,NR.
template <class T>
TileShape cache_blocks();

/// The block sizes of the real type in which products of T are accumulated.
template <class T>
TileShape real_blocks() {
  return multiplies_fp64(mode_of(own_mode<T>()).accumulator) ? cache_blocks<double>() : cache_blocks<float>();
}

/// The block sizes of T, given those of its real type.
template <class T>
constexpr TileShape blocks_of(TileShape real) {
  return detail::cpu_blocks(detail::is_complex<T>, real);
}

using detail::skinny_m_stride, detail::max_dots, detail::pack_slack;

/// Packs micropanels `from` to `to` of all rows of X (rows,kc) into memory, as (micropanels,kc,width).
/// Missing rows of the last micropanel are zeros.
/// @tparam T  type of the accumulator
/// @param width  MR for A, NR for B
template <class E, class T>
void pack(const MatrixRef<const E>& X, int width, Index from, Index to, T* memory);

/// Copies X, with any strides, to memory in row-major order.
/// @param ld  elements from one row to the next
template <class E>
void copy_by_rows(const MatrixRef<const E>& X, Scalar<E>* memory, Index ld);

/// Copies complex numbers to memory in row-major order, without conjugation.
template <ComplexElement T>
void copy_by_rows(const MatrixRef<const T>& X, Scalar<T>* memory, Index ld);

/// C = alpha·sums + beta·C, rounded once.
/// @param sums  (rows,ld), for the rows of C
template <Rounded E>
void update_by_rows(const MatrixRef<E>& C, float alpha, const float* sums, Index ld, float beta);

/// C (mc,nc) = alpha · A (mc,kc) · B (kc,nc) + beta·C: the two loops around the micro-kernel.
template <class T>
void multiply_block(const Micropanels<T>& A, const Micropanels<T>& B, Index kc, const MatrixRef<T>& C,
                    T alpha, T beta);

/// The overload for complex numbers.
template <ComplexElement T>
void multiply_block(const Micropanels<T>& A, const Micropanels<T>& B, Index kc, const MatrixRef<T>& C,
                    T alpha, T beta);

/// Computes products `begin` to `end` of a batch, and reads A and B in place.
/// @pre B.col_stride == 1, or B has one column
template <class T>
void multiply_unpacked(const BatchArgs<T>& batch, Index begin, Index end);
template <ComplexElement T>
void multiply_unpacked(const BatchArgs<T>& batch, Index begin, Index end);

/// Each thread gets a multiple of this number of rows, if there are enough rows. Which rows `multiply_dots`
/// computes together, and the order of its sums, then do not depend on the number of threads.
inline constexpr Index rows_of_dots = 16;

/// C = alpha·A·B + beta·C as dot products.
/// @pre A.col_stride == 1, C.cols <= max_dots(NR), and K is at least the length of a vector
template <class T>
void multiply_dots(const GemmArgs<T>& args);

/// C = alpha·A·B + beta·C. Reads `columns` columns of B at a time, row by row, in place.
/// @param sums  workspace of (A.rows,stride)
/// @pre B.col_stride == 1, and a vector that ends at the end of a row of B is readable
template <class T>
void multiply_skinny_m(const GemmArgs<T>& args, Index columns, T* sums);

}  // namespace rooftile::portable
