// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include "rooftile/problem.hpp"

/// Parts of a batch for launches, and strided products for kernels.
namespace rooftile {

namespace detail {

/// Whether a kernel that never conjugates A conjugates B. If A is conjugated, the kernel stores conjugated
/// sums: conj(A)·B = conj(A·conj(B)).
template <class T>
ROOFTILE_FUNCTION constexpr bool conjugates_b(const MatrixRef<const T>& A, const MatrixRef<const T>& B) {
  return reads_conjugates(A) != reads_conjugates(B);
}

}  // namespace detail

/// Products of one shape with constant strides in one dimension, as GPU kernels take them.
template <class T>
struct StridedArgs {
  GemmArgs<T> first;  ///< product 0
  Batch batch;        ///< number of products and strides

  /// Returns product i. @pre 0 ≤ i < count
  ROOFTILE_FUNCTION constexpr GemmArgs<T> product(Index i) const {
    GemmArgs<T> args = first;
    args.A.data += i * batch.stride_a;
    args.B.data += i * batch.stride_b;
    args.C.data += i * batch.stride_c;
    return args;
  }
};

namespace detail {

/// Calls f with parts of a batch. @param both  parts may have two dimensions
template <class T, class F>
void for_each_part(const BatchArgs<T>& args, Index max_count, bool both, const F& f) {
  const auto& [count, inner] = std::pair(args.batch.count, args.batch.inner);
  const bool whole = both && inner != 0 && max_count >= inner;
  for (Index begin = 0, size = 0; begin < count; begin += size) {
    size = std::min(whole ? max_count / inner * inner : max_count, count - begin);
    if (!whole && inner != 0) size = std::min(size, inner - begin % inner);
    const BatchArgs<T> part = args.part(begin, size);
    if constexpr (std::is_invocable_v<const F&, const BatchArgs<T>&, Index>) {
      f(part, begin);
    } else {
      f(part);
    }
  }
}

}  // namespace detail

/// Calls f with parts of a batch that have one dimension and at most `max_count` products. f may also take
/// the number of the first product.
template <class T, class F>
void for_each_part(const BatchArgs<T>& args, Index max_count, const F& f) {
  detail::for_each_part(args, max_count, false, f);
}

/// Calls f with parts of a batch, for kernels that support two dimensions. A part is whole entries of the
/// outer dimension if one entry has at most `max_count` products.
template <class T, class F>
void for_each_launch(const BatchArgs<T>& args, Index max_count, const F& f) {
  detail::for_each_part(args, max_count, true, f);
}

}  // namespace rooftile
