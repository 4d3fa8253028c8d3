/* SPDX-FileCopyrightText: The Rooftile authors
   SPDX-License-Identifier: Apache-2.0 */
#ifndef ROOFTILE_H
#define ROOFTILE_H

#include <stdint.h>

#include "rooftile/version.h"

/** @file
 * Rooftile in C: C = alpha·A·B + beta·C of matrices of any two strides, one product or a batch, on this machine's CPU, or
 * with a handle of a stream on an NVIDIA GPU. With `ROOFTILE_GPU=auto`, single large products that lie on the host go
 * through a GPU, too, where that is faster by the model.
 *
 * Every function returns a status, and none ends the process, prints or lets an exception out. Host threads may call at
 * the same time, each with a handle of its own. The threads that compute are OpenMP's, as many as `OMP_NUM_THREADS` or
 * `omp_set_num_threads` says, or `rooftile_set_num_threads` of the handle; in a parallel region the calling thread computes alone. The same bits result for any number
 * of threads. A call returns when C is computed.
 */

#ifdef __cplusplus
extern "C" {
#endif

/** How a call ended. */
typedef enum rooftile_status {
  ROOFTILE_SUCCESS = 0,        /**< as asked */
  ROOFTILE_INVALID_VALUE = 1,  /**< an argument is wrong; C is untouched */
  ROOFTILE_OUT_OF_MEMORY = 2,  /**< no memory for a handle or a workspace; C is untouched */
  ROOFTILE_INTERNAL_ERROR = 3, /**< a fault of the library, of the system or of a GPU */
  ROOFTILE_NO_GPU = 4          /**< there is no GPU to compute with, or this build has no part for it; `ROOFTILE_LOG` says why */
} rooftile_status;

/** What A, B and C are made of, and what alpha and beta are. */
typedef enum rooftile_type {
  ROOFTILE_FP32 = 0,  /**< `float` */
  ROOFTILE_FP64 = 1,  /**< `double`; with `ROOFTILE_MATH=fp64_int8` in the environment computed from INT8 products, as accurately */
  ROOFTILE_FP16 = 2,  /**< IEEE half precision, summed in fp32; alpha and beta are `float` */
  ROOFTILE_BF16 = 3,  /**< bfloat16, summed in fp32; alpha and beta are `float` */
  ROOFTILE_CFP32 = 4, /**< two `float`: the real and the imaginary part, as `float _Complex` */
  ROOFTILE_CFP64 = 5, /**< two `double`, as `double _Complex`; with `ROOFTILE_MATH=cfp64_int8` as `ROOFTILE_FP64` with fp64_int8 */
  /* Mixed types: A and B have the first, C, alpha and beta the second, which products are exact in, and are summed in. */
  ROOFTILE_FP16_FP32 = 6, /**< IEEE half precision, and `float` */
  ROOFTILE_BF16_FP32 = 7, /**< bfloat16, and `float` */
  ROOFTILE_FP32_FP64 = 8, /**< `float`, and `double` */
  ROOFTILE_INT8_INT32 = 9 /**< `int8_t`, and `int32_t`: exact, and modulo 2^32 where that overflows */
} rooftile_type;

/** How a matrix lies: element (i,j) is element `i * row_stride + j * col_stride` from the first on. Leading dimensions,
 * sub-matrices and transposes are nothing but strides. */
typedef struct rooftile_layout {
  int64_t rows;       /**< the first extent, 0 or more */
  int64_t cols;       /**< the second extent, 0 or more */
  int64_t row_stride; /**< elements from one row to the next */
  int64_t col_stride; /**< elements from one column to the next */
  int64_t conjugated; /**< not 0: read as conjugates. Of real numbers the same */
} rooftile_layout;

/** By rows, `ld` elements from one row to the next. */
static inline rooftile_layout rooftile_row_major(int64_t rows, int64_t cols, int64_t ld) {
  const rooftile_layout layout = {rows, cols, ld, 1, 0};
  return layout;
}

/** By columns, as in Fortran and BLAS, `ld` elements from one column to the next. */
static inline rooftile_layout rooftile_column_major(int64_t rows, int64_t cols, int64_t ld) {
  const rooftile_layout layout = {rows, cols, 1, ld, 0};
  return layout;
}

/** The same memory read as (cols, rows): BLAS' operation T. */
static inline rooftile_layout rooftile_transposed(rooftile_layout x) {
  const rooftile_layout layout = {x.cols, x.rows, x.col_stride, x.row_stride, x.conjugated};
  return layout;
}

/** The same memory read as the conjugates of what it is read as now. */
static inline rooftile_layout rooftile_conjugated(rooftile_layout x) {
  x.conjugated = !x.conjugated;
  return x;
}

/** Both: BLAS' operation C. */
static inline rooftile_layout rooftile_adjoint(rooftile_layout x) {
  return rooftile_conjugated(rooftile_transposed(x));
}

/** What calls are made with. One thread at a time may use it. */
typedef struct rooftile_context* rooftile_handle;

/** Makes a handle. Starts no thread.
 * @param[out] handle  the new one; untouched where there is no memory for it */
rooftile_status rooftile_create(rooftile_handle* handle);

/** Makes a handle that computes on an NVIDIA GPU, in a stream of CUDA: calls with it put products into the stream and
 * return, and later work of the stream finds them computed. Matrices lie in memory of the stream's device, and so do the
 * arrays of addresses of `rooftile_gemm_batched`, whose entries nobody checks; alpha, beta and the products of a group lie
 * on the host and are read during the call. A stream may be captured. Not for mixed types. A call returns
 * `ROOFTILE_INVALID_VALUE` where an operand lies in memory that the device does not reach, or at an address that is not a
 * multiple of its element size; the message names it.
 * @param[out] handle  the new one; untouched where there is none
 * @param stream       a `cudaStream_t`, which outlives the calls; null: the default stream of the current device */
rooftile_status rooftile_create_on_stream(rooftile_handle* handle, void* stream);

/** Sets how many threads share the work of each later call with the handle. Other handles, the program's own parallel
 * regions and what `omp_get_max_threads` returns stay as they are. In a parallel region the calling thread still computes
 * alone. OpenMP may start fewer threads, as with `OMP_THREAD_LIMIT`. The results' bits do not depend on the number.
 *
 * Thread safety: as every call with a handle. Different host threads may call at the same time with different handles, not
 * with one.
 * @param threads  1 or more; 0, as after `rooftile_create`: as many as OpenMP says at each call
 * @return ROOFTILE_INVALID_VALUE where the handle is null or `threads` is negative; the number stays then */
rooftile_status rooftile_set_num_threads(rooftile_handle handle, int threads);

/** Ends a handle. Null is nothing to do. */
void rooftile_destroy(rooftile_handle handle);

/** Why the handle's last call that failed did: `<problem> (<values>): <what to do>`, at most 511 bytes. Empty if none
 * failed. Valid until the next call with the handle. */
const char* rooftile_last_message(rooftile_handle handle);

/** What a `rooftile_status` says, `success`. */
const char* rooftile_status_string(int status);

/** The version of the library that runs, which may be newer than ROOFTILE_VERSION_MAJOR, _MINOR and _PATCH of the
 * header. Each pointer may be null. */
void rooftile_version(int* major, int* minor, int* patch);

/** C = alpha·A·B + beta·C, as BLAS' gemm: `beta` 0 overwrites C, NaN included; `alpha` 0 reads neither A nor B; with
 * K = 0, C is scaled; an empty C is nothing to do.
 *
 * The calling thread keeps a workspace for its next products, until it ends: of at most 20 MiB, and for batches and groups
 * of at most that for each thread that computes.
 *
 * @param type        one of `rooftile_type`: what A, B and C are made of
 * @param alpha,beta  one number each, as `rooftile_type` says
 * @param A,B,C       elements (0,0) of (m,k), (k,n) and (m,n), which `a`, `b` and `c` say. C must not overlap A, B or
 *                    itself. A complex number is aligned to one of its parts
 * @return ROOFTILE_INVALID_VALUE where the handle, a scalar or the data of a matrix that has elements is null, `type` is
 *         none, extents are negative, do not conform or overflow, or C overlaps: `rooftile_last_message` tells.
 *         ROOFTILE_OUT_OF_MEMORY where there is none for a workspace */
rooftile_status rooftile_gemm(rooftile_handle handle, int type, const void* alpha, const void* A,
                              rooftile_layout a, const void* B, rooftile_layout b, const void* beta, void* C,
                              rooftile_layout c);

/** The same for `count` products C_i = alpha·A_i·B_i + beta·C_i whose matrices lie at equal distances.
 * @param stride_a,stride_b,stride_c  elements from one matrix to the next; 0: all products share A, or B
 * @return also ROOFTILE_INVALID_VALUE where `count` is negative, or products share elements of C */
rooftile_status rooftile_gemm_strided_batched(rooftile_handle handle, int type, const void* alpha, const void* A,
                                              rooftile_layout a, int64_t stride_a, const void* B, rooftile_layout b,
                                              int64_t stride_b, const void* beta, void* C, rooftile_layout c,
                                              int64_t stride_c, int64_t count);

/** How matrices of a batch in two dimensions follow each other. */
typedef struct rooftile_steps {
  int64_t outer; /**< elements from a matrix to that of the next entry of the outer dimension; 0: they share one */
  int64_t inner; /**< the same of the inner dimension */
} rooftile_steps;

/** The same for `outer` times `inner` products in two dimensions, as of heads and sequences:
 * C_ij = alpha·A_ij·B_ij + beta·C_ij, where matrix (i,j) begins `i * outer + j * inner` elements, of its steps, behind
 * matrix (0,0).
 * @param steps_a,steps_b,steps_c  how matrices follow each other; a 0: along that dimension, all products share A, or B
 * @return also ROOFTILE_INVALID_VALUE where `outer` or `inner` is negative, or products share elements of C */
rooftile_status rooftile_gemm_nested_batched(rooftile_handle handle, int type, const void* alpha, const void* A,
                                             rooftile_layout a, rooftile_steps steps_a, const void* B, rooftile_layout b,
                                             rooftile_steps steps_b, const void* beta, void* C, rooftile_layout c,
                                             rooftile_steps steps_c, int64_t outer, int64_t inner);

/** The same for matrices that lie anywhere.
 * @param A,B,C  (count) addresses of elements (0,0) each; null where no matrix of the array is read or written. Matrices
 *               of C must not share elements with each other, nor with A or B: nobody checks that
 * @return also ROOFTILE_INVALID_VALUE where an address of a matrix that is read or written is null */
rooftile_status rooftile_gemm_batched(rooftile_handle handle, int type, const void* alpha, const void* const* A,
                                      rooftile_layout a, const void* const* B, rooftile_layout b, const void* beta,
                                      void* const* C, rooftile_layout c, int64_t count);

/** One product of a group, what `rooftile_gemm` takes. */
typedef struct rooftile_product {
  const void* alpha; /**< one number */
  const void* A;     /**< element (0,0) of (m,k) */
  rooftile_layout a; /**< how A lies */
  const void* B;     /**< element (0,0) of (k,n) */
  rooftile_layout b; /**< how B lies */
  const void* beta;  /**< one number */
  void* C;           /**< element (0,0) of (m,n) */
  rooftile_layout c; /**< how C lies */
} rooftile_product;

/** The same for `count` products of one type, each with a shape, layouts, alpha and beta of its own. Threads divide them
 * among each other: each computes small ones by itself, the larger ones first; what is large, all compute together.
 * @param products  (count); matrices of C must not share elements with each other, nor with any A or B: nobody checks that
 * @return as `rooftile_gemm`, the message after the number of the product, counted from 0: no C is written then. Also
 *         ROOFTILE_INVALID_VALUE where `count` is negative, or `products` null and `count` not 0 */
rooftile_status rooftile_gemm_grouped(rooftile_handle handle, int type, const rooftile_product* products, int64_t count);

#ifdef __cplusplus
}
#endif

#endif
