// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <Kokkos_Core.hpp>

#include "rooftile/choose.hpp"
#include "rooftile/config.hpp"
#include "rooftile/matrix.hpp"
#include "rooftile/options.hpp"

namespace rooftile {

namespace detail {

// In the library, for the execution spaces of the Kokkos it was built with, and every element type.
template <class Exec, class T>
void gemm(const Exec& exec, const GemmArgs<T>& args, const GemmOptions& options);
template <class Exec>
Target portable_target(const Exec& exec, Math math);

/// Kokkos Views say where they live; MatrixRef and mdspan do not.
template <class Exec, class X>
constexpr bool accessible_from = true;
template <class Exec, class X>
requires requires {
  typename X::memory_space;
}
constexpr bool accessible_from<Exec, X> =
    Kokkos::SpaceAccessibility<Exec, typename X::memory_space>::accessible;

template <class X>
using MaybeConstElementOf = std::remove_reference_t<decltype(*matrix_ref(std::declval<X>()).data)>;
template <class X>
using ElementOf = std::remove_const_t<MaybeConstElementOf<X>>;

}  // namespace detail

/// C = alpha·A·B + beta·C, as BLAS' gemm, on an execution space instance: asynchronous, without a fence or an
/// allocation. `beta == 0` overwrites C, NaN included; `alpha == 0` reads neither A nor B.
///
/// @param exec     where to run and in which queue; initialised Kokkos
/// @param A,B,C    (M,K), (K,N) and (M,N): Kokkos Views of any strided layout, mdspans or MatrixRefs of
///                 float, double, float16 or bfloat16, readable by `exec`; alpha and beta are Scalar of that.
///                 A transposed operand is `matrix_ref(X).transposed()`.
/// @param options  kernel, tile and math mode; by default the library chooses, and `explain` tells what
/// @throws Error   where the shapes do not conform, sizes are negative or overflow, data is null, C overlaps
/// A or B or
///                 itself, or `options` names what cannot compute this product; C is untouched then
template <class Exec, class AMatrix, class BMatrix, class CMatrix>
requires Kokkos::is_execution_space_v<Exec>
void gemm(const Exec& exec, Scalar<detail::ElementOf<CMatrix>> alpha, const AMatrix& A, const BMatrix& B,
          Scalar<detail::ElementOf<CMatrix>> beta, const CMatrix& C, const GemmOptions& options = {}) {
  static_assert(detail::accessible_from<Exec, AMatrix> && detail::accessible_from<Exec, BMatrix> &&
                    detail::accessible_from<Exec, CMatrix>,
                "the execution space cannot reach the memory of A, B or C");
  static_assert(!std::is_const_v<detail::MaybeConstElementOf<CMatrix>>, "C is written to");
  using T = detail::ElementOf<CMatrix>;
  static_assert(Element<T>, "gemm takes float, double, float16 and bfloat16");
  static_assert(
      std::is_same_v<detail::ElementOf<AMatrix>, T> && std::is_same_v<detail::ElementOf<BMatrix>, T>,
      "A, B and C have one element type");
  detail::gemm(exec, GemmArgs<T>{alpha, matrix_ref(A), matrix_ref(B), beta, matrix_ref(C)}, options);
}

/// The same on the backend that the library was configured for (ROOFTILE_BACKEND).
template <class AMatrix, class BMatrix, class CMatrix>
void gemm(Scalar<detail::ElementOf<CMatrix>> alpha, const AMatrix& A, const BMatrix& B,
          Scalar<detail::ElementOf<CMatrix>> beta, const CMatrix& C, const GemmOptions& options = {}) {
  gemm(DefaultExecutionSpace(), alpha, A, B, beta, C, options);
}

/// The kernel that `gemm` would run for a product of T, and why; nothing is run.
/// @throws Error as `gemm` would for `options`
template <class T, class Exec>
Choice explain(const Exec& exec, const GemmShape& shape, const GemmOptions& options = {}) {
  return choose(shape, options, detail::portable_target(exec, own_math<T>()));
}

}  // namespace rooftile
