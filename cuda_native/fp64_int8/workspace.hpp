// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cuda_native/workspace.hpp"
#include "numerics/guard.hpp"
#include "numerics/parts.hpp"
#include "plan/residue_chunks.hpp"
#include "rooftile/problem.hpp"

/// What fp64 from products of int8 keeps in device memory.
namespace rooftile::cuda_native::residues {

using namespace rooftile::residues;
using detail::ResidueChunks;

/// Planes of residues (rows,columns), one for each product modulo each number.
struct Planes {
  std::int8_t* data;
  Index rows, ld;  ///< bytes between rows, a multiple of what TMA's boxes are wide

  static constexpr Index line = 128;
  ROOFTILE_FUNCTION Index apart() const { return rows * ld; }
  static Index ld_of(Index columns) { return (columns + line - 1) / line * line; }
  /// The same memory for a chunk.
  Planes with(Index other_rows, Index columns) const { return {data, other_rows, ld_of(columns)}; }
};

/// What the guard has seen of A and of B. Zeros before it has.
struct Seen {
  unsigned long long squared[2];  ///< the bits of `Spread::squared`, which order as the numbers do
  unsigned not_finite[2];         ///< rows that are not
  unsigned blocks;                ///< that have seen their rows
  int moduli;                     ///< what came of it
};
static_assert(sizeof(Seen) <= ResidueChunks::seen_bytes);

/// Finds how many moduli a product takes, without the host.
struct Guard {
  Seen* seen;
  Index k;          ///< real numbers in a row of A
  int named;        ///< 0: as many as the guard finds
  unsigned blocks;  ///< that see rows of A or of B

  /// Where all have seen theirs: 0 for fp64 itself.
  __device__ int moduli() const { return seen->moduli; }

  __device__ void see(const Spread& of_row, int of_b) const {
    if (!of_row.finite) atomicAdd(&seen->not_finite[of_b], 1u);
    atomicMax(&seen->squared[of_b], static_cast<unsigned long long>(__double_as_longlong(of_row.squared)));
  }
  /// Called by a thread of each block behind all that its threads saw.
  __device__ void finish_block() const {
    __threadfence();
    if (atomicAdd(&seen->blocks, 1u) + 1 < blocks) return;
    __threadfence();
    const auto spread = [&](int of_b) {
      return Spread{__longlong_as_double(static_cast<long long>(__ldcg(&seen->squared[of_b]))),
                    __ldcg(&seen->not_finite[of_b]) == 0};
    };
    const Spread a = spread(0), b = spread(1);
    const bool finite = a.finite && b.finite;
    seen->moduli = named == 0 ? moduli_for(a, b, k) : finite ? named : 0;
  }
};

/// An operand, A as (M,K) or B as (N,K), and what becomes of it.
template <class T>
struct Operand {
  MatrixRef<const T> X;
  const T* const* pointer;  ///< to where it lies, if nobody knows on the host; else null
  RowScale* scales;         ///< of each row
  int* exponents;           ///< by which its rows were scaled
  Planes planes;            ///< of a chunk of rows

  __device__ MatrixRef<const T> matrix() const { return pointer == nullptr ? X : X.at(*pointer); }
};

/// A product's parts of a workspace.
template <class T>
class Parts : public detail::WorkspaceParts {
 public:
  /// @param product  one
  Parts(void* memory, const BatchArgs<T>& product, const ResidueChunks& chunks) {
    hold(memory);
    seen = take<Seen>(chunks.seen_bytes);
    a = operand(product.first.A, product.pointers.a, chunks, chunks.rows);
    b = operand(product.first.B.transposed(), product.pointers.b, chunks, chunks.columns);
    result = planes(chunks, chunks.rows, chunks.columns);
  }

  Seen* seen;
  Operand<T> a, b;
  Planes result;

 private:
  Operand<T> operand(const MatrixRef<const T>& X, const T* const* pointer, const ResidueChunks& chunks,
                     Index rows) {
    return {X, pointer, each<RowScale>(X.rows), each<int>(X.rows), planes(chunks, rows, X.cols)};
  }
  template <class E>
  E* each(Index count) {
    return take<E>(static_cast<std::size_t>(count) * sizeof(E));
  }
  Planes planes(const ResidueChunks& chunks, Index rows, Index columns) {
    return {take<std::int8_t>(chunks.plane_bytes(rows, columns)), rows, Planes::ld_of(columns)};
  }
};

}  // namespace rooftile::cuda_native::residues
