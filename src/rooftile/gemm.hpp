// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <Kokkos_Core.hpp>

#include "rooftile/config.hpp"
#include "rooftile/detail/operands.hpp"
#include "rooftile/gemm_plan.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/options.hpp"

namespace rooftile {

namespace detail {

// In the library, for the execution spaces of the Kokkos it was built with, every element type and all that
// mixed types have.
template <class Exec, class T>
void gemm(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options);
template <class Exec, class T>
GemmPlan explain(const Exec& exec, const BatchArgs<T>& args, const GemmOptions& options);
template <class Exec, class T>
void run(const GemmPlan& plan, const Exec& exec, const BatchArgs<T>& args);
template <class Exec>
void release_workspace(const Exec& exec);
template <class Exec>
GemmPlan explain_row_major(const Exec& exec, const GemmShape& shape, Index count, ComputeMode own,
                           const GemmOptions& options);

}  // namespace detail

/// Computes C = alpha·A·B + beta·C on an execution space instance, as `gemm` of BLAS does.
///
/// See @ref calls for the rules of BLAS, synchrony, workspace, thread safety and the bits of C.
///
/// Elements are float, double, float16, bfloat16 or complex (also std::complex and Kokkos::complex). A and B
/// have one type. C has the same type, or a wider one if a kernel for `exec` computes the mode:
/// * float, if A and B are float16 or bfloat16;
/// * double, if A and B are float (CPUs only);
/// * std::int32_t, if A and B are std::int8_t; overflow wraps around;
/// * float, bfloat16 or float16, if each of A and B is float8_e4m3 or float8_e5m2, optionally with scales
///   (`with_scales`). Hopper's tensor cores sum steps of 128 elements of K, which are added in fp32
///   (`GemmOptions::fast_accumulation`). CPUs convert the operands to fp32.
///
/// @param exec  the instance that computes; a GPU queues the work in its stream
/// @param alpha,beta  scalars of type Scalar of C; they may be real if C is complex
/// @param A,B,C  (M,K), (K,N) and (M,N): Kokkos Views or mdspans with any strides, or MatrixRefs. `exec` must
///               be able to access the memory. Use `matrix_ref(X).transposed()`, `conjugated()` or
///               `adjoint()` for other forms of an operand.
///
/// @param options  kernel, tile and compute mode; by default the library chooses, and `explain` reports the
///                 choice
/// @throws Error  if the call is refused; C is untouched (@ref calls_errors)
/// @throws std::bad_alloc  if the host has no memory; C is untouched
template <class Exec, class AMatrix, class BMatrix, class CMatrix>
requires Kokkos::is_execution_space_v<Exec>
void gemm(const Exec& exec, detail::ScalarOf<CMatrix> alpha, const AMatrix& A, const BMatrix& B,
          detail::ScalarOf<CMatrix> beta, const CMatrix& C, const GemmOptions& options = default_options) {
  constexpr bool matrices =
      detail::is_matrix<AMatrix>() & detail::is_matrix<BMatrix>() & detail::is_matrix<CMatrix>();
  if constexpr (matrices && detail::go_together<Exec, AMatrix, BMatrix, CMatrix>()) {
    detail::gemm(exec, detail::args_of<Exec>(alpha, A, B, beta, C), options);
  }
}

/// Computes C = alpha·A·B + beta·C on the default instance of `DefaultExecutionSpace` (ROOFTILE_BACKEND).
/// @see the overload with an instance
template <class AMatrix, class BMatrix, class CMatrix>
void gemm(detail::ScalarOf<CMatrix> alpha, const AMatrix& A, const BMatrix& B, detail::ScalarOf<CMatrix> beta,
          const CMatrix& C, const GemmOptions& options = default_options) {
  detail::require_kokkos();  // whose instances cannot be made without it
  gemm(DefaultExecutionSpace(), alpha, A, B, beta, C, options);
}

/// Computes a batch of products in one call: C_i = alpha·A_i·B_i + beta·C_i for all entries i.
///
/// See @ref calls for the common properties. Each operand is a strided batch or a `pointer_batch`.
///
/// Pointers: `exec` reads the pointer array in the order of the instance. Keep the array unchanged until the
/// products are computed. On HIP, the host reads it, so the call waits for the instance and cannot be
/// captured. Kernels with TMA and repacking do not follow pointers; the library chooses another kernel.
///
/// Two batch dimensions: Views of rank 4 and `nested_batch` have them, for example sequences and heads. Entry
/// (i,j) has the number i·inner + j. On GPUs, some calls start one launch for each entry of the smaller
/// dimension. These are calls with TMA or repacking and calls of the kernels `small_batched`, `naive` and
/// `tiled`.
///
/// @param exec  the instance that computes
/// @param alpha,beta  scalars of type Scalar of C
/// @param A,B,C  (count,M,K), (count,K,N) and (count,M,N): Views or mdspans of rank 3, Views of rank 4
///               (outer,inner,M,K) etc., or BatchRefs. A or B may also be one matrix, which all entries
///               share. Use `batch_ref(X).transposed()` for a transposed operand. A count of 0 computes
///               nothing.
/// @param options  see `gemm`
/// @pre matrices of C that pointers refer to share no elements with each other, with A or with B; on GPUs,
///      matrices that pointers refer to are aligned to their element size. The library does not check it.
/// @throws Error  as `gemm`; C is untouched. Counts, and inner counts, of the operands must agree. Entries of
///                a strided C must share no elements with each other or with an operand. The alignment of a
///                pointer batch must be a power of two, at least that of its elements. CPUs and HIP also
///                refuse null pointers.
template <class Exec, class ABatch, class BBatch, class CBatch>
requires Kokkos::is_execution_space_v<Exec>
void gemm_batched(const Exec& exec, detail::ScalarOf<CBatch> alpha, const ABatch& A, const BBatch& B,
                  detail::ScalarOf<CBatch> beta, const CBatch& C,
                  const GemmOptions& options = default_options) {
  constexpr bool batches =
      detail::is_batch<ABatch, true>() & detail::is_batch<BBatch, true>() & detail::is_batch<CBatch, false>();
  if constexpr (batches && detail::go_together<Exec, ABatch, BBatch, CBatch>()) {
    detail::gemm(exec, detail::args_of<Exec>(alpha, A, B, beta, C), options);
  }
}

/// Computes a batch of strided products, under the name of the vendor libraries. @see gemm_batched
template <class Exec, class ABatch, class BBatch, class CBatch>
requires Kokkos::is_execution_space_v<Exec>
void gemm_strided_batched(const Exec& exec, detail::ScalarOf<CBatch> alpha, const ABatch& A, const BBatch& B,
                          detail::ScalarOf<CBatch> beta, const CBatch& C,
                          const GemmOptions& options = default_options) {
  gemm_batched(exec, alpha, A, B, beta, C, options);
}

/// Computes a batch whose operands are given by entry 0 and strides, as in cuBLAS and rocBLAS.
///
/// @param A,B,C  (M,K), (K,N) and (M,N): the matrices of entry 0
/// @param stride_a,stride_b,stride_c  elements from one entry to the next; 0 shares A or B among all entries
/// @param count  number of entries; 0 computes nothing
/// @throws Error  as `gemm_batched`, and for a negative `count`
/// @see gemm_batched
template <class Exec, class AMatrix, class BMatrix, class CMatrix>
requires Kokkos::is_execution_space_v<Exec>
void gemm_strided_batched(const Exec& exec, detail::ScalarOf<CMatrix> alpha, const AMatrix& A, Index stride_a,
                          const BMatrix& B, Index stride_b, detail::ScalarOf<CMatrix> beta, const CMatrix& C,
                          Index stride_c, Index count, const GemmOptions& options = default_options) {
  constexpr bool matrices =
      detail::is_matrix<AMatrix>() & detail::is_matrix<BMatrix>() & detail::is_matrix<CMatrix>();
  if constexpr (matrices && detail::go_together<Exec, AMatrix, BMatrix, CMatrix>()) {
    using T = detail::ProductOfOperands<AMatrix, CMatrix>;
    detail::gemm(exec,
                 BatchArgs<T>{{alpha, matrix_ref(A), matrix_ref(B), beta, matrix_ref(C)},
                              {count, stride_a, stride_b, stride_c}},
                 options);
  }
}

/// Returns the plan that `gemm`, or `gemm_batched` for batches, would execute for these arguments, and why.
///
/// Runs nothing. Reads no operand; on CPUs, it reads pointer arrays. Pass the plan to `run`.
/// @throws Error  if the call itself would be refused
template <class Exec, class AOperand, class BOperand, class COperand>
requires Kokkos::is_execution_space_v<Exec> GemmPlan
explain(const Exec& exec, detail::ScalarOf<COperand> alpha, const AOperand& A, const BOperand& B,
        detail::ScalarOf<COperand> beta, const COperand& C, const GemmOptions& options = default_options) {
  if constexpr (detail::are_operands<Exec, AOperand, BOperand, COperand>())
    return detail::explain(exec, detail::args_of<Exec>(alpha, A, B, beta, C), options);
}

/// Computes C = alpha·A·B + beta·C by a plan of `explain`. See @ref calls.
///
/// A plan may be used any number of times, with other addresses and scalars.
///
/// @param plan  made for this device and for operands with the same shapes, types, count, major orders and
///              alignments; the operands that have pointers must agree, and whether alpha is 0
/// @throws Error  as `gemm`; also if the plan is for another device or other products, or was changed to a
///                kernel, mode or tile that does not compute them. C is untouched.
template <class Exec, class AOperand, class BOperand, class COperand>
requires Kokkos::is_execution_space_v<Exec>
void run(const GemmPlan& plan, const Exec& exec, detail::ScalarOf<COperand> alpha, const AOperand& A,
         const BOperand& B, detail::ScalarOf<COperand> beta, const COperand& C) {
  if constexpr (detail::are_operands<Exec, AOperand, BOperand, COperand>())
    detail::run(plan, exec, detail::args_of<Exec>(alpha, A, B, beta, C));
}

/// Releases workspace that the library keeps. Any host thread may call it, but not during a capture.
///
/// * CUDA: the pool of the device releases the memory that no queued work uses. After a fence, this is all of
///   it.
/// * CPUs: the calling thread releases its workspace.
/// * HIP: nothing to release; the pool belongs to the device.
/// @throws Error  if Kokkos is not initialized or CUDA reports an error
template <class Exec>
requires Kokkos::is_execution_space_v<Exec>
void release_workspace(const Exec& exec) {
  detail::release_workspace(exec);
}

/// Returns the plan of `gemm` for contiguous row-major operands with elements T, and why. Runs nothing.
///
/// @tparam T  an element type, std::complex, Kokkos::complex or `Mixed`
/// @param shape  M, N and K
/// @param count  batch entries, which must not be negative
/// @throws Error  if `gemm` would refuse the call
template <class T, class Exec>
GemmPlan explain(const Exec& exec, const GemmShape& shape, const GemmOptions& options = default_options,
                 Index count = 1) {
  using Own = std::remove_pointer_t<decltype(detail::own(static_cast<T*>(nullptr)))>;
  return detail::explain_row_major(exec, shape, count, own_mode<Own>(), options);
}

}  // namespace rooftile
