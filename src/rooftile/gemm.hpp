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
void gemm(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options);
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

/// An operand of `count` products: a View, mdspan or BatchRef of as many matrices, or one that all share.
template <class X>
constexpr auto batch_operand(const X& x, Index count) {
  if constexpr (requires { batch_ref(x); }) {
    return batch_ref(x);
  } else {
    return BatchRef<std::remove_reference_t<decltype(*matrix_ref(x).data)>>{matrix_ref(x), 0, count};
  }
}

template <class X>
using MaybeConstElementOf =
    std::remove_reference_t<decltype(*batch_operand(std::declval<const X&>(), 0).first.data)>;
template <class X>
using ElementOf = std::remove_const_t<MaybeConstElementOf<X>>;

/// What is asked of the operands' types.
template <class Exec, class AMatrix, class BMatrix, class CMatrix>
constexpr void require_operands() {
  static_assert(
      accessible_from<Exec, AMatrix> && accessible_from<Exec, BMatrix> && accessible_from<Exec, CMatrix>,
      "the execution space cannot reach the memory of A, B or C");
  static_assert(!std::is_const_v<MaybeConstElementOf<CMatrix>>, "C is written to");
  using T = ElementOf<CMatrix>;
  static_assert(Element<T>, "gemm takes float, double, float16 and bfloat16");
  static_assert(std::is_same_v<ElementOf<AMatrix>, T> && std::is_same_v<ElementOf<BMatrix>, T>,
                "A, B and C have one element type");
}

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
  detail::require_operands<Exec, AMatrix, BMatrix, CMatrix>();
  using T = detail::ElementOf<CMatrix>;
  detail::gemm(exec, BatchArgs<T>{{alpha, matrix_ref(A), matrix_ref(B), beta, matrix_ref(C)}, {}}, options);
}

/// The same on the backend that the library was configured for (ROOFTILE_BACKEND).
template <class AMatrix, class BMatrix, class CMatrix>
void gemm(Scalar<detail::ElementOf<CMatrix>> alpha, const AMatrix& A, const BMatrix& B,
          Scalar<detail::ElementOf<CMatrix>> beta, const CMatrix& C, const GemmOptions& options = {}) {
  gemm(DefaultExecutionSpace(), alpha, A, B, beta, C, options);
}

/// The same for several products in one call: C_i = alpha·A_i·B_i + beta·C_i.
///
/// @param A,B,C    (count,M,K), (count,K,N) and (count,M,N): Kokkos Views or mdspans of rank 3, or BatchRefs;
///                 A or B may also be a matrix, which all products then share. A transposed operand is
///                 `batch_ref(X).transposed()`. No products do nothing.
/// @throws Error   as `gemm`, and where the numbers of products differ, products share elements of C, or one
///                 writes to what another reads
template <class Exec, class ABatch, class BBatch, class CBatch>
requires Kokkos::is_execution_space_v<Exec>
void gemm_strided_batched(const Exec& exec, Scalar<detail::ElementOf<CBatch>> alpha, const ABatch& A,
                          const BBatch& B, Scalar<detail::ElementOf<CBatch>> beta, const CBatch& C,
                          const GemmOptions& options = {}) {
  detail::require_operands<Exec, ABatch, BBatch, CBatch>();
  using T = detail::ElementOf<CBatch>;
  const auto c = batch_ref(C);
  const auto a = detail::batch_operand(A, c.count), b = detail::batch_operand(B, c.count);
  if (a.count != c.count || b.count != c.count) {
    throw Error(detail::text("numbers of products differ (A ", a.count, ", B ", b.count, ", C ", c.count,
                             "): give as many matrices of each, or one A or B as a matrix"));
  }
  detail::gemm(
      exec, BatchArgs<T>{{alpha, a.first, b.first, beta, c.first}, {c.count, a.stride, b.stride, c.stride}},
      options);
}

/// The same, the operands of the first product and, as in cuBLAS and rocBLAS, the elements from those of a
/// product to those of the next; with stride 0 all products share an A or a B. Negative counts are refused.
template <class Exec, class AMatrix, class BMatrix, class CMatrix>
requires Kokkos::is_execution_space_v<Exec>
void gemm_strided_batched(const Exec& exec, Scalar<detail::ElementOf<CMatrix>> alpha, const AMatrix& A,
                          Index stride_a, const BMatrix& B, Index stride_b,
                          Scalar<detail::ElementOf<CMatrix>> beta, const CMatrix& C, Index stride_c,
                          Index count, const GemmOptions& options = {}) {
  detail::require_operands<Exec, AMatrix, BMatrix, CMatrix>();
  using T = detail::ElementOf<CMatrix>;
  detail::gemm(exec,
               BatchArgs<T>{{alpha, matrix_ref(A), matrix_ref(B), beta, matrix_ref(C)},
                            {count, stride_a, stride_b, stride_c}},
               options);
}

/// The kernel that `gemm` would run for a product of T, or a batch of `count` ones, and why, for operands
/// that are row-major, rows one behind the other; nothing is run.
/// @throws Error as `gemm` would for `options`
template <class T, class Exec>
Choice explain(const Exec& exec, const GemmShape& shape, const GemmOptions& options = {}, Index count = 1) {
  return choose(shape, options, detail::portable_target(exec, own_math<T>()), count,
                detail::vector_copies(shape, sizeof(T)));
}

}  // namespace rooftile
