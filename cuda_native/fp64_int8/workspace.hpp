// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cuda_native/workspace.hpp"
#include "rooftile/device/residues/guard.hpp"
#include "rooftile/problem.hpp"

/// What fp64 from products of int8 keeps in device memory.
namespace rooftile::cuda_native::residues {

using namespace rooftile::residues;

/// Planes of residues (rows,columns), one for each modulus.
struct Planes {
  std::int8_t* data;
  Index rows, ld;  ///< bytes between rows, a multiple of what TMA's boxes are wide

  static constexpr Index line = 128;
  ROOFTILE_FUNCTION Index apart() const { return rows * ld; }
  static Index ld_of(Index columns) { return (columns + line - 1) / line * line; }
};

/// What the guard has seen, of A and of B: the bits of `Spread::squared`, which order as the numbers do, and
/// how many elements' rows are not finite.
struct Seen {
  unsigned long long squared[2];
  unsigned not_finite;
  int moduli;  ///< what came of it, for the host
};

/// How many moduli a product takes. Each kernel asks for itself, so that the host need not wait.
struct Guard {
  const Seen* seen;
  Index k;
  int named;  ///< 0: as many as the guard finds

  __device__ int moduli() const {
    if (named > 0) return seen->not_finite == 0 ? named : 0;
    const bool finite = seen->not_finite == 0;
    return moduli_for({__longlong_as_double(static_cast<long long>(seen->squared[0])), finite},
                      {__longlong_as_double(static_cast<long long>(seen->squared[1])), finite}, k);
  }
};

/// An operand, A as (M,K) or B as (N,K), and what becomes of it.
struct Operand {
  MatrixRef<const double> X;
  RowScale* scales;  ///< of each row
  int* exponents;    ///< by which its rows were scaled
  Planes planes;
};

/// A product's parts of a workspace.
class Parts : public detail::WorkspaceParts {
 public:
  static std::size_t bytes(const GemmShape& shape) {
    const auto operand = [&](Index rows) {
      return of<RowScale>(rows) + of<int>(rows) + of<std::int8_t>(plane_bytes(rows, shape.k));
    };
    return of<Seen>(1) + operand(shape.m) + operand(shape.n) + of<std::int8_t>(plane_bytes(shape.m, shape.n));
  }

  Parts(void* memory, const GemmArgs<double>& args) {
    hold(memory);
    const auto [m, n, k] = args.shape();
    seen = part<Seen>(1);
    a = {args.A, part<RowScale>(m), part<int>(m), planes(m, k)};
    b = {args.B.transposed(), part<RowScale>(n), part<int>(n), planes(n, k)};
    result = planes(m, n);
  }

  Seen* seen;
  Operand a, b;
  Planes result;

 private:
  template <class T>
  static std::size_t of(Index count) {
    return rounded(static_cast<std::size_t>(count) * sizeof(T));
  }
  template <class T>
  T* part(Index count) {
    return take<T>(static_cast<std::size_t>(count) * sizeof(T));
  }
  static Index plane_bytes(Index rows, Index columns) { return max_moduli * rows * Planes::ld_of(columns); }
  Planes planes(Index rows, Index columns) {
    return {part<std::int8_t>(plane_bytes(rows, columns)), rows, Planes::ld_of(columns)};
  }
};

}  // namespace rooftile::cuda_native::residues
