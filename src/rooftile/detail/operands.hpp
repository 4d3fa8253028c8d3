// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>

#include "rooftile/detail/batch_args.hpp"
#include "rooftile/matrix_views.hpp"
#include "rooftile/problem.hpp"

/// The operand types of the entry points (View, mdspan, MatrixRef), and their conversion to products.
namespace rooftile::detail {

/// @throws Error before `Kokkos::initialize` and after `Kokkos::finalize`
inline void require_kokkos() {
  if (Kokkos::is_initialized()) return;
  throw Error(Kokkos::is_finalized()
                  ? "Kokkos is not running (already finalized): compute before Kokkos::finalize"
                  : "Kokkos is not running (not yet initialized): call Kokkos::initialize first");
}

/// Whether an execution space can access an operand. Only Views have a memory space; other types pass.
template <class Exec, class X>
constexpr bool accessible_from = true;
template <class Exec, class X>
requires requires {
  typename X::memory_space;
}
constexpr bool accessible_from<Exec, X> =
    Kokkos::SpaceAccessibility<Exec, typename X::memory_space>::accessible;

/// Returns an operand of `count` products: a batch of matrices, or one matrix that all products share.
template <class X>
constexpr auto batch_operand(const X& x, Index count) {
  if constexpr (requires { batch_ref(x); }) {
    return batch_ref(x);
  } else {
    return BatchRef<std::remove_reference_t<decltype(*matrix_ref(x).data)>>{matrix_ref(x), 0, count};
  }
}

template <class X>
using MaybeConstElementOf =
    std::remove_reference_t<decltype(*batch_operand(std::declval<const X&>(), 0).first.data)>;
template <class X>
using ElementOf = std::remove_const_t<MaybeConstElementOf<X>>;

/// A matrix; a batch of matrices, or a matrix that a batch shares.
template <class X>
concept MatrixOperand = requires(const X& x) {
  matrix_ref(x);
};
template <class X>
concept BatchOperand = MatrixOperand<X> || requires(const X& x) {
  batch_ref(x);
};

/// The rank of a View or mdspan; -1 for other types.
template <class X>
constexpr int rank_of = -1;
template <class X>
requires requires {
  { X::rank() } -> std::convertible_to<int>;
}
constexpr int rank_of<X> = static_cast<int>(X::rank());

/// Whether X is an operand of one product. Otherwise a static assertion states the reason.
template <class X>
constexpr bool is_matrix() {
  constexpr bool matrix = MatrixOperand<X>;
  constexpr int rank = rank_of<X>;
  static_assert(matrix || rank != 0, "A, B and C are matrices: this View or mdspan has rank 0, not 2");
  static_assert(matrix || rank != 1, "A, B and C are matrices: this View or mdspan has rank 1, not 2");
  static_assert(matrix || rank != 3,
                "A, B and C are matrices: this View or mdspan has rank 3, not 2; several products are for "
                "gemm_batched");
  static_assert(matrix || rank != 4,
                "A, B and C are matrices: this View or mdspan has rank 4, not 2; several products are for "
                "gemm_batched");
  static_assert(matrix || rank <= 4,
                "A, B and C are matrices: this View or mdspan has rank 5 or more, not 2");
  static_assert(
      matrix || rank == 0 || rank == 1 || rank >= 3,
      "A, B and C are Kokkos Views or mdspans of rank 2 with strides, whose elements are read as they "
      "lie, or MatrixRefs: this type is none of them");
  return matrix;
}

/// Whether X is an operand of several products. Otherwise a static assertion states the reason.
/// @tparam shared  all products may share one matrix
template <class X, bool shared>
constexpr bool is_batch() {
  constexpr bool batch = shared ? BatchOperand<X> : BatchOperand<X> && !MatrixOperand<X>;
  static_assert(batch || rank_of<X> != 2,
                "C of several products has rank 3 or 4, or is a BatchRef: this View or "
                "mdspan has rank 2");
  static_assert(batch || rank_of<X> == 2,
                "A, B and C of several products are Kokkos Views or mdspans of rank 3 or 4 with strides, or "
                "BatchRefs; A and B may be matrices: this type is none of them");
  return batch;
}

/// Whether the types of A, B and C match. Returns false for types that are not operands.
/// @tparam takes_mixed  C may be wider than A and B
template <class Exec, class AMatrix, class BMatrix, class CMatrix, bool takes_mixed = true>
constexpr bool go_together() {
  if constexpr (BatchOperand<AMatrix> && BatchOperand<BMatrix> && BatchOperand<CMatrix>) {
    static_assert(
        accessible_from<Exec, AMatrix> && accessible_from<Exec, BMatrix> && accessible_from<Exec, CMatrix>,
        "the execution space cannot reach the memory of A, B or C");
    static_assert(!std::is_const_v<MaybeConstElementOf<CMatrix>>, "C is written to and must not be const");
    using T = ElementOf<CMatrix>;
    constexpr bool one_type = std::is_same_v<ElementOf<AMatrix>, T> && std::is_same_v<ElementOf<BMatrix>, T>;
    constexpr bool mixed =
        std::is_same_v<ElementOf<AMatrix>, ElementOf<BMatrix>> && HasProducts<ElementOf<AMatrix>, T>;
    static_assert(Element<T> || !one_type, "gemm takes float, double, float16, bfloat16 and complex");
    static_assert(one_type || takes_mixed, "A, B and C of a product with an epilogue have one element type");
    static_assert(
        one_type || mixed || !takes_mixed,
        "A, B and C have one element type, or C a wider one: float for float16 and bfloat16, double "
        "for float, std::int32_t for std::int8_t, and float, bfloat16 or float16 for 8-bit floats");
    return ((Element<T> && one_type) || (takes_mixed && mixed)) &&
           !std::is_const_v<MaybeConstElementOf<CMatrix>>;
  } else {
    return false;
  }
}

/// The template argument of `GemmArgs` for operands: the element type, or `Mixed`.
template <class AOperand, class COperand>
using ProductOfOperands = ProductOf<ElementOf<AOperand>, ElementOf<COperand>>;

/// The type of alpha and beta for C. Types that are not operands get double; the entry points report them.
template <class X>
struct ScalarFor {
  using type = double;
};
template <BatchOperand X>
struct ScalarFor<X> {
  using type = Scalar<ElementOf<X>>;
};
template <class X>
using ScalarOf = typename ScalarFor<X>::type;

/// Returns one product, or a batch if C has several matrices. @throws Error if numbers of products differ
template <class Exec, class AOperand, class BOperand, class COperand>
BatchArgs<ProductOfOperands<AOperand, COperand>> args_of(ScalarOf<COperand> alpha, const AOperand& A,
                                                         const BOperand& B, ScalarOf<COperand> beta,
                                                         const COperand& C) {
  using T = ProductOfOperands<AOperand, COperand>;
  if constexpr (MatrixOperand<COperand>) {
    return {{alpha, matrix_ref(A), matrix_ref(B), beta, matrix_ref(C)}, {}};
  } else {
    const auto c = batch_ref(C);
    const BatchArgs<T> args =
        batch_args<T>(alpha, batch_operand(A, c.count), batch_operand(B, c.count), beta, c);
    constexpr bool on_host = std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;
    return on_host ? single_resolved(args) : args;
  }
}

/// Whether operands are valid for `gemm` or a batch. Otherwise a static assertion states the reason.
template <class Exec, class AOperand, class BOperand, class COperand>
constexpr bool are_operands() {
  if constexpr (MatrixOperand<COperand>) {
    return (is_matrix<AOperand>() & is_matrix<BOperand>()) &&
           go_together<Exec, AOperand, BOperand, COperand>();
  } else {
    return (is_batch<AOperand, true>() & is_batch<BOperand, true>() & is_batch<COperand, false>()) &&
           go_together<Exec, AOperand, BOperand, COperand>();
  }
}

}  // namespace rooftile::detail
