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

/// Whether an execution space is one of CPUs.
template <class Exec>
constexpr bool computes_on_host = std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;

/// Whether the execution space reaches what an epilogue reads, as far as that says where it lies.
template <class Exec, class Epilogue>
constexpr bool epilogue_reads = accessible_from<Exec, Epilogue>;
template <class Exec, class First, class Second>
constexpr bool epilogue_reads<Exec, epilogue::Chain<First, Second>> =
    epilogue_reads<Exec, First>&& epilogue_reads<Exec, Second>;

/// Whether an epilogue goes with elements of T; the compiler says why not.
template <class Exec, class T, class Epilogue>
constexpr bool is_epilogue() {
  using V = Scalar<T>;
  constexpr bool callable = takes_value<Epilogue, V>;
  static_assert(
      callable,
      "an epilogue is called as f(i, j, value), and may not change: i and j are of rooftile::Index, value of "
      "rooftile::Scalar of C's elements; or as f(entry, i, j, value), entry of rooftile::Index");
  if constexpr (callable) {
    using Result = decltype(call_epilogue(std::declval<const Epilogue&>(), Index(), Index(), Index(), V()));
    constexpr bool storable = std::is_constructible_v<T, Result>;
    static_assert(storable, "an epilogue returns what an element of C can be made of");
    static_assert(epilogue_reads<Exec, Epilogue>,
                  "the execution space cannot reach the memory that the epilogue reads");
    return storable && epilogue_reads<Exec, Epilogue>;
  } else {
    return false;
  }
}

/// What a CPU's kernels call for an epilogue, which must stay.
template <class T, class Epilogue>
BlockEpilogue<T> block_epilogue(const Epilogue& epilogue) {
  return {&finish_block<T, Epilogue>, fetch_of<Epilogue>(), std::addressof(epilogue)};
}

/// Computes products whose operands have been looked at.
template <class Exec, class T, class Epilogue>
void start_fused(const Exec& exec, const BatchArgs<T>& args, const Epilogue& epilogue,
                 const GemmOptions& options) {
  if constexpr (computes_on_host<Exec>) {
    gemm_fused(exec, args, options, block_epilogue<T>(epilogue));
  } else {
    portable::gemm_fused(exec, args, options, epilogue);
  }
}

/// C as a batch has it.
template <class T>
BatchRef<T> batch_of(const BatchArgs<T>& args) {
  const auto& [count, a, b, stride, inner, outer_a, outer_b, outer_stride] = args.batch;
  return {args.first.C, stride, count, args.pointers.c, alignof(T), inner, outer_stride};
}

}  // namespace detail

/// C(i,j) = epilogue(i, j, alpha·(A·B)(i,j) + beta·C(i,j)), in one pass over C: `gemm` that does something
/// more to each element before it is stored, asynchronously as `gemm` does, with the same arguments.
///
/// The epilogue is called once for each element of C, in any order, by any thread, several at a time. It gets
/// the value in the type that products are summed in, for elements of 16 bits float, before it is rounded,
/// and for complex numbers `rooftile::complex`; what it returns becomes the element. It may read anything but
/// C, A and B included; C's own elements come by beta. It has no need of side effects, and must not throw.
/// That is so, too, where alpha is 0 or there is no K, for which the value is beta·C(i,j); with `beta == 0`,
/// it is the product's alone. C that has no elements is left alone.
///
/// `rooftile::epilogue` has the usual ones: `plus(beta, D)`, `row_scale(r)`, `col_scale(c)`, `row_bias(b)`,
/// `col_bias(b)`, and `chain` of several. Which bits C has depends on neither the run nor, on CPUs, the
/// number of threads, as far as the epilogue sees to it.
///
/// On GPUs, the user's file compiles kernels with the epilogue in them, in a few tiles: of matrix
/// instructions where the device has them for the elements' own mode, else `pipelined`. Operands are
/// multiplied as they lie. On CPUs, the kernel `packed` is the library's, and the user's file compiles a loop
/// that it calls for each block of C while a core's caches have that.
///
/// @param epilogue  a functor with `operator()(Index, Index, Scalar<T>) const`, copied for kernels; on GPUs
/// callable
///                  there, as KOKKOS_FUNCTION or KOKKOS_LAMBDA. One with a member `check(C)` may throw: it is
///                  called first, with C as a MatrixRef
/// @throws Error    as `gemm`; where a matrix or vector of the usual epilogues has not C's extents, is null
/// or
///                  overlaps C; where `options` name a kernel that takes no epilogue. C is untouched then
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

/// The same for several products in one call: C_entry(i,j) = epilogue(entry, i, j,
/// alpha·(A_entry·B_entry)(i,j)
/// + beta·C_entry(i,j)), with the operands of `gemm_batched`.
///
/// An epilogue that is called as f(entry, i, j, value) gets the number of the product, from 0 on; one that is
/// called as f(i, j, value) does the same to all. Of the usual ones, `plus` and the scales and biases take an
/// operand that all entries have, or one for each: a View (count,M,N) or BatchRef; a View (count,M) or
/// (count,N), or VectorBatch. A single product is entry 0. Batches that `gemm` would compute as one product
/// are not here.
///
/// @param epilogue  as of `gemm_fused`. A member `check(C)` gets C as a BatchRef, if it takes that, else as
/// the
///                  first MatrixRef, whose address counts for nothing where C has pointers
/// @throws Error    as `gemm_batched` and `gemm_fused`; of an operand with pointers, or of C with pointers,
///                  nobody checks that C does not overlap it
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

/// The same for products of any shapes, as `gemm_grouped` takes them: the entry is the product's number in
/// the group. On CPUs the threads divide the group as there. On GPUs each product has a launch of its own.
///
/// @param epilogue  as of `gemm_batched_fused`. A member `check(entry, C)` or `check(C)` gets each C as a
///                  MatrixRef. Operands for each entry have one shape, which then is that of all C
/// @throws Error    as `gemm_grouped` and `gemm_fused`, its text after the number of the product
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

/// What `gemm_fused`, or for batches `gemm_batched_fused`, would do with these operands, and why, as
/// `explain` says it of `gemm`: on CPUs the same, and then the epilogue; on GPUs by a kernel that is compiled
/// with the epilogue.
/// @throws Error as they would
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
