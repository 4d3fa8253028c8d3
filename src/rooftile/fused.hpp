// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>

#include "rooftile/detail/finish_block.hpp"
#include "rooftile/detail/for_each_product.hpp"
#include "rooftile/epilogue.hpp"
#include "rooftile/gemm_grouped.hpp"

namespace rooftile {

/// @cond
namespace portable {

// For GPUs, whose kernels this file compiles (`backends/kokkos/fused_launch.hpp`).
template <class Exec, class T, class Epilogue>
void gemm_fused(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options,
                const Epilogue& epilogue);
template <class Exec, class T>
GemmPlan explain_fused(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options);
template <class Exec, class T, class Epilogue>
void gemm_grouped_fused(const Exec& exec, std::span<const GemmArgs<T>> products, const GemmOptions& options,
                        const Epilogue& epilogue);

}  // namespace portable
/// @endcond

namespace detail {

// In the library, for the execution spaces of CPUs.
template <class Exec, class T>
void gemm_fused(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options,
                const BlockEpilogue<T>& epilogue);
template <class Exec, class T>
GemmPlan explain_fused(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options);
template <class Exec, class T>
void gemm_grouped_fused(const Exec& exec, std::span<const GemmArgs<T>> products, const GemmOptions& options,
                        const BlockEpilogue<T>& epilogue);

/// Whether an execution space computes on the host.
template <class Exec>
constexpr bool computes_on_host = std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;

/// Whether an execution space can access the memory that an epilogue reads, if the epilogue's type says where
/// it is.
template <class Exec, class Epilogue>
constexpr bool epilogue_reads = accessible_from<Exec, Epilogue>;
template <class Exec, class First, class Second>
constexpr bool epilogue_reads<Exec, epilogue::Chain<First, Second>> =
    epilogue_reads<Exec, First>&& epilogue_reads<Exec, Second>;

/// Whether an epilogue fits elements of T. The compiler reports the reason if not.
template <class Exec, class T, class Epilogue>
constexpr bool is_epilogue() {
  using V = Scalar<T>;
  constexpr bool callable = takes_value<Epilogue, V>;
  static_assert(
      callable,
      "an epilogue is const and called as f(i, j, value) or f(entry, i, j, value): entry, i and j are of "
      "rooftile::Index, value of rooftile::Scalar of C's elements");
  if constexpr (callable) {
    using Result = decltype(call_epilogue(std::declval<const Epilogue&>(), Index(), Index(), Index(), V()));
    constexpr bool storable = std::is_constructible_v<T, Result>;
    static_assert(storable, "an epilogue returns a value that converts to an element of C");
    static_assert(epilogue_reads<Exec, Epilogue>,
                  "the execution space cannot reach the memory that the epilogue reads");
    return storable && epilogue_reads<Exec, Epilogue>;
  } else {
    return false;
  }
}

/// The epilogue as CPU kernels call it. The epilogue must outlive the result.
template <class T, class Epilogue>
BlockEpilogue<T> block_epilogue(const Epilogue& epilogue) {
  return {&finish_block<T, Epilogue>, fetch_of<Epilogue>(), std::addressof(epilogue)};
}

/// Computes products whose operands are checked.
template <class Exec, class T, class Epilogue>
void start_fused(const Exec& exec, const BatchArgs<T>& args, const Epilogue& epilogue,
                 const GemmOptions& options) {
  if constexpr (computes_on_host<Exec>) {
    gemm_fused(exec, args, options, block_epilogue<T>(epilogue));
  } else {
    portable::gemm_fused(exec, args, options, epilogue);
  }
}

/// C as a batch.
template <class T>
BatchRef<T> batch_of(const BatchArgs<T>& args) {
  const auto& [count, a, b, stride, inner, outer_a, outer_b, outer_stride] = args.batch;
  return {args.first.C, stride, count, args.pointers.c, alignof(T), inner, outer_stride};
}

}  // namespace detail

/// Computes C(i,j) = epilogue(i, j, alpha·(A·B)(i,j) + beta·C(i,j)) in one pass over C.
///
/// See @ref calls for the common properties, `gemm` for the operands, and `rooftile::epilogue` for common
/// epilogues.
///
/// * The library calls the epilogue once for each element of C, in any order, from several threads at once.
///   It must not throw. It must not have side effects.
/// * The value has the type of the accumulator: float for 16-bit elements, `rooftile::complex` for complex
///   elements. The result becomes the element.
/// * The epilogue may read any memory but C, also A and B. It gets the old elements of C through `beta`.
/// * If alpha or K is 0, the value is beta·C(i,j). An empty C is not computed.
/// * GPUs: your source file compiles the kernels with the epilogue, in few tiles. These use matrix
///   instructions for the element type's own mode, or `pipelined`. Operands are not repacked.
/// * CPUs: the library's kernel `packed` runs, and your source file compiles a loop over each block of C.
///
/// @param A,B,C  (M,K), (K,N) and (M,N), of one element type
/// @param epilogue  a functor with `operator()(Index i, Index j, Scalar<T> value) const`, or with a leading
///                  entry number. On GPUs it is copied and must be device code (KOKKOS_FUNCTION,
///                  KOKKOS_LAMBDA). A member `check(C)` is called first and may throw.
/// @param options  `math` must be the element type's own mode; on GPUs, `repack` is refused
/// @throws Error  as `gemm`; also if an operand of an epilogue has the wrong extents, is null or overlaps C,
///                or the named kernel, tile or mode has no epilogues. C is untouched.
template <class Exec, class AMatrix, class BMatrix, class CMatrix, class Epilogue>
requires Kokkos::is_execution_space_v<Exec>
void gemm_fused(const Exec& exec, detail::ScalarOf<CMatrix> alpha, const AMatrix& A, const BMatrix& B,
                detail::ScalarOf<CMatrix> beta, const CMatrix& C, const Epilogue& epilogue,
                const GemmOptions& options = default_options) {
  constexpr bool matrices =
      detail::is_matrix<AMatrix>() & detail::is_matrix<BMatrix>() & detail::is_matrix<CMatrix>();
  if constexpr (matrices && detail::go_together<Exec, AMatrix, BMatrix, CMatrix, false>()) {
    using T = detail::ElementOf<CMatrix>;
    if constexpr (detail::is_epilogue<Exec, T, Epilogue>()) {
      const auto args = detail::args_of<Exec>(alpha, A, B, beta, C);
      detail::check_epilogue(epilogue, args.first.C);
      detail::start_fused(exec, args, epilogue, options);
    }
  }
}

/// Computes a batch with an epilogue: C_e(i,j) = epilogue(e, i, j, alpha·(A_e·B_e)(i,j) + beta·C_e(i,j)).
///
/// See @ref calls, `gemm_batched` for the operands, and `gemm_fused` for the rules of epilogues. Entries are
/// not merged into one product.
///
/// @param epilogue  a functor f(i, j, value), which treats all entries alike, or f(entry, i, j, value) with
///                  the number of the entry, from 0. The library's epilogues also take one operand for each
///                  entry: a View (count,M,N), (count,M) or (count,N), a BatchRef or a VectorBatch. A member
///                  `check(C)` gets C as a BatchRef if it takes one, else the MatrixRef of entry 0. Its
///                  address is not used if C has pointers.
/// @throws Error  as `gemm_batched` and `gemm_fused`. Overlap of pointer batches is not checked.
template <class Exec, class ABatch, class BBatch, class CBatch, class Epilogue>
requires Kokkos::is_execution_space_v<Exec>
void gemm_batched_fused(const Exec& exec, detail::ScalarOf<CBatch> alpha, const ABatch& A, const BBatch& B,
                        detail::ScalarOf<CBatch> beta, const CBatch& C, const Epilogue& epilogue,
                        const GemmOptions& options = default_options) {
  constexpr bool batches =
      detail::is_batch<ABatch, true>() & detail::is_batch<BBatch, true>() & detail::is_batch<CBatch, false>();
  if constexpr (batches && detail::go_together<Exec, ABatch, BBatch, CBatch, false>()) {
    using T = detail::ElementOf<CBatch>;
    if constexpr (detail::is_epilogue<Exec, T, Epilogue>()) {
      const auto args = detail::args_of<Exec>(alpha, A, B, beta, C);
      detail::check_epilogue(epilogue, detail::batch_of(args));
      detail::start_fused(exec, args, epilogue, options);
    }
  }
}

/// Computes a group of products with an epilogue. The entry number is the number of the product in the group.
///
/// See @ref calls, `gemm_grouped` for groups and `gemm_fused` for the rules of epilogues. On GPUs, each
/// product has a launch of its own.
///
/// @param products  (count), with A, B and C of one element type
/// @param epilogue  see `gemm_batched_fused`. A member `check(entry, C)` or `check(C)` gets each C as a
///                  MatrixRef. Epilogues with one operand for each entry need C of one shape.
/// @throws Error  as `gemm_grouped` and `gemm_fused`, with the number of the product
template <class Exec, detail::Group Products, class Epilogue>
requires Kokkos::is_execution_space_v<Exec>
void gemm_grouped_fused(const Exec& exec, const Products& products, const Epilogue& epilogue,
                        const GemmOptions& options = default_options) {
  using T = detail::ElementOf<decltype(Products::value_type::C)>;
  constexpr bool one_type = std::is_same_v<typename Products::value_type, GemmArgs<T>>;
  static_assert(one_type, "A, B and C of a product with an epilogue have one element type");
  if constexpr (one_type && detail::is_epilogue<Exec, T, Epilogue>()) {
    const std::span<const GemmArgs<T>> all(products);
    detail::for_each_product(all.size(), [&](std::size_t i) {
      detail::check_epilogue(epilogue, static_cast<Index>(i), all[i].C);
    });
    if constexpr (detail::computes_on_host<Exec>) {
      detail::gemm_grouped_fused(exec, all, options, detail::block_epilogue<T>(epilogue));
    } else {
      portable::gemm_grouped_fused(exec, all, options, epilogue);
    }
  }
}

/// Returns the plan that `gemm_fused`, or `gemm_batched_fused` for batches, would execute, and why. Runs
/// nothing.
///
/// On GPUs, the plan names a kernel that is compiled with the epilogue. No function runs the plan.
/// @throws Error  if the call itself would be refused
template <class Exec, class AOperand, class BOperand, class COperand, class Epilogue>
requires Kokkos::is_execution_space_v<Exec> GemmPlan
explain_fused(const Exec& exec, detail::ScalarOf<COperand> alpha, const AOperand& A, const BOperand& B,
              detail::ScalarOf<COperand> beta, const COperand& C, const Epilogue& epilogue,
              const GemmOptions& options = default_options) {
  const auto args = detail::args_of<Exec>(alpha, A, B, beta, C);
  if constexpr (detail::MatrixOperand<COperand>) {
    detail::check_epilogue(epilogue, args.first.C);
  } else {
    detail::check_epilogue(epilogue, detail::batch_of(args));
  }
  if constexpr (detail::computes_on_host<Exec>) {
    return detail::explain_fused(exec, args, options);
  } else {
    return portable::explain_fused(exec, args, options);
  }
}

}  // namespace rooftile

#include "rooftile/fused_kernels.hpp"  // of the backends found: on GPUs, the kernels
