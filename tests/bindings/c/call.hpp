// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bindings/c/rooftile.h"
#include "rooftile/problem.hpp"

namespace rooftile::testing {

/// A handle of the C interface, until it goes out of scope; null, which no call takes, where there is none.
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

template <class T>
constexpr int c_type = static_cast<int>(type_of<T>());

template <class T>
rooftile_layout layout_of(const MatrixRef<T>& X) {
  return {X.rows, X.cols, X.row_stride, X.col_stride, detail::reads_conjugates(X) ? 1 : 0};
}

/// Products whose matrices lie at equal distances.
template <class T>
rooftile_status call(rooftile_handle handle, const BatchArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args.first;
  const auto& [count, stride_a, stride_b, stride_c] = args.batch;
  return rooftile_gemm_strided_batched(handle, c_type<T>, &alpha, A.data, layout_of(A), stride_a, B.data,
                                       layout_of(B), stride_b, &beta, C.data, layout_of(C), stride_c, count);
}

}  // namespace rooftile::testing
