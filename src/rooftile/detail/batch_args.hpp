// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "rooftile/error.hpp"
#include "rooftile/problem.hpp"

/// Converts the operands of a batch call to `BatchArgs`.
namespace rooftile::detail {

/// @throws Error always: an extent times a stride overflows an Index
[[noreturn]] void refuse_offsets(const char* name, Index extent, Index step);

/// Returns matrix 0 of an operand for `BatchArgs`. With pointers, its address is the promised alignment.
/// @throws Error if the promised alignment is not valid
template <class T>
MatrixRef<T> first_of(const char* name, const BatchRef<T>& X) {
  if (X.pointers == nullptr) return X.first;
  if (X.alignment < static_cast<Index>(alignof(T)) ||
      !std::has_single_bit(static_cast<std::uint64_t>(X.alignment))) {
    throw Error(text("invalid alignment of pointers (", name, ", ", X.alignment,
                     " bytes): promise a power of two, ", alignof(T), " or more"));
  }
  return X.first.at(reinterpret_cast<T*>(static_cast<std::uintptr_t>(X.alignment)));
}

/// Returns the products of the inner of two batch dimensions; 0: one dimension.
/// @throws Error if the operands differ
template <class A, class B, class C>
Index inner_of(const BatchRef<A>& X, const BatchRef<B>& Y, const BatchRef<C>& Z) {
  Index inner = 0;
  const Index all[] = {X.inner, Y.inner, Z.inner};  // named: nvcc 13 miscompiles a list in the loop head
  for (const Index one : all) {
    if (one != 0 && inner != 0 && one != inner) {
      throw Error(text("inner dimensions of batches differ (A ", X.inner, ", B ", Y.inner, ", C ", Z.inner,
                       ", 0: no second dimension): give all the same number"));
    }
    inner = inner != 0 ? inner : one;
  }
  return inner;
}

/// Returns the elements from matrix i to matrix i + `inner`.
template <class T>
Index outer_stride_of(const char* name, const BatchRef<T>& X, Index inner) {
  Index stride = X.pointers == nullptr ? X.outer_stride : 0;
  if (inner == 0 || X.inner != 0 || X.pointers != nullptr) return stride;
  if (__builtin_mul_overflow(inner, X.stride, &stride)) refuse_offsets(name, inner, X.stride);
  return stride;
}

/// Returns the products of a batch.
/// @throws Error if the operands differ in the number of matrices, or in the inner of two dimensions
template <class T>
BatchArgs<T> batch_args(Scalar<T> alpha, const BatchRef<const In<T>>& A, const BatchRef<const In<T>>& B,
                        Scalar<T> beta, const BatchRef<Out<T>>& C) {
  if (A.count != C.count || B.count != C.count) {
    throw Error(text("numbers of products differ (A ", A.count, ", B ", B.count, ", C ", C.count,
                     "): give as many matrices of each, or one A or B as a matrix"));
  }
  const auto stride = [](const auto& X) { return X.pointers == nullptr ? X.stride : 0; };
  const Index inner = inner_of(A, B, C);
  return {{alpha, first_of("A", A), first_of("B", B), beta, first_of("C", C)},
          {C.count, stride(A), stride(B), stride(C), inner, outer_stride_of("A", A, inner),
           outer_stride_of("B", B, inner), outer_stride_of("C", C, inner)},
          {A.pointers, B.pointers, C.pointers}};
}

/// Converts a batch of one product by pointers to a strided product, which all checks cover. Other batches
/// are returned unchanged. @pre the host can read the pointers
template <class T>
BatchArgs<T> single_resolved(const BatchArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args.first;
  if (args.batch.count != 1 || !args.pointers.any() || C.rows == 0 || C.cols == 0) return args;
  BatchArgs<T> followed = args;
  if (alpha == Scalar<T>(0) || A.cols == 0) followed.pointers.a = followed.pointers.b = nullptr;
  return followed.product(0);
}

}  // namespace rooftile::detail
