// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "rooftile/error.hpp"
#include "rooftile/problem.hpp"

/// From the operands that callers give to the products that they mean.
namespace rooftile::detail {

/// What an operand's matrix 0 is in `BatchArgs`: of one with pointers, an address with their alignment.
/// @throws Error where they cannot be aligned so
template <class T>
MatrixRef<T> first_of(const char* name, const BatchRef<T>& X) {
  if (X.pointers == nullptr) return X.first;
  if (X.alignment < static_cast<Index>(alignof(T)) ||
      !std::has_single_bit(static_cast<std::uint64_t>(X.alignment))) {
    throw Error(text("no alignment of pointers (", name, ", ", X.alignment,
                     " bytes): promise a power of two, ", alignof(T), " or more"));
  }
  return X.first.at(reinterpret_cast<T*>(static_cast<std::uintptr_t>(X.alignment)));
}

/// The products of batches. @throws Error where their numbers of matrices differ
template <class T>
BatchArgs<T> batch_args(Scalar<T> alpha, const BatchRef<const In<T>>& A, const BatchRef<const In<T>>& B,
                        Scalar<T> beta, const BatchRef<Out<T>>& C) {
  if (A.count != C.count || B.count != C.count) {
    throw Error(text("numbers of products differ (A ", A.count, ", B ", B.count, ", C ", C.count,
                     "): give as many matrices of each, or one A or B as a matrix"));
  }
  const auto stride = [](const auto& X) { return X.pointers == nullptr ? X.stride : 0; };
  return {{alpha, first_of("A", A), first_of("B", B), beta, first_of("C", C)},
          {C.count, stride(A), stride(B), stride(C)},
          {A.pointers, B.pointers, C.pointers}};
}

/// A batch whose pointers the host can read: where it is a single product, as one that lies there, which then
/// is checked as any other.
template <class T>
BatchArgs<T> single_resolved(const BatchArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args.first;
  if (args.batch.count != 1 || !args.pointers.any() || C.rows == 0 || C.cols == 0) return args;
  BatchArgs<T> followed = args;
  if (alpha == Scalar<T>(0) || A.cols == 0) followed.pointers.a = followed.pointers.b = nullptr;
  return followed.product(0);
}

/// The operands of products.
template <class T>
struct BatchOperands {
  BatchRef<const In<T>> A, B;
  BatchRef<Out<T>> C;
};

/// As callers give them that `batch_args` makes these of.
template <class T>
BatchOperands<T> operands_of(const BatchArgs<T>& args) {
  const auto& [first, batch, pointers] = args;
  const auto operand = [count = batch.count]<class U>(const MatrixRef<U>& X, Index stride, U* const* each) {
    if (each == nullptr) return BatchRef<U>{X, stride, count};
    return pointer_batch(each, X, count, static_cast<Index>(reinterpret_cast<std::uintptr_t>(X.data)));
  };
  return {operand(first.A, batch.stride_a, pointers.a), operand(first.B, batch.stride_b, pointers.b),
          operand(first.C, batch.stride_c, pointers.c)};
}

}  // namespace rooftile::detail
