// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include "cuda_native/check.hpp"
#include "rooftile/matrix.hpp"

/// Tensor maps: descriptions of matrices for TMA.
namespace rooftile::cuda_native {

/// Returns cuTensorMapEncodeTiled of the driver. It is found at run time, so that the library does not link
/// the driver library.
inline PFN_cuTensorMapEncodeTiled_v12000 tensor_map_encoder() {
  static const auto function = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult status;
    check(
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &status),
        "find cuTensorMapEncodeTiled in the CUDA driver");
    if (status != cudaDriverEntryPointSuccess) {
      throw CudaFault(detail::text("the CUDA driver has no cuTensorMapEncodeTiled (status ",
                                   static_cast<int>(status), "): update it to one for CUDA 12 or later"));
    }
    return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(found);
  }();
  return function;
}

/// How TMA converts the elements.
enum class Elements {
  copied,
  rounded_to_tf32,  ///< fp32 elements only
};

template <class T>
constexpr CUtensorMapDataType tensor_map_type(Elements elements) {
  if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  } else if constexpr (std::is_same_v<T, __half>) {
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  } else if constexpr (sizeof(T) == 1) {
    return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  } else {
    return elements == Elements::copied ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32 : CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;
  }
}

/// `planes` matrices (rows,cols), contiguous along rows. TMA copies swizzled boxes of some rows by 128 bytes.
template <class T>
struct TensorPlanes {
  const T* data;
  Index rows, cols;
  Index row_stride;  ///< elements, a multiple of 16 bytes
  Index planes;
  Index plane_stride;  ///< elements, a multiple of 16 bytes
};

template <class T>
CUtensorMap tensor_map(const TensorPlanes<T>& x, int box_rows, Elements elements) {
  CUtensorMap map;
  const cuuint64_t extents[] = {static_cast<cuuint64_t>(x.cols), static_cast<cuuint64_t>(x.rows),
                                static_cast<cuuint64_t>(x.planes)};
  const cuuint64_t strides[] = {x.row_stride * sizeof(T), x.plane_stride * sizeof(T)};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(128 / sizeof(T)), static_cast<cuuint32_t>(box_rows), 1};
  const cuuint32_t steps[] = {1, 1, 1};
  const CUresult status =
      tensor_map_encoder()(&map, tensor_map_type<T>(elements), 3, const_cast<T*>(x.data), extents, strides,
                           box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                           CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS) {
    throw CudaFault(detail::text("the CUDA driver cannot describe a matrix to TMA (status ",
                                 static_cast<int>(status), ", ", x.rows, " x ", x.cols, ", stride ",
                                 x.row_stride, "): name another kernel"));
  }
  return map;
}

}  // namespace rooftile::cuda_native
