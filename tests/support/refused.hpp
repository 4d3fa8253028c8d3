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

/// The message with which a call is refused. Empty if the call succeeds.
template <class F>
std::string refused(const F& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// The first part of that message: the problem with its values, without the advice.
template <class F>
std::string problem(const F& call) {
  const std::string text = refused(call);
  const std::size_t end = text.find("): ");
  return end == text.npos ? text : text.substr(0, end + 1);
}

/// The message for a C that overlaps an operand X.
template <class T>
std::string overlap_with(std::string_view name, const MatrixRef<const std::type_identity_t<T>>& X,
                         const MatrixRef<T>& C) {
  return detail::text("C overlaps ", name, " (", static_cast<const void*>(C.data), " and ",
                      static_cast<const void*>(X.data), "): give C its own memory");
}

/// The message for a batch C whose matrices overlap each other.
template <class T>
std::string products_overlap(const MatrixRef<T>& C, Index stride) {
  return detail::text("products overlap (C ", C.rows, " x ", C.cols, ", strides ", C.row_stride, " and ",
                      C.col_stride, ", batch stride ", stride,
                      " elements): give a batch stride of at least a matrix");
}

/// The names of all kernels, as in messages.
inline std::string all_kernels() {
  std::string names;
  for (const Rung& rung : ladder) names += (names.empty() ? "" : ", ") + std::string(rung.name);
  return names;
}

}  // namespace rooftile::testing
