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
#include "rooftile/matrix_views.hpp"
#include "rooftile/options.hpp"
#include "rooftile/problem.hpp"

namespace rooftile {

struct Target;

namespace detail {

GemmPlan explain_on_cuda(const GemmShape& shape, Index count, ComputeMode own, const GemmOptions& options);

/// Whether a native kernel computes products of A and B of E, const or not, and C of another type R.
template <class E, class R>
concept MixedOnCuda =
    HasProducts<std::remove_const_t<E>, R> && !std::is_same_v<std::remove_const_t<E>, R> &&
    has_gpu_kernel(own_mode<Mixed<std::remove_const_t<E>, R>>(), Path::native) && !Float8<E>;
/// Whether a native kernel computes products of 8-bit floats, const or not, and C of R.
template <class A, class B, class R>
concept Float8OnCuda = Float8<A> && Float8<B> && HasProducts<float8_e4m3, R>;

template <class T>
void gemm_on_cuda(cudaStream_t stream, const BatchArgs<T>& products, const GemmOptions& options);

}  // namespace detail

}  // namespace rooftile

/// The hand-written CUDA kernels, for device memory and streams. They do not depend on Kokkos.
namespace rooftile::cuda_native {

/// Computes C = alpha·A·B + beta·C on a CUDA stream, as `gemm` of BLAS does.
///
/// See @ref calls for the rules of BLAS, synchrony, workspace, thread safety and the bits of C.
///
/// @param stream  its device computes. A captured stream, and before CUDA 12.8 every stream, must belong to
///                the current device.
/// @param A,B,C  (M,K), (K,N) and (M,N) with any strides, in memory that the device can access
/// @param options  kernel, tile and compute mode; by default the library chooses, and `explain` reports the
///                 choice
/// @throws Error  if the call is refused or CUDA reports an error before the launch; C is untouched (@ref
///                calls_errors)
template <Element T>
void gemm(cudaStream_t stream, std::type_identity_t<Scalar<T>> alpha,
          std::type_identity_t<MatrixRef<const T>> A, std::type_identity_t<MatrixRef<const T>> B,
          std::type_identity_t<Scalar<T>> beta, MatrixRef<T> C, const GemmOptions& options = default_options);

/// Computes a batch of strided products: entry i reads A + i·stride_a and B + i·stride_b and writes C +
/// i·stride_c.
///
/// See @ref calls for the common properties. If all entries share A or B and their rows or columns follow
/// each other, the library computes one product.
///
/// @param A,B,C  (M,K), (K,N) and (M,N): the matrices of entry 0
/// @param stride_a,stride_b,stride_c  elements from one entry to the next; 0 shares A or B among all entries
/// @param count  number of entries; 0 computes nothing
/// @throws Error  as `gemm`; also if `count` is negative, or entries of C share elements with each other or
///                with an operand
template <Element T>
void gemm_strided_batched(cudaStream_t stream, std::type_identity_t<Scalar<T>> alpha,
                          std::type_identity_t<MatrixRef<const T>> A, Index stride_a,
                          std::type_identity_t<MatrixRef<const T>> B, Index stride_b,
                          std::type_identity_t<Scalar<T>> beta, MatrixRef<T> C, Index stride_c, Index count,
                          const GemmOptions& options = default_options);

/// Computes a batch of products, whose operands are strided batches or pointer batches.
///
/// See @ref calls for the common properties. The device reads pointer arrays in the order of the stream. Keep
/// them unchanged until the products are computed. Kernels with TMA and repacking do not follow pointers. The
/// library chooses another kernel, and computes `tf32x3` in fp32.
///
/// @param A,B,C  batches (count,M,K), (count,K,N) and (count,M,N); the stride 0 shares A or B among all
///               entries
/// @pre matrices of C that pointers refer to share no elements with each other, with A or with B. Pointers
///      are not null and aligned to the element size. The library does not check it.
/// @throws Error  as `gemm_strided_batched`; also if the counts differ, or the alignment of a pointer batch
///                is no power of two or less than that of its elements
template <Element T>
void gemm_batched(cudaStream_t stream, std::type_identity_t<Scalar<T>> alpha,
                  const std::type_identity_t<BatchRef<const T>>& A,
                  const std::type_identity_t<BatchRef<const T>>& B, std::type_identity_t<Scalar<T>> beta,
                  const BatchRef<T>& C, const GemmOptions& options = default_options);

/// Computes a product with a wider C: float for float16 and bfloat16, std::int32_t for std::int8_t. @see gemm
///
/// @tparam E  the elements of A and B, const or not
/// @tparam R  the elements of C, and alpha, beta and the accumulators
template <class E, class R>
requires detail::MixedOnCuda<E, R>
void gemm(cudaStream_t stream, std::type_identity_t<R> alpha, MatrixRef<E> A,
          std::type_identity_t<MatrixRef<const E>> B, std::type_identity_t<R> beta, MatrixRef<R> C,
          const GemmOptions& options = default_options) {
  using T = Mixed<std::remove_const_t<E>, R>;
  detail::gemm_on_cuda<T>(stream, {{alpha, A, B, beta, C}, {}}, options);
}
/// Computes a batch of strided products with a wider C. @see gemm_strided_batched
template <class E, class R>
requires detail::MixedOnCuda<E, R>
void gemm_strided_batched(cudaStream_t stream, std::type_identity_t<R> alpha, MatrixRef<E> A, Index stride_a,
                          std::type_identity_t<MatrixRef<const E>> B, Index stride_b,
                          std::type_identity_t<R> beta, MatrixRef<R> C, Index stride_c, Index count,
                          const GemmOptions& options = default_options) {
  using T = Mixed<std::remove_const_t<E>, R>;
  detail::gemm_on_cuda<T>(stream, {{alpha, A, B, beta, C}, {count, stride_a, stride_b, stride_c}}, options);
}
/// Computes a batch of products with a wider C. @see gemm_batched
template <class E, class R>
requires detail::MixedOnCuda<E, R>
void gemm_batched(cudaStream_t stream, std::type_identity_t<R> alpha, const BatchRef<E>& A,
                  const std::type_identity_t<BatchRef<const E>>& B, std::type_identity_t<R> beta,
                  const BatchRef<R>& C, const GemmOptions& options = default_options) {
  using T = Mixed<std::remove_const_t<E>, R>;
  detail::gemm_on_cuda<T>(stream, detail::batch_args<T>(alpha, A, B, beta, C), options);
}

/// Computes a product of 8-bit floats: each of A and B is float8_e4m3 or float8_e5m2, optionally with scales
/// (`with_scales`), and C is float, bfloat16 or float16. Requires compute capability 9.0. @see gemm
///
/// C = alpha·(A times its scales)·(B times its scales) + beta·C. Products are exact and accumulated in fp32;
/// see `GemmOptions::fast_accumulation`.
///
/// @tparam R  the elements of C
/// @throws Error  as `gemm`; also for scales that are null, misaligned or of another shape. If scales vary
///                along K, only one operand may have scales of single rows or columns.
template <class EA, class EB, class R>
requires detail::Float8OnCuda<EA, EB, R>
void gemm(cudaStream_t stream, float alpha, const MatrixRef<EA>& A, const MatrixRef<EB>& B, float beta,
          MatrixRef<R> C, const GemmOptions& options = default_options) {
  detail::gemm_on_cuda<Mixed<float8_e4m3, R>>(stream, {{alpha, matrix_ref(A), matrix_ref(B), beta, C}, {}},
                                              options);
}
/// Computes a batch of strided products of 8-bit floats. `Float8Scales::batch_stride` leads to the scales of
/// the next entry. @see gemm_strided_batched
template <class EA, class EB, class R>
requires detail::Float8OnCuda<EA, EB, R>
void gemm_strided_batched(cudaStream_t stream, float alpha, const MatrixRef<EA>& A, Index stride_a,
                          const MatrixRef<EB>& B, Index stride_b, float beta, MatrixRef<R> C, Index stride_c,
                          Index count, const GemmOptions& options = default_options) {
  detail::gemm_on_cuda<Mixed<float8_e4m3, R>>(
      stream, {{alpha, matrix_ref(A), matrix_ref(B), beta, C}, {count, stride_a, stride_b, stride_c}},
      options);
}

/// Computes a batch of products of 8-bit floats. Pointer batches are refused, since TMA cannot follow them.
/// @see gemm_batched
template <class EA, class EB, class R>
requires detail::Float8OnCuda<EA, EB, R>
void gemm_batched(cudaStream_t stream, float alpha, const BatchRef<EA>& A, const BatchRef<EB>& B, float beta,
                  const BatchRef<R>& C, const GemmOptions& options = default_options) {
  using T = Mixed<float8_e4m3, R>;
  detail::gemm_on_cuda<T>(stream, detail::batch_args<T>(alpha, batch_ref(A), batch_ref(B), beta, C), options);
}

/// Computes products of any shapes, layouts and scalars in one call: C_i = alpha_i·A_i·B_i + beta_i·C_i.
///
/// See @ref calls for the common properties. Small products of float, double and complex share launches.
/// Others have launches of their own. Every run of one group gives equal bits. A captured graph keeps the
/// products of the group.
///
/// @param products  (count), on the host, read before the call returns. Empty groups and products are
///                  allowed.
/// @pre each C shares no elements with any other operand of the group. The library checks it only within a
///      product.
/// @throws Error  as `gemm`, with the number of the product, counted from 0. No C is written. If the device
///                has no memory for a workspace, earlier products of the group may be computed.
template <class T>
void gemm_grouped(cudaStream_t stream, std::span<const GemmArgs<T>> products,
                  const GemmOptions& options = default_options);

/// Returns the plans that `gemm_grouped` would execute, one for each product, and why. Runs nothing.
/// @throws Error  as `gemm_grouped`
template <class T>
std::vector<GemmPlan> explain_grouped(cudaStream_t stream, std::span<const GemmArgs<T>> products,
                                      const GemmOptions& options = default_options);

/// Releases the memory of the library's pool on the device of `stream` that no queued work uses. After a
/// synchronization, this is all of it. Any host thread may call it, but not during a capture.
/// @throws Error  if CUDA reports an error
void release_workspace(cudaStream_t stream);

/// Returns the result of the accuracy guard of `ComputeMode::fp64_int8` for A·B, which `gemm` applies at each
/// call.
///
/// Reads A and B twice. Takes device memory from the library's pool: about 20 bytes for each row of A and
/// each column of B. Waits for the stream, which must not be captured.
/// @param A,B  (M,K) and (K,N) with any strides, in memory of the device
/// @throws Error  if the shapes do not conform, the device has no kernel in this mode or cannot access A or
///                B, or CUDA reports an error
Int8Guard int8_guard(cudaStream_t stream, MatrixRef<const double> A, MatrixRef<const double> B);
/// Returns the result of the accuracy guard of `ComputeMode::cfp64_int8` for A·B. @see the overload for
/// double
Int8Guard int8_guard(cudaStream_t stream, MatrixRef<const complex<double>> A,
                     MatrixRef<const complex<double>> B);

/// Returns the properties of the current device by which the library chooses. @throws Error  if there is no
/// device
Target target(ComputeMode math);

/// Resources of an SM that a kernel uses, as the CUDA runtime reports them.
struct KernelResources {
  int threads = 0;               ///< per thread block
  int registers = 0;             ///< per thread
  std::size_t shared_bytes = 0;  ///< per block, static and dynamic
  std::size_t local_bytes = 0;   ///< of memory per thread; 0: no registers spill
  int blocks_per_sm = 0;         ///< thread blocks that an SM can hold at a time
};

/// Returns the resources of a kernel for elements T and a tile on the current device.
/// @throws Error  if the kernel is not native, does not take the tile or the compute mode, or there is no
///                device
template <class T>
KernelResources resources(Kernel kernel, TileShape tile, ComputeMode math = own_mode<T>());

/// Returns the plan that `gemm` or `gemm_batched` would execute on the device of `stream`, and why. Runs
/// nothing and reads no memory of the operands. Pass the plan to `run`.
/// @throws Error  if the call itself would be refused
template <class T>
GemmPlan explain(cudaStream_t stream, const BatchArgs<T>& products,
                 const GemmOptions& options = default_options);

/// Computes products by a plan of `explain`. See @ref calls. A plan may be used any number of times, with
/// other addresses and scalars.
///
/// @param plan  made for this device and for products with the same shapes, types, count, major orders and
///              alignments; the operands that have pointers must agree, and whether alpha is 0
/// @throws Error  as `gemm`; also if the plan is for another device or other products, or was changed to a
///                kernel, mode or tile that does not compute them. C is untouched.
template <class T>
void run(const GemmPlan& plan, cudaStream_t stream, const BatchArgs<T>& products);

/// Returns the plan of `gemm` for contiguous row-major operands with elements T on the current device, and
/// why. Runs nothing.
/// @param count  batch entries, which must not be negative
/// @throws Error  if `gemm` would refuse the call
template <class T>
GemmPlan explain(const GemmShape& shape, const GemmOptions& options = default_options, Index count = 1) {
  return detail::explain_on_cuda(shape, count, own_mode<T>(), options);
}

}  // namespace rooftile::cuda_native
