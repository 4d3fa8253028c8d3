// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cuda_native/workspace.hpp"
#include "numerics/guard.hpp"
#include "numerics/parts.hpp"
#include "plan/residue_chunks.hpp"
#include "rooftile/problem.hpp"

/// Device memory of fp64 from int8 products.
namespace rooftile::cuda_native::residues {

using namespace rooftile::residues;
using detail::ResidueChunks;

/// Planes of residues (rows,columns), one per product and modulus.
struct Planes {
  std::int8_t* data;
  Index rows, ld;  ///< ld: bytes from row to row, a multiple of the width of TMA's boxes

  static constexpr Index line = 128;
  ROOFTILE_FUNCTION Index apart() const { return rows * ld; }
  static Index ld_of(Index columns) { return (columns + line - 1) / line * line; }
  /// Returns planes of a chunk in the same memory.
  Planes with(Index other_rows, Index columns) const { return {data, other_rows, ld_of(columns)}; }
};

/// The guard's findings for A and B. All fields are 0 at first.
struct Seen {
  unsigned long long squared[2];  ///< the bits of `Spread::squared`, which order like the numbers
  unsigned not_finite[2];         ///< number of rows with elements that are not finite
  unsigned blocks;                ///< number of blocks that have finished
  int moduli;                     ///< number of moduli; 0: compute in fp64
};
static_assert(sizeof(Seen) <= ResidueChunks::seen_bytes);

/// Determines the number of moduli of a product on the device, without the host.
struct Guard {
  Seen* seen;
  Index k;          ///< real numbers in a row of A
  int named;        ///< number of moduli; 0: the guard decides
  unsigned blocks;  ///< number of blocks that read rows of A or B

  /// Returns the number of moduli; 0: compute in fp64. @pre all blocks have called `finish_block`
  __device__ int moduli() const { return seen->moduli; }

  __device__ void see(const Spread& of_row, int of_b) const {
    if (!of_row.finite) atomicAdd(&seen->not_finite[of_b], 1u);
    atomicMax(&seen->squared[of_b], static_cast<unsigned long long>(__double_as_longlong(of_row.squared)));
  }
  /// Call it from one thread of each block, after all calls of `see` of the block.
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

/// An operand, A as (M,K) or B as (N,K), and its residues.
template <class T>
struct Operand {
  MatrixRef<const T> X;
  const T* const* pointer;  ///< address of the pointer to X, if only the device knows it; else null
  RowScale* scales;         ///< of each row
  int* exponents;           ///< e of each row, which is scaled by 2^e
  Planes planes;            ///< of a chunk of rows

  __device__ MatrixRef<const T> matrix() const { return pointer == nullptr ? X : X.at(*pointer); }
};

/// The parts of the workspace of a product.
template <class T>
class Parts : public detail::WorkspaceParts {
 public:
  /// @param product  a single product
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
