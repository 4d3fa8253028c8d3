// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "rooftile/error.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/matrix.hpp"

namespace rooftile::testing {

/// What a call refuses with; empty if it does not.
template <class F>
std::string refused(const F& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// The problem and its values of what a call refuses with, without the advice.
template <class F>
std::string problem(const F& call) {
  const std::string text = refused(call);
  const std::size_t end = text.find("): ");
  return end == text.npos ? text : text.substr(0, end + 1);
}

/// What is said where C overlaps an operand X.
template <class T>
std::string overlap_with(std::string_view name, const MatrixRef<const std::type_identity_t<T>>& X,
                         const MatrixRef<T>& C) {
  return detail::text("C overlaps ", name, " (", static_cast<const void*>(C.data), " and ",
                      static_cast<const void*>(X.data), "): write to a matrix of its own");
}

/// What is said where the matrices of a batch C overlap each other.
template <class T>
std::string products_overlap(const MatrixRef<T>& C, Index stride) {
  return detail::text("products overlap (C ", C.rows, " x ", C.cols, ", strides ", C.row_stride, " and ",
                      C.col_stride, ", one of C every ", stride,
                      " elements): give a batch stride of at least a matrix");
}

/// The names of all kernels, as messages list them.
inline std::string all_kernels() {
  std::string names;
  for (const Rung& rung : ladder) names += (names.empty() ? "" : ", ") + std::string(rung.name);
  return names;
}

}  // namespace rooftile::testing
