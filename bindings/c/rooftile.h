/* SPDX-FileCopyrightText: The Rooftile authors
   SPDX-License-Identifier: Apache-2.0 */
#ifndef ROOFTILE_H
#define ROOFTILE_H

#include <stdint.h>

#include "rooftile/version.h"

/** @file
 * The C interface of Rooftile: C = alpha·A·B + beta·C for one product, a batch or a group.
 *
 * A handle of `rooftile_create` computes on the CPU. A handle of `rooftile_create_on_stream` computes on an
 * NVIDIA GPU. With `ROOFTILE_GPU=auto`, the CPU handle may send large single products to a GPU if the model
 * expects a gain. Functions return a status; they do not print, exit or throw.
 *
 * - Synchrony: on the CPU, a call returns when C is computed. On a stream, it returns when its work is
 *   queued.
 * - Thread safety: host threads may call at once, each with its own handle.
 * - Threads: OpenMP threads compute; `OMP_NUM_THREADS`, `omp_set_num_threads` or `rooftile_set_num_threads`
 *   set their number. In a parallel region, the calling thread computes alone. The bits of C do not depend on
 *   the number.
 * - Workspace: on the CPU, the calling thread keeps at most 20 MiB until it ends. For batches and groups,
 *   each computing thread keeps at most 20 MiB. */

#ifdef __cplusplus
extern "C" {
#endif

/** The status of a call. */
typedef enum rooftile_status {
  ROOFTILE_SUCCESS = 0,        /**< the call succeeded */
  ROOFTILE_INVALID_VALUE = 1,  /**< an argument is invalid; C is untouched */
  ROOFTILE_OUT_OF_MEMORY = 2,  /**< no memory for a handle or a workspace; C is untouched */
  ROOFTILE_INTERNAL_ERROR = 3, /**< an error of the library, the system or a GPU; C may be incomplete */
  ROOFTILE_NO_GPU = 4          /**< no GPU, or this build has no GPU part; see `ROOFTILE_LOG` */
} rooftile_status;

/** The element type of A, B and C, and the type of alpha and beta. */
typedef enum rooftile_type {
  ROOFTILE_FP32 = 0,  /**< `float` */
  ROOFTILE_FP64 = 1,  /**< `double`; `ROOFTILE_MATH=fp64_int8` uses INT8 products, as accurately */
  ROOFTILE_FP16 = 2,  /**< IEEE half precision, accumulated in fp32; alpha and beta are `float` */
  ROOFTILE_BF16 = 3,  /**< bfloat16, accumulated in fp32; alpha and beta are `float` */
  ROOFTILE_CFP32 = 4, /**< real and imaginary part in `float`, as `float _Complex` */
  ROOFTILE_CFP64 = 5, /**< `double _Complex`; `ROOFTILE_MATH=cfp64_int8` as for `ROOFTILE_FP64` */
  /* Mixed types: first the type of A and B, then that of C, alpha, beta and the accumulator. */
  ROOFTILE_FP16_FP32 = 6, /**< IEEE half precision, and `float` */
  ROOFTILE_BF16_FP32 = 7, /**< bfloat16, and `float` */
  ROOFTILE_FP32_FP64 = 8, /**< `float`, and `double` */
  ROOFTILE_INT8_INT32 = 9 /**< `int8_t`, and `int32_t`: exact, modulo 2^32 on overflow */
} rooftile_type;

/** The layout of a matrix: element (i,j) is at index `i * row_stride + j * col_stride`. Strides express
 * leading dimensions, sub-matrices and transposes. */
typedef struct rooftile_layout {
  int64_t rows;       /**< the first extent, 0 or more */
  int64_t cols;       /**< the second extent, 0 or more */
  int64_t row_stride; /**< elements from one row to the next */
  int64_t col_stride; /**< elements from one column to the next */
  int64_t conjugated; /**< not 0: elements are read as conjugates; no effect on real numbers */
} rooftile_layout;

/** Returns a row-major layout with `ld` elements from one row to the next. */
static inline rooftile_layout rooftile_row_major(int64_t rows, int64_t cols, int64_t ld) {
  const rooftile_layout layout = {rows, cols, ld, 1, 0};
  return layout;
}

/** Returns a column-major layout, as in Fortran and BLAS, with `ld` elements from one column to the next. */
static inline rooftile_layout rooftile_column_major(int64_t rows, int64_t cols, int64_t ld) {
  const rooftile_layout layout = {rows, cols, 1, ld, 0};
  return layout;
}

/** Returns the layout of the transpose: BLAS' operation T. */
static inline rooftile_layout rooftile_transposed(rooftile_layout x) {
  const rooftile_layout layout = {x.cols, x.rows, x.col_stride, x.row_stride, x.conjugated};
  return layout;
}

/** Returns the layout of the conjugate of a matrix. */
static inline rooftile_layout rooftile_conjugated(rooftile_layout x) {
  x.conjugated = !x.conjugated;
  return x;
}

/** Returns the layout of the conjugate transpose: BLAS' operation C. */
static inline rooftile_layout rooftile_adjoint(rooftile_layout x) {
  return rooftile_conjugated(rooftile_transposed(x));
}

/** A handle for calls. One thread at a time may use it. */
typedef struct rooftile_context* rooftile_handle;

/** Makes a handle for the CPU. Starts no thread.
 * @param[out] handle  the new handle; untouched on failure
 * @return ROOFTILE_INVALID_VALUE if `handle` is null, ROOFTILE_OUT_OF_MEMORY if there is no memory */
rooftile_status rooftile_create(rooftile_handle* handle);

/** Makes a handle for a CUDA stream on an NVIDIA GPU.
 *
 * Calls with the handle queue their products in the stream and return. Later work of the stream sees the
 * results. A stream may be captured. All types but ROOFTILE_FP32_FP64 are supported.
 *
 * Matrices and arrays of addresses are in memory of the stream's device. Addresses in arrays are not checked.
 * The scalars and `rooftile_product` arrays are on the host and read during the call. A call returns
 * ROOFTILE_INVALID_VALUE if the device cannot access an operand or its address is not aligned to its element
 * size.
 * @param[out] handle  the new handle; untouched on failure
 * @param stream  a `cudaStream_t`, which outlives the calls; null: the default stream of the current device
 * @return ROOFTILE_INVALID_VALUE if `handle` is null, ROOFTILE_OUT_OF_MEMORY if there is no memory,
 *         ROOFTILE_NO_GPU if there is no GPU or GPU part */
rooftile_status rooftile_create_on_stream(rooftile_handle* handle, void* stream);

/** Sets the number of threads for later calls with a handle. OpenMP may start fewer threads.
 *
 * Other handles, the program's parallel regions and `omp_get_max_threads` do not change. Calls inside a
 * parallel region still compute on the calling thread alone. The bits of C do not depend on the number.
 * @param handle  the handle
 * @param threads  1 or more; 0, as after `rooftile_create`: the number of OpenMP at each call
 * @return ROOFTILE_INVALID_VALUE if the handle is null or `threads` is negative; the number then does not
 *         change */
rooftile_status rooftile_set_num_threads(rooftile_handle handle, int threads);

/** Frees a handle. Null is allowed. */
void rooftile_destroy(rooftile_handle handle);

/** Returns the message of the handle's last failed call: `<problem> (<values>): <what to do>`, at most 511
 * bytes. It is empty if no call failed, and valid until the next call with the handle. */
const char* rooftile_last_message(rooftile_handle handle);

/** Returns the text of a status, such as `success`. */
const char* rooftile_status_string(int status);

/** Writes the version of the running library. It may be newer than ROOFTILE_VERSION_MAJOR, _MINOR and _PATCH
 * of this header. Pointers may be null. */
void rooftile_version(int* major, int* minor, int* patch);

/** Computes C = alpha·A·B + beta·C, as `gemm` of BLAS does.
 *
 * `beta` 0 overwrites C, NaN included. `alpha` 0 reads neither A nor B. With K = 0, C is scaled. An empty C
 * is not computed. Synchrony, threads and workspace are those of this file.
 *
 * @param handle  the handle
 * @param type  a `rooftile_type`
 * @param alpha,beta  one number each, of the type of the scalars of `type`
 * @param A,B,C  elements (0,0) of (m,k), (k,n) and (m,n), with the layouts `a`, `b` and `c`. C must not
 *         overlap A, B or itself. On the CPU, a complex number is aligned to one of its parts.
 * @param a,b,c  the layouts of A, B and C
 * @return ROOFTILE_INVALID_VALUE if the handle or a scalar is null, or a matrix with elements has null data.
 *         Also if `type` is unknown, extents are negative, overflow or do not conform, or C overlaps an
 *         operand. ROOFTILE_OUT_OF_MEMORY if there is no memory for a workspace. ROOFTILE_INTERNAL_ERROR if
 *         CUDA fails. `rooftile_last_message` describes the problem */
rooftile_status rooftile_gemm(rooftile_handle handle, int type, const void* alpha, const void* A,
                              rooftile_layout a, const void* B, rooftile_layout b, const void* beta, void* C,
                              rooftile_layout c);

/** Computes a strided batch: C_i = alpha·A_i·B_i + beta·C_i for i below `count`.
 * @param stride_a,stride_b,stride_c  elements from one matrix to the next; 0 shares A or B among all products
 * @param count  number of products
 * @return as `rooftile_gemm`; also ROOFTILE_INVALID_VALUE if `count` is negative, or products share elements
 *         of C or write an operand that another product reads */
rooftile_status rooftile_gemm_strided_batched(rooftile_handle handle, int type, const void* alpha, const void* A,
                                              rooftile_layout a, int64_t stride_a, const void* B, rooftile_layout b,
                                              int64_t stride_b, const void* beta, void* C, rooftile_layout c,
                                              int64_t stride_c, int64_t count);

/** The strides of a batch with two dimensions. */
typedef struct rooftile_steps {
  int64_t outer; /**< elements between entries of the outer dimension; 0: they share one matrix */
  int64_t inner; /**< elements between entries of the inner dimension; 0: they share one matrix */
} rooftile_steps;

/** Computes a batch with two dimensions, for example heads and sequences: C_ij = alpha·A_ij·B_ij + beta·C_ij.
 * @param steps_a,steps_b,steps_c  matrix (i,j) begins i times `outer` plus j times `inner` elements of its
 *         steps after matrix (0,0)
 * @param outer,inner  numbers of products in each dimension
 * @return as `rooftile_gemm_strided_batched`; also ROOFTILE_INVALID_VALUE if `outer` or `inner` is negative,
 *         or their product overflows */
rooftile_status rooftile_gemm_nested_batched(rooftile_handle handle, int type, const void* alpha, const void* A,
                                             rooftile_layout a, rooftile_steps steps_a, const void* B, rooftile_layout b,
                                             rooftile_steps steps_b, const void* beta, void* C, rooftile_layout c,
                                             rooftile_steps steps_c, int64_t outer, int64_t inner);

/** Computes a batch of matrices at arbitrary addresses: C_i = alpha·A_i·B_i + beta·C_i for i below `count`.
 * @param A,B,C  (count) addresses of elements (0,0); an array is null only if no matrix of it is read or
 *         written. Matrices of C must not share elements with each other, with A or with B; the library does
 *         not check it
 * @return as `rooftile_gemm`; also ROOFTILE_INVALID_VALUE if `count` is negative; on the CPU also if the
 *         address of a matrix that is read or written is null */
rooftile_status rooftile_gemm_batched(rooftile_handle handle, int type, const void* alpha, const void* const* A,
                                      rooftile_layout a, const void* const* B, rooftile_layout b, const void* beta,
                                      void* const* C, rooftile_layout c, int64_t count);

/** One product of a group, with the arguments of `rooftile_gemm`. */
typedef struct rooftile_product {
  const void* alpha; /**< one number */
  const void* A;     /**< element (0,0) of (m,k) */
  rooftile_layout a; /**< layout of A */
  const void* B;     /**< element (0,0) of (k,n) */
  rooftile_layout b; /**< layout of B */
  const void* beta;  /**< one number */
  void* C;           /**< element (0,0) of (m,n) */
  rooftile_layout c; /**< layout of C */
} rooftile_product;

/** Computes a group of products of one type, each with its own shape, layouts and scalars.
 *
 * The threads divide the group, larger products first. Each thread computes small products alone. All threads
 * compute large products together.
 * @param products  (count), on the host. Each C must not share elements with any other operand of the group;
 *         the library checks it only within a product
 * @param count  number of products
 * @return as `rooftile_gemm`, with the number of the product, counted from 0, in the message. After an error
 *         of a CPU handle, no C is written. Also ROOFTILE_INVALID_VALUE if `count` is negative, or `products`
 *         is null and `count` is not 0 */
rooftile_status rooftile_gemm_grouped(rooftile_handle handle, int type, const rooftile_product* products, int64_t count);

#ifdef __cplusplus
}
#endif

#endif
