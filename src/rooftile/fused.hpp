// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include "rooftile/detail/finish_block.hpp"
#include "rooftile/detail/plan_fused.hpp"
#include "rooftile/epilogue.hpp"
#include "rooftile/gemm.hpp"

namespace rooftile {

/// @cond
namespace portable {

// For GPUs, whose kernels this file compiles (`backends/kokkos/fused_launch.hpp`).
template <class Exec, class T, class Epilogue>
void gemm_fused(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options,
                const Epilogue& epilogue);
template <class Exec, class T>
GemmPlan explain_fused(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options);

}  // namespace portable
/// @endcond

namespace detail {

// In the library, for the execution spaces of CPUs.
template <class Exec, class T>
void gemm_fused(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options,
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
  constexpr bool callable = std::is_invocable_v<const Epilogue&, Index, Index, Scalar<T>>;
  static_assert(
      callable,
      "an epilogue is called as f(i, j, value), and may not change: i and j are of rooftile::Index, value of "
      "rooftile::Scalar of C's elements");
  if constexpr (callable) {
    constexpr bool storable =
        std::is_constructible_v<T, std::invoke_result_t<const Epilogue&, Index, Index, Scalar<T>>>;
    static_assert(storable, "an epilogue returns what an element of C can be made of");
    static_assert(epilogue_reads<Exec, Epilogue>,
                  "the execution space cannot reach the memory that the epilogue reads");
    return storable && epilogue_reads<Exec, Epilogue>;
  } else {
    return false;
  }
}

/// @throws Error where an epilogue says that it does not go with C
template <class Epilogue, class T>
void check_epilogue(const Epilogue& epilogue, const MatrixRef<T>& C) {
  if constexpr (requires { epilogue.check(C); }) epilogue.check(C);
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
                const GemmOptions& options = {}) {
  constexpr bool matrices =
      detail::is_matrix<AMatrix>() & detail::is_matrix<BMatrix>() & detail::is_matrix<CMatrix>();
  if constexpr (matrices && detail::go_together<Exec, AMatrix, BMatrix, CMatrix, false>()) {
    using T = detail::ElementOf<CMatrix>;
    if constexpr (detail::is_epilogue<Exec, T, Epilogue>()) {
      const auto args = detail::args_of<Exec>(alpha, A, B, beta, C);
      detail::check_epilogue(epilogue, args.first.C);
      if constexpr (detail::computes_on_host<Exec>) {
        const detail::BlockEpilogue<T> blocks{&detail::finish_block<T, Epilogue>,
                                              detail::fetch_of<Epilogue>(), std::addressof(epilogue)};
        detail::gemm_fused(exec, args, options, blocks);
      } else {
        portable::gemm_fused(exec, args, options, epilogue);
      }
    }
  }
}

/// What `gemm_fused` would do with these operands, and why, as `explain` says it of `gemm`: on CPUs the same,
/// and then the epilogue; on GPUs by a kernel that is compiled with the epilogue.
/// @throws Error as `gemm_fused`
template <class Exec, class AMatrix, class BMatrix, class CMatrix, class Epilogue>
requires Kokkos::is_execution_space_v<Exec> GemmPlan explain_fused(const Exec& exec,
                                                                   detail::ScalarOf<CMatrix> alpha,
                                                                   const AMatrix& A, const BMatrix& B,
                                                                   detail::ScalarOf<CMatrix> beta,
                                                                   const CMatrix& C, const Epilogue& epilogue,
                                                                   const GemmOptions& options = {}) {
  detail::check_epilogue(epilogue, matrix_ref(C));
  if constexpr (detail::computes_on_host<Exec>) {
    GemmPlan plan = explain(exec, alpha, A, B, beta, C, options);
    detail::require_epilogue(plan.kernel);
    plan.epilogue = true;
    return plan;
  } else {
    return portable::explain_fused(exec, detail::args_of<Exec>(alpha, A, B, beta, C), options);
  }
}

}  // namespace rooftile

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
#include "backends/kokkos/fused_launch.hpp"
#endif
