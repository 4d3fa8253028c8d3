// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include <cuda_runtime_api.h>

#include "rooftile/detail/batch_args.hpp"
#include "rooftile/gemm_plan.hpp"
#include "rooftile/int8_guard.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/matrix.hpp"
#include "rooftile/options.hpp"
#include "rooftile/problem.hpp"

namespace rooftile {

struct Target;

namespace detail {

GemmPlan explain_on_cuda(const GemmShape& shape, Index count, ComputeMode own, const GemmOptions& options);

/// Whether a native kernel computes products of A and B of E, const or not, and C of another type R.
template <class E, class R>
concept MixedOnCuda = HasProducts<std::remove_const_t<E>, R> && !std::is_same_v<std::remove_const_t<E>, R> &&
                      has_gpu_kernel(own_mode<Mixed<std::remove_const_t<E>, R>>(), Path::native);

template <class T>
void gemm_on_cuda(cudaStream_t stream, const BatchArgs<T>& products, const GemmOptions& options);

}  // namespace detail

}  // namespace rooftile

/// The hand-written CUDA ladder. Needs no Kokkos.
namespace rooftile::cuda_native {

/// C = alpha·A·B + beta·C, as BLAS' gemm, on the device of `stream`: asynchronous, without a
/// synchronisation, and so capturable in a graph. Kernels that need workspace take it in the stream's order
/// from a pool of the library's own, which keeps it until `release_workspace`, or from the caller
/// (`GemmOptions::workspace`). `beta == 0` overwrites C; `alpha == 0` reads neither A
/// nor B. A stream that is being captured, and with CUDA before 12.8 every stream, must be the current
/// device's. Any number of host threads may call at once, each with a stream of its own.
///
/// @param A,B,C    (M,K), (K,N) and (M,N) in memory of the device, any strides
/// @param options  kernel, tile and math mode; by default the library chooses, and `explain` tells what
/// @throws Error   where the shapes do not conform, sizes are negative or overflow, data is null, C overlaps
///                 A or B or itself, `options` names what cannot compute this product, the device does not
///                 reach their memory, or CUDA refuses; C is untouched then
template <Element T>
void gemm(cudaStream_t stream, std::type_identity_t<Scalar<T>> alpha,
          std::type_identity_t<MatrixRef<const T>> A, std::type_identity_t<MatrixRef<const T>> B,
          std::type_identity_t<Scalar<T>> beta, MatrixRef<T> C, const GemmOptions& options = default_options);

/// The same for `count` products in one call: product i reads A + i·stride_a and B + i·stride_b and writes
/// C + i·stride_c, the strides in elements. With stride 0 all products share an A or a B; where they then are
/// the rows or columns of one product, that is computed. `count == 0` does nothing.
///
/// @param A,B,C  those of product 0
/// @throws Error as `gemm`, and where `count` is negative, products share elements of C, or one writes to
///               what another reads
template <Element T>
void gemm_strided_batched(cudaStream_t stream, std::type_identity_t<Scalar<T>> alpha,
                          std::type_identity_t<MatrixRef<const T>> A, Index stride_a,
                          std::type_identity_t<MatrixRef<const T>> B, Index stride_b,
                          std::type_identity_t<Scalar<T>> beta, MatrixRef<T> C, Index stride_c, Index count,
                          const GemmOptions& options = default_options);

/// The same for batches each of whose operands lies at equal distances or, a `pointer_batch`, anywhere: its
/// pointers are read in memory of the device and in the stream's order, and must stay until the products are
/// computed. With pointers, TMA copies no operands and none is repacked: of kernels that do, the library
/// chooses another, and for tf32x3, which only such compute, fp32.
///
/// @param A,B,C  batches of as many matrices each; one that all share has the stride 0. Matrices of C that
///               pointers lead to must not share elements with each other, nor with A and B, no pointer may
///               be null, and an address of complex numbers is a multiple of one's size: nobody checks that
/// @throws Error as `gemm_strided_batched`, and where the numbers of products differ or the alignment of
///               pointers is no power of two
template <Element T>
void gemm_batched(cudaStream_t stream, std::type_identity_t<Scalar<T>> alpha,
                  const std::type_identity_t<BatchRef<const T>>& A,
                  const std::type_identity_t<BatchRef<const T>>& B, std::type_identity_t<Scalar<T>> beta,
                  const BatchRef<T>& C, const GemmOptions& options = default_options);

/// The same three where C is wider than A and B, whose products are added and stored in its type:
/// float for float16 and bfloat16.
/// @tparam E  of A and B, const or not @tparam R  of C, alpha and beta
template <class E, class R>
requires detail::MixedOnCuda<E, R>
void gemm(cudaStream_t stream, std::type_identity_t<R> alpha, MatrixRef<E> A,
          std::type_identity_t<MatrixRef<const E>> B, std::type_identity_t<R> beta, MatrixRef<R> C,
          const GemmOptions& options = default_options) {
  using T = Mixed<std::remove_const_t<E>, R>;
  detail::gemm_on_cuda<T>(stream, {{alpha, A, B, beta, C}, {}}, options);
}
/// As the first of these, for strided batches.
template <class E, class R>
requires detail::MixedOnCuda<E, R>
void gemm_strided_batched(cudaStream_t stream, std::type_identity_t<R> alpha, MatrixRef<E> A, Index stride_a,
                          std::type_identity_t<MatrixRef<const E>> B, Index stride_b,
                          std::type_identity_t<R> beta, MatrixRef<R> C, Index stride_c, Index count,
                          const GemmOptions& options = default_options) {
  using T = Mixed<std::remove_const_t<E>, R>;
  detail::gemm_on_cuda<T>(stream, {{alpha, A, B, beta, C}, {count, stride_a, stride_b, stride_c}}, options);
}
/// As the first of these, for other batches.
template <class E, class R>
requires detail::MixedOnCuda<E, R>
void gemm_batched(cudaStream_t stream, std::type_identity_t<R> alpha, const BatchRef<E>& A,
                  const std::type_identity_t<BatchRef<const E>>& B, std::type_identity_t<R> beta,
                  const BatchRef<R>& C, const GemmOptions& options = default_options) {
  using T = Mixed<std::remove_const_t<E>, R>;
  detail::gemm_on_cuda<T>(stream, detail::batch_args<T>(alpha, A, B, beta, C), options);
}

/// Products of any shapes, layouts, alphas and betas in one call: C_i = alpha_i·A_i·B_i + beta_i·C_i, each as
/// `gemm` would compute it. Small products in fp32, fp64 and complex numbers share launches; others are
/// started one after the other. The bits are the same in every run of the same group.
///
/// Asynchronous, and capturable: a graph keeps the products that it was captured with.
///
/// @param products  (count), on the host; read during the call only. None, and empty ones, are nothing to do.
///                  Their C must not share elements with each other, nor with any A or B: nobody checks that
/// @throws Error as `gemm`, its text after the number of the product, counted from 0; no C is written, but
///               where the device has no memory for a product's workspace: those started before are computed
template <class T>
void gemm_grouped(cudaStream_t stream, std::span<const GemmArgs<T>> products,
                  const GemmOptions& options = default_options);

/// What it would do for each product, and why; nothing is run. @throws Error as it would
template <class T>
std::vector<GemmPlan> explain_grouped(cudaStream_t stream, std::span<const GemmArgs<T>> products,
                                      const GemmOptions& options = default_options);

/// Gives back what the library's pool keeps on the device of `stream` and no work uses that is still to be
/// done: after a synchronisation, all of it. Any host thread may call at any time, but during a capture.
/// @throws Error where CUDA refuses
void release_workspace(cudaStream_t stream);

/// How `gemm` would compute A·B in `ComputeMode::fp64_int8` on the device of `stream`, for which it asks the
/// same at every call, and does not wait for the answer. Reads A and B twice, takes 32 bytes for each row of
/// A and column of B from the library's pool, and waits for the stream, which must not be captured.
/// @param A,B  (M,K) and (K,N) in memory of the device, any strides
/// @throws Error where the shapes do not conform, the device has no kernel in this mode, does not reach their
///               memory, or CUDA refuses
Int8Guard int8_guard(cudaStream_t stream, MatrixRef<const double> A, MatrixRef<const double> B);
/// The same in `ComputeMode::cfp64_int8`.
Int8Guard int8_guard(cudaStream_t stream, MatrixRef<const complex<double>> A,
                     MatrixRef<const complex<double>> B);

/// The current device, by query, as `choose` wants it.
/// @throws Error where there is no device
Target target(ComputeMode math);

/// What a kernel takes of an SM of the current device, as the CUDA runtime tells it.
struct KernelResources {
  int threads = 0;               ///< per block
  int registers = 0;             ///< per thread
  std::size_t shared_bytes = 0;  ///< per block, static and dynamic
  std::size_t local_bytes = 0;   ///< per thread, of memory: 0 unless registers spill
  int blocks_per_sm = 0;         ///< that run at the same time
};

/// The same for the kernel of a rung on T with a tile.
/// @throws Error for a rung that is not on the native path or does not take the tile or the math mode, or
///               without a device
template <class T>
KernelResources resources(Kernel kernel, TileShape tile, ComputeMode math = own_mode<T>());

/// What `gemm` or `gemm_batched` would do with these products on the device of `stream`, and why;
/// nothing is run, no memory is looked at. `run` runs it.
/// @throws Error as they would
template <class T>
GemmPlan explain(cudaStream_t stream, const BatchArgs<T>& products,
                 const GemmOptions& options = default_options);

/// Computes as a plan says that `explain` made on this device for such products: of the same shape, type and
/// number, whose operands lie alike: in the same order, and aligned alike. It may be kept and run any number
/// of times.
/// @throws Error as `gemm`, and where the plan is of another device or other products, or was changed to a
/// kernel, mode or tile that does not compute them; C is untouched then
template <class T>
void run(const GemmPlan& plan, cudaStream_t stream, const BatchArgs<T>& products);

/// What `gemm` would do for a product of T, or a batch of `count` ones, on the current device, and why, for
/// operands that are row-major, rows one behind the other; nothing is run.
/// @throws Error as `gemm` would for `options` and such operands
template <class T>
GemmPlan explain(const GemmShape& shape, const GemmOptions& options = default_options, Index count = 1) {
  return detail::explain_on_cuda(shape, count, own_mode<T>(), options);
}

}  // namespace rooftile::cuda_native
