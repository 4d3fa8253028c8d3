// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "rooftile/gemm.hpp"

namespace rooftile {

namespace detail {

// In the library, as those of gemm.hpp.
template <class Exec, class T>
void gemm_grouped(const Exec& exec, std::span<const GemmArgs<T>> products, const GemmOptions& options);
template <class Exec, class T>
std::vector<GemmPlan> explain_grouped(const Exec& exec, std::span<const GemmArgs<T>> products,
                                      const GemmOptions& options);

template <class X>
constexpr bool is_product = false;
template <class T>
constexpr bool is_product<GemmArgs<T>> = HasProducts<In<T>, Out<T>>;

/// A contiguous container of products: a vector, an array or a span.
template <class X>
concept Group = is_product<typename X::value_type> && requires(const X& group) {
  std::span<const typename X::value_type>(group);
};

}  // namespace detail

/// Makes one product of a group for `gemm_grouped`. The result refers to the operands and must not outlive
/// them.
///
/// @tparam Exec  the execution space that will compute it; the compiler rejects memory that it cannot access
/// @param A,B,C  (M,K), (K,N) and (M,N), as for `gemm`, also of mixed types
/// @return the product, with MatrixRefs
template <class Exec = DefaultExecutionSpace, class AMatrix, class BMatrix, class CMatrix>
GemmArgs<detail::ProductOfOperands<AMatrix, CMatrix>> gemm_args(detail::ScalarOf<CMatrix> alpha,
                                                                const AMatrix& A, const BMatrix& B,
                                                                detail::ScalarOf<CMatrix> beta,
                                                                const CMatrix& C) {
  constexpr bool matrices =
      detail::is_matrix<AMatrix>() & detail::is_matrix<BMatrix>() & detail::is_matrix<CMatrix>();
  if constexpr (matrices && detail::go_together<Exec, AMatrix, BMatrix, CMatrix>()) {
    return {alpha, matrix_ref(A), matrix_ref(B), beta, matrix_ref(C)};
  } else {
    __builtin_unreachable();  // it does not compile; the reason stands alone
  }
}

/// Computes products of any shapes, layouts and scalars in one call: C_i = alpha_i·A_i·B_i + beta_i·C_i.
///
/// See @ref calls for the common properties. Every run of one group gives equal bits.
///
/// * CPUs: the threads divide the group, larger products first. Each thread computes small products alone. If
///   there are many products, a thread also computes alone those that fit its L2 cache. All threads compute
///   larger products together.
/// * GPUs: small products of float, double and complex share launches. Others have launches of their own. A
///   captured graph keeps the products of the group.
///
/// @param exec  the instance that computes
/// @param products  (count): a vector, array or span on the host, which is read before the call returns.
///                  Empty groups and products are allowed.
/// @param options  for all products
/// @pre each C shares no elements with any other operand of the group. The library checks it only within a
///      product.
/// @throws Error  as `gemm`, with the number of the product, counted from 0. No C is written. If a GPU has no
///                memory for a workspace, earlier products of the group may be computed.
/// @throws std::bad_alloc  if the host has no memory; no C is written if it was for a workspace
template <class Exec, detail::Group Products>
requires Kokkos::is_execution_space_v<Exec>
void gemm_grouped(const Exec& exec, const Products& products, const GemmOptions& options = default_options) {
  detail::gemm_grouped(exec, std::span<const typename Products::value_type>(products), options);
}

/// Returns the plans that `gemm_grouped` would execute, one for each product, and why. Runs nothing.
/// @throws Error  as `gemm_grouped`
template <class Exec, detail::Group Products>
requires Kokkos::is_execution_space_v<Exec> std::vector<GemmPlan> explain_grouped(
    const Exec& exec, const Products& products, const GemmOptions& options = default_options) {
  return detail::explain_grouped(exec, std::span<const typename Products::value_type>(products), options);
}

}  // namespace rooftile
