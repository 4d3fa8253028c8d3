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

/// C = alpha·A·B + beta·C, as BLAS' gemm, on an execution space instance: asynchronous, without a fence.
/// `beta == 0` overwrites C, NaN included; `alpha == 0` reads neither A nor B.
///
/// The bits of C do not depend on the run. Any host threads may call at the same time, also with one
/// instance, but for Kokkos' own rules on an instance of a GPU.
///
/// On CPUs, whose instances are synchronous, they do not depend on the number of threads either. Called
/// inside a parallel region, OpenMP's or Kokkos', or in a forked process, the calling thread computes the
/// product alone, with the same bits; outside, the instance's threads do, or for small products the calling
/// one. Kernel `packed` takes a workspace of at most 20 MiB, for a batch at most that for each thread, and
/// none for small products and some with few rows or columns. The calling thread allocates it and keeps it
/// until it ends. Other kernels have theirs on the stack, 32 KiB. In `ComputeMode::fp64_int8` there are at
/// most 2 MiB for each thread besides, in `ComputeMode::cfp64_int8` 4 MiB, and 16 bytes for each row of A and
/// column of B
/// (`GemmPlan::workspace`). What Kokkos starts has a name, which is allocated, too.
///
/// On GPUs these take a workspace of device memory, in the instance's order:
/// * `stream_k` and `stream_k_tensor_core`, for partial sums;
/// * the `warpgroup` kernels, for operands that TMA cannot read as they lie, for those of tf32x3 and of
///   complex numbers, and for partial sums where K is split;
/// * the repacking of operands for other kernels, at most 1 GiB, or one product's bytes if those are more.
///
/// On CUDA the workspace comes from a pool of the library's own, which keeps what it once had until
/// `release_workspace`; on HIP it comes from the device. The caller may give it instead
/// (`GemmOptions::workspace`), but for 1 KiB of the first two on HIP. `GemmPlan::workspace` tells the bytes.
/// Where the device has no memory for it, repacking for other kernels is left out; all others throw.
/// Streams can be captured.
///
/// @param exec     where to run and in which queue; Kokkos runs
/// @param A,B,C    (M,K), (K,N) and (M,N): Kokkos Views of any strided layout, mdspans or MatrixRefs of
///                 float, double, float16, bfloat16, or complex of float or double, also std::complex and
///                 Kokkos::complex, readable by `exec`. C may be wider than A and B (`Mixed`) where a
///                 kernel for `exec` computes the mode: of float for float16 or bfloat16, double for float,
///                 std::int32_t for std::int8_t. alpha and beta are Scalar of C. What overflows std::int32_t
///                 wraps around. A transposed operand is `matrix_ref(X).transposed()`, others `conjugated()`
///                 and `adjoint()`.
/// @param options  kernel, tile and math mode; by default the library chooses, and `explain` tells what
/// @throws Error   where the shapes do not conform, sizes are negative or overflow, data is null, C overlaps
///                 A or B or itself, `options` names what there is not or what cannot compute this product,
///                 `exec` is a GPU that does not reach their memory, Kokkos does not run, or the device has
///                 no memory for a workspace; C is untouched then
/// @throws std::bad_alloc  where the host has none; C is untouched then, too
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

/// The same on the backend that the library was configured for (ROOFTILE_BACKEND).
template <class AMatrix, class BMatrix, class CMatrix>
void gemm(detail::ScalarOf<CMatrix> alpha, const AMatrix& A, const BMatrix& B, detail::ScalarOf<CMatrix> beta,
          const CMatrix& C, const GemmOptions& options = default_options) {
  detail::require_kokkos();  // whose instances cannot be made without it
  gemm(DefaultExecutionSpace(), alpha, A, B, beta, C, options);
}

/// The same for several products in one call: C_i = alpha·A_i·B_i + beta·C_i.
///
/// Matrices lie at equal distances, in one dimension or two, or those of a `pointer_batch` anywhere; any of
/// the operands may be either. Pointers are read in memory of `exec` and in the instance's order, and must
/// stay until the products are computed. On HIP, which has a launch for each such product, the host reads
/// them: that call, of all, waits for what the instance had to do, and cannot be captured. With pointers, TMA
/// copies no operands and none is repacked: of kernels that do, the library chooses another.
///
/// Two dimensions, as of sequences and heads, are those of Views of rank 4, or of a `nested_batch`: product
/// (i,j) is number i·inner + j. On GPUs, where both are not one dimension, or one product, and TMA or
/// repacking prepares operands, and in the kernels `small_batched`, `tiled` and below, each entry of the
/// smaller dimension has a launch of its own.
///
/// @param A,B,C    (count,M,K), (count,K,N) and (count,M,N): Kokkos Views or mdspans of rank 3, or of rank 4,
///                 (outer,inner,M,K) and so on, or BatchRefs; A or B may also be a matrix, which all products
///                 then share, and one of a rank less has one dimension. A transposed operand is
///                 `batch_ref(X).transposed()`. No products do nothing. Matrices of C that pointers lead to
///                 must not share elements with each other, nor with A and B: nobody checks that. On GPUs, an
///                 address of complex numbers is a multiple of one's size.
/// @throws Error   as `gemm`, and where the numbers of products differ, or those of the inner dimension;
///                 where products at equal distances share elements of C, or one writes to what another
///                 reads; where the alignment of pointers is no power of two, and, on CPUs and HIP, where one
///                 that leads to what is read or written is null
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

/// The same, by the name that vendors' libraries have for matrices at equal distances.
template <class Exec, class ABatch, class BBatch, class CBatch>
requires Kokkos::is_execution_space_v<Exec>
void gemm_strided_batched(const Exec& exec, detail::ScalarOf<CBatch> alpha, const ABatch& A, const BBatch& B,
                          detail::ScalarOf<CBatch> beta, const CBatch& C,
                          const GemmOptions& options = default_options) {
  gemm_batched(exec, alpha, A, B, beta, C, options);
}

/// The same, the operands of the first product and, as in cuBLAS and rocBLAS, the elements from those of a
/// product to those of the next; with stride 0 all products share an A or a B. Negative counts are refused.
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

/// What `gemm`, or for batches `gemm_batched`, would do with these operands, and why; nothing is run, no
/// memory is looked at but, on CPUs, arrays of pointers. `run` runs it.
/// @throws Error as they would
template <class Exec, class AOperand, class BOperand, class COperand>
requires Kokkos::is_execution_space_v<Exec> GemmPlan
explain(const Exec& exec, detail::ScalarOf<COperand> alpha, const AOperand& A, const BOperand& B,
        detail::ScalarOf<COperand> beta, const COperand& C, const GemmOptions& options = default_options) {
  if constexpr (detail::are_operands<Exec, AOperand, BOperand, COperand>())
    return detail::explain(exec, detail::args_of<Exec>(alpha, A, B, beta, C), options);
}

/// Computes as a plan says that `explain` made here for such operands: of the same shapes, types and number,
/// which lie alike: in the same order, and aligned alike. It may be kept and run any number of times.
/// @throws Error as `gemm`, and where the plan is of another device or other products, or was changed to a
/// kernel, mode or tile that does not compute them; C is untouched then
template <class Exec, class AOperand, class BOperand, class COperand>
requires Kokkos::is_execution_space_v<Exec>
void run(const GemmPlan& plan, const Exec& exec, detail::ScalarOf<COperand> alpha, const AOperand& A,
         const BOperand& B, detail::ScalarOf<COperand> beta, const COperand& C) {
  if constexpr (detail::are_operands<Exec, AOperand, BOperand, COperand>())
    detail::run(plan, exec, detail::args_of<Exec>(alpha, A, B, beta, C));
}

/// Gives back the memory that the library keeps for workspaces: on GPUs what no work uses that is still to be
/// done, after a fence all of it; on CPUs what the calling thread keeps. Any host thread may call at any
/// time, but during a capture.
/// @throws Error where Kokkos does not run, or CUDA refuses
template <class Exec>
requires Kokkos::is_execution_space_v<Exec>
void release_workspace(const Exec& exec) {
  detail::release_workspace(exec);
}

/// What `gemm` would do for a product of T, or a batch of `count` ones, and why, for operands that are
/// row-major, rows one behind the other; nothing is run.
/// @tparam T  as of operands, std::complex and Kokkos::complex as well, or `Mixed`
/// @throws Error as `gemm` would for `options` and such operands
template <class T, class Exec>
GemmPlan explain(const Exec& exec, const GemmShape& shape, const GemmOptions& options = default_options,
                 Index count = 1) {
  using Own = std::remove_pointer_t<decltype(detail::own(static_cast<T*>(nullptr)))>;
  return detail::explain_row_major(exec, shape, count, own_mode<Own>(), options);
}

}  // namespace rooftile
