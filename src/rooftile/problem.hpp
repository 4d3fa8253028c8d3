// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include "rooftile/matrix.hpp"
#include "rooftile/types.hpp"

namespace rooftile {

/// The extents of C (m,n) += A (m,k) · B (k,n).
struct GemmShape {
  Index m = 0;  ///< rows of A and C
  Index n = 0;  ///< columns of B and C
  Index k = 0;  ///< columns of A, rows of B

  /// Returns the multiplications and additions of elements, 2·m·n·k, as BLAS benchmarks count. Complex
  /// elements take four times as many real ones (`flops_of`). A double, since large counts exceed 64 bits.
  constexpr double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }

  /// Returns the compulsory traffic in bytes: A and B are read once, C is written once, and read if
  /// `reads_c`.
  constexpr double bytes(std::size_t element_size, bool reads_c = false) const {
    const double m_ = static_cast<double>(m), n_ = static_cast<double>(n), k_ = static_cast<double>(k);
    return static_cast<double>(element_size) * (m_ * k_ + k_ * n_ + (reads_c ? 2.0 : 1.0) * m_ * n_);
  }

  /// Returns the FLOP per byte of compulsory traffic: the highest intensity of any kernel.
  constexpr double intensity(std::size_t element_size, bool reads_c = false) const {
    const double traffic = bytes(element_size, reads_c);
    return traffic > 0 ? flops() / traffic : 0;
  }

  /// Compares all members.
  friend constexpr bool operator==(const GemmShape&, const GemmShape&) = default;
};

/// Returns the multiplications and additions of real numbers: 8·m·n·k for complex elements.
/// @param type  element type of A and B
constexpr double flops_of(const GemmShape& shape, Type type) {
  return shape.flops() * real_multiply_adds(type);
}

/// Returns `2000x3000x2500`.
inline std::string to_string(const GemmShape& shape) {
  return std::to_string(shape.m) + 'x' + std::to_string(shape.n) + 'x' + std::to_string(shape.k);
}

template <class T>
struct BatchArgs;

/// One product C = alpha·A·B + beta·C, as kernels take it.
/// @tparam T  the element type, or `Mixed`
template <class T>
struct GemmArgs {
  Scalar<T> alpha;           ///< 0: A and B are not read
  MatrixRef<const In<T>> A;  ///< (M,K)
  MatrixRef<const In<T>> B;  ///< (K,N)
  Scalar<T> beta;            ///< 0: C is overwritten
  MatrixRef<Out<T>> C;       ///< (M,N)

  /// Returns M, N and K.
  constexpr GemmShape shape() const { return {C.rows, C.cols, A.cols}; }

  /// Returns the product as Cᵀ = Bᵀ·Aᵀ.
  ROOFTILE_FUNCTION constexpr GemmArgs transposed() const {
    return {alpha, B.transposed(), A.transposed(), beta, C.transposed()};
  }

  /// Returns the product with all complex numbers conjugated.
  ROOFTILE_FUNCTION constexpr GemmArgs conjugated() const {
    return {detail::conjugated_if(true, alpha), A.conjugated(), B.conjugated(),
            detail::conjugated_if(true, beta), C.conjugated()};
  }

  /// A product converts to a batch of one.
  constexpr operator BatchArgs<T>() const { return BatchArgs<T>{*this, {}}; }
};

/// The number of products, and the elements between the operands of consecutive products. With two
/// dimensions, the strides are those of the inner one.
struct Batch {
  Index count = 1;     ///< number of products
  Index stride_a = 0;  ///< 0: all products share A
  Index stride_b = 0;  ///< 0: all products share B
  Index stride_c = 0;  ///< elements
  Index inner = 0;     ///< products of the inner of two dimensions, which divides `count`; 0: one
  Index outer_a = 0;   ///< elements from the operands of product i to those of i + inner
  Index outer_b = 0;   ///< see `outer_a`
  Index outer_c = 0;   ///< see `outer_a`

  /// Compares all members.
  friend constexpr bool operator==(const Batch&, const Batch&) = default;
};

/// Operands at arbitrary addresses: arrays of the addresses of elements (0,0), in memory that the computing
/// device reads; null if the operand is strided.
template <class T>
struct BatchPointers {
  const In<T>* const* a = nullptr;  ///< (count)
  const In<T>* const* b = nullptr;  ///< (count)
  Out<T>* const* c = nullptr;       ///< (count)

  /// Whether an operand has pointers.
  constexpr bool any() const { return a != nullptr || b != nullptr || c != nullptr; }

  /// Returns the pointers from product `begin` on.
  constexpr BatchPointers from(Index begin) const {
    const auto on = [begin](auto array) { return array != nullptr ? array + begin : nullptr; };
    return {on(a), on(b), on(c)};
  }
};

/// Products of one shape. The stride of an operand with pointers is 0, and its `data` is not memory but an
/// address with the promised alignment.
template <class T>
struct BatchArgs {
  GemmArgs<T> first;               ///< product 0
  Batch batch;                     ///< number of products and strides
  BatchPointers<T> pointers = {};  ///< of operands at arbitrary addresses

  /// Returns M, N and K of each product.
  constexpr GemmShape shape() const { return first.shape(); }

  /// @{
  /// Returns the address of element (0,0) of an operand in product i. @pre 0 ≤ i < count
  constexpr const In<T>* a(Index i) const {
    return pointers.a != nullptr ? pointers.a[i] : first.A.data + to(i, batch.stride_a, batch.outer_a);
  }
  constexpr const In<T>* b(Index i) const {
    return pointers.b != nullptr ? pointers.b[i] : first.B.data + to(i, batch.stride_b, batch.outer_b);
  }
  constexpr Out<T>* c(Index i) const {
    return pointers.c != nullptr ? pointers.c[i] : first.C.data + to(i, batch.stride_c, batch.outer_c);
  }
  /// @}

  /// Returns product i. @pre 0 ≤ i < count; the caller can read the pointers
  constexpr GemmArgs<T> product(Index i) const {
    GemmArgs<T> args = first;
    args.A.data = a(i), args.B.data = b(i), args.C.data = c(i);
    skip_scales(args, i);
    return args;
  }

  /// Returns `count` products from number `begin` on. They have two dimensions only if they span several
  /// entries of the outer one. Reads no pointer. @pre with two dimensions, whole entries of the outer one
  constexpr BatchArgs part(Index begin, Index count) const {
    GemmArgs<T> args = first;
    args.A.data += to(begin, batch.stride_a, batch.outer_a);
    args.B.data += to(begin, batch.stride_b, batch.outer_b);
    args.C.data += to(begin, batch.stride_c, batch.outer_c);
    skip_scales(args, begin);
    Batch some{count, batch.stride_a, batch.stride_b, batch.stride_c};
    if (batch.inner != 0 && count > batch.inner) {
      some.inner = batch.inner;
      some.outer_a = batch.outer_a, some.outer_b = batch.outer_b, some.outer_c = batch.outer_c;
    }
    return {args, some, pointers.from(begin)};
  }

  /// Returns the products as Cᵀ = Bᵀ·Aᵀ.
  constexpr BatchArgs transposed() const {
    return {first.transposed(),
            {batch.count, batch.stride_b, batch.stride_a, batch.stride_c, batch.inner, batch.outer_b,
             batch.outer_a, batch.outer_c},
            {pointers.b, pointers.a, pointers.c}};
  }

 private:
  /// Replaces the scales of product 0 by those of product i.
  static constexpr void skip_scales([[maybe_unused]] GemmArgs<T>& args, [[maybe_unused]] Index i) {
    if constexpr (detail::Float8<In<T>>)
      args.A.scales = args.A.scales.of_entry(i), args.B.scales = args.B.scales.of_entry(i);
  }
  constexpr Index to(Index i, Index stride, Index outer_stride) const {
    return detail::elements_to(i, stride, batch.inner, outer_stride);
  }
};

}  // namespace rooftile
