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

/// What holds products one behind the other: a vector, an array, a span.
template <class X>
concept Group = is_product<typename X::value_type> && requires(const X& group) {
  std::span<const typename X::value_type>(group);
};

}  // namespace detail

/// A product for `gemm_grouped`, which the operands outlive.
/// @tparam Exec    what will compute it; the compiler refuses memory that this cannot reach
/// @param A,B,C    (M,K), (K,N) and (M,N), as of `gemm`, also of mixed types
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

/// Products of any shapes, layouts, alphas and betas in one call: C_i = alpha_i·A_i·B_i + beta_i·C_i, each as
/// `gemm` would compute it.
///
/// On CPUs, the threads divide the group: each computes small products, and of many those that fit its core's
/// L2, by itself, the larger ones first; what is larger, all compute together. The bits do not depend on the
/// number of threads. On GPUs small products in fp32, fp64 and complex numbers share a launch; others are
/// started one after the other. The bits are the same in every run of the same group.
///
/// Asynchronous as `gemm`, and capturable: a graph keeps the products that it was captured with.
///
/// @param exec      where to run and in which queue; Kokkos runs
/// @param products  (count), a vector, array or span on the host; read during the call only. None, and empty
///                  ones, are nothing to do. Their C must not share elements with each other, nor with any A
///                  or B: nobody checks that
/// @param options   of all of them
/// @throws Error    as `gemm`, its text after the number of the product, counted from 0; no C is written, but
///                  where a GPU has no memory for a product's workspace: those started before are computed
/// @throws std::bad_alloc  where the host has none; no C is written, if it is for a workspace
template <class Exec, detail::Group Products>
requires Kokkos::is_execution_space_v<Exec>
void gemm_grouped(const Exec& exec, const Products& products, const GemmOptions& options = default_options) {
  detail::gemm_grouped(exec, std::span<const typename Products::value_type>(products), options);
}

/// What `gemm_grouped` would do for each product, and why; nothing is run.
/// @throws Error as it would
template <class Exec, detail::Group Products>
requires Kokkos::is_execution_space_v<Exec> std::vector<GemmPlan> explain_grouped(
    const Exec& exec, const Products& products, const GemmOptions& options = default_options) {
  return detail::explain_grouped(exec, std::span<const typename Products::value_type>(products), options);
}

}  // namespace rooftile
