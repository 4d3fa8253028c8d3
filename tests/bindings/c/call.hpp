// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "bindings/c/rooftile.h"
#include "rooftile/problem.hpp"

namespace rooftile::testing {

/// A scoped handle of the C interface. Null, which no call accepts, if the creation fails.
class Handle {
 public:
  Handle() { rooftile_create(&handle_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { rooftile_destroy(handle_); }

  operator rooftile_handle() const { return handle_; }
  std::string message() const { return rooftile_last_message(handle_); }

 private:
  rooftile_handle handle_ = nullptr;
};

/// The C interface's constant for products of T.
template <class T>
constexpr int c_type = [] {
  constexpr std::pair<ComputeMode, int> types[] = {
      {ComputeMode::fp32, ROOFTILE_FP32},           {ComputeMode::fp64, ROOFTILE_FP64},
      {ComputeMode::fp16, ROOFTILE_FP16},           {ComputeMode::bf16, ROOFTILE_BF16},
      {ComputeMode::cfp32, ROOFTILE_CFP32},         {ComputeMode::cfp64, ROOFTILE_CFP64},
      {ComputeMode::fp16_fp32, ROOFTILE_FP16_FP32}, {ComputeMode::bf16_fp32, ROOFTILE_BF16_FP32},
      {ComputeMode::fp32_fp64, ROOFTILE_FP32_FP64}, {ComputeMode::int8_int32, ROOFTILE_INT8_INT32}};
  for (const auto& [math, type] : types) {
    if (math == own_mode<T>()) return type;
  }
  throw "no type of the interface";  // does not compile
}();

template <class T>
rooftile_layout layout_of(const MatrixRef<T>& X) {
  return {X.rows, X.cols, X.row_stride, X.col_stride, detail::reads_conjugates(X) ? 1 : 0};
}

/// Multiplies a batch with constant strides.
template <class T>
rooftile_status call(rooftile_handle handle, const BatchArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args.first;
  const auto& [count, stride_a, stride_b, stride_c, inner, outer_a, outer_b, outer_c] = args.batch;
  if (inner != 0) {
    return rooftile_gemm_nested_batched(handle, c_type<T>, &alpha, A.data, layout_of(A), {outer_a, stride_a},
                                        B.data, layout_of(B), {outer_b, stride_b}, &beta, C.data,
                                        layout_of(C), {outer_c, stride_c}, count / inner, inner);
  }
  return rooftile_gemm_strided_batched(handle, c_type<T>, &alpha, A.data, layout_of(A), stride_a, B.data,
                                       layout_of(B), stride_b, &beta, C.data, layout_of(C), stride_c, count);
}

}  // namespace rooftile::testing
