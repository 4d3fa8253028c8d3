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

  /// Multiplications and additions of elements, 2·m·n·k: the convention of BLAS benchmarks, which count four
  /// times as many of complex ones (`flops_of`). A double, since 2·10⁷ cubed no longer fits 64 bits.
  constexpr double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }

  /// Compulsory traffic in bytes: A and B read once and C written once, and read once if `beta` is not zero.
  constexpr double bytes(std::size_t element_size, bool reads_c = false) const {
    const double m_ = static_cast<double>(m), n_ = static_cast<double>(n), k_ = static_cast<double>(k);
    return static_cast<double>(element_size) * (m_ * k_ + k_ * n_ + (reads_c ? 2.0 : 1.0) * m_ * n_);
  }

  /// FLOP per byte of compulsory traffic: the abscissa of the roofline that no kernel can exceed.
  constexpr double intensity(std::size_t element_size, bool reads_c = false) const {
    const double traffic = bytes(element_size, reads_c);
    return traffic > 0 ? flops() / traffic : 0;
  }

  /// Member by member.
  friend constexpr bool operator==(const GemmShape&, const GemmShape&) = default;
};

/// Multiplications and additions of real numbers: of complex elements 8·m·n·k.
/// @param type  of A and B
constexpr double flops_of(const GemmShape& shape, Type type) {
  return shape.flops() * real_multiply_adds(type);
}

/// `2000x3000x2500`
inline std::string to_string(const GemmShape& shape) {
  return std::to_string(shape.m) + 'x' + std::to_string(shape.n) + 'x' + std::to_string(shape.k);
}

template <class T>
struct BatchArgs;

/// One product C = alpha·A·B + beta·C, ready for a kernel.
/// @tparam T  the elements of all three, or `Mixed`
template <class T>
struct GemmArgs {
  Scalar<T> alpha;           ///< 0: neither A nor B is read
  MatrixRef<const In<T>> A;  ///< (M,K)
  MatrixRef<const In<T>> B;  ///< (K,N)
  Scalar<T> beta;            ///< 0: C is overwritten
  MatrixRef<Out<T>> C;       ///< (M,N)

  /// M and N of C, K of A.
  constexpr GemmShape shape() const { return {C.rows, C.cols, A.cols}; }

  /// The same product as Cᵀ = Bᵀ·Aᵀ.
  ROOFTILE_FUNCTION constexpr GemmArgs transposed() const {
    return {alpha, B.transposed(), A.transposed(), beta, C.transposed()};
  }

  /// The same product with conjugates for all complex numbers.
  ROOFTILE_FUNCTION constexpr GemmArgs conjugated() const {
    return {detail::conjugated_if(true, alpha), A.conjugated(), B.conjugated(),
            detail::conjugated_if(true, beta), C.conjugated()};
  }

  /// A product may be passed where a batch is wanted: it is the batch of one.
  constexpr operator BatchArgs<T>() const { return BatchArgs<T>{*this, {}}; }
};

/// How many products there are, and how many elements lie between the beginnings of the operands of one and
/// of the next; in two dimensions within the inner one, and from one of the outer one to the next.
struct Batch {
  Index count = 1;     ///< of products
  Index stride_a = 0;  ///< 0: all products have the same A
  Index stride_b = 0;  ///< 0: all products have the same B
  Index stride_c = 0;  ///< elements
  Index inner = 0;  ///< of two dimensions: products of the inner one, which divides `count`; 0: there is one
  Index outer_a = 0;  ///< of two: elements from product i to product i + inner
  Index outer_b = 0;  ///< the same
  Index outer_c = 0;  ///< the same

  /// Member by member.
  friend constexpr bool operator==(const Batch&, const Batch&) = default;
};

/// Where the operands of products lie that lie anywhere: each an array of addresses of elements (0,0), in
/// memory that whoever computes can read, or null where they lie at equal distances.
template <class T>
struct BatchPointers {
  const In<T>* const* a = nullptr;  ///< (count)
  const In<T>* const* b = nullptr;  ///< (count)
  Out<T>* const* c = nullptr;       ///< (count)

  /// Whether there are any.
  constexpr bool any() const { return a != nullptr || b != nullptr || c != nullptr; }

  /// Those from product `begin` on.
  constexpr BatchPointers from(Index begin) const {
    const auto on = [begin](auto array) { return array != nullptr ? array + begin : nullptr; };
    return {on(a), on(b), on(c)};
  }
};

/// Products of one shape. Of an operand that has pointers, the stride is 0, and the `data` of the first
/// product is no memory but an address that is aligned as all the pointers are promised to be.
template <class T>
struct BatchArgs {
  GemmArgs<T> first;               ///< product 0
  Batch batch;                     ///< how many there are, and how far apart
  BatchPointers<T> pointers = {};  ///< where operands lie that lie anywhere

  /// Of each product.
  constexpr GemmShape shape() const { return first.shape(); }

  /// @{
  /// The address of an operand's element (0,0) in product i. @pre 0 ≤ i < count
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

  /// Product i. @pre 0 ≤ i < count; whoever calls can read the pointers
  constexpr GemmArgs<T> product(Index i) const {
    GemmArgs<T> args = first;
    args.A.data = a(i), args.B.data = b(i), args.C.data = c(i);
    return args;
  }

  /// `count` of the products, from number `begin` on: of two dimensions in one where they are of one entry of
  /// the outer one, else in two. Reads no pointer. @pre in two, whole entries of the outer one
  constexpr BatchArgs part(Index begin, Index count) const {
    GemmArgs<T> args = first;
    args.A.data += to(begin, batch.stride_a, batch.outer_a);
    args.B.data += to(begin, batch.stride_b, batch.outer_b);
    args.C.data += to(begin, batch.stride_c, batch.outer_c);
    Batch some{count, batch.stride_a, batch.stride_b, batch.stride_c};
    if (batch.inner != 0 && count > batch.inner) {
      some.inner = batch.inner;
      some.outer_a = batch.outer_a, some.outer_b = batch.outer_b, some.outer_c = batch.outer_c;
    }
    return {args, some, pointers.from(begin)};
  }

  /// The same products as Cᵀ = Bᵀ·Aᵀ.
  constexpr BatchArgs transposed() const {
    return {first.transposed(),
            {batch.count, batch.stride_b, batch.stride_a, batch.stride_c, batch.inner, batch.outer_b,
             batch.outer_a, batch.outer_c},
            {pointers.b, pointers.a, pointers.c}};
  }

 private:
  constexpr Index to(Index i, Index stride, Index outer_stride) const {
    return detail::elements_to(i, stride, batch.inner, outer_stride);
  }
};

}  // namespace rooftile
