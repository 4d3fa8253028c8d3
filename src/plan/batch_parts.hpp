// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include "rooftile/problem.hpp"

/// Products as launches and kernels get them.
namespace rooftile {

namespace detail {

/// Whether a kernel that multiplies elements of A as they lie there reads those of B as conjugates of what
/// lies there, and then stores the sums' conjugates if A is read so: conj(A)·B = conj(A·conj(B)).
template <class T>
ROOFTILE_FUNCTION constexpr bool conjugates_b(const MatrixRef<const T>& A, const MatrixRef<const T>& B) {
  return reads_conjugates(A) != reads_conjugates(B);
}

}  // namespace detail

/// Products of one shape whose operands lie at equal distances, in one dimension: what kernels of GPUs get.
template <class T>
struct StridedArgs {
  GemmArgs<T> first;  ///< product 0
  Batch batch;        ///< how many there are, and how far apart

  /// Product i. @pre 0 ≤ i < count
  ROOFTILE_FUNCTION constexpr GemmArgs<T> product(Index i) const {
    GemmArgs<T> args = first;
    args.A.data += i * batch.stride_a;
    args.B.data += i * batch.stride_b;
    args.C.data += i * batch.stride_c;
    return args;
  }
};

namespace detail {

/// Calls f with parts of a batch. @param both  whether they may have two dimensions
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

/// Calls f with parts of a batch that have at most so many products and one dimension, and, if it takes that,
/// the number of their first product.
template <class T, class F>
void for_each_part(const BatchArgs<T>& args, Index max_count, const F& f) {
  detail::for_each_part(args, max_count, false, f);
}

/// The same for kernels that know both dimensions: whole entries of the outer one, where so many products are
/// one.
template <class T, class F>
void for_each_launch(const BatchArgs<T>& args, Index max_count, const F& f) {
  detail::for_each_part(args, max_count, true, f);
}

}  // namespace rooftile
