// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "rooftile/matrix_views.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/types.hpp"
#include "team/check.hpp"

namespace rooftile {

/// Options of `team_gemm`, `vector_gemm`, `thread_gemm` and `cuda_native::block_gemm`.
/// @tparam M,N,K  constant extents, for which the compiler unrolls loops; 0: known at run time
/// @tparam math   `ComputeMode::tf32` multiplies fp32 operands in tf32; `automatic` keeps full accuracy
template <Index M = 0, Index N = 0, Index K = 0, ComputeMode math = ComputeMode::automatic>
struct TeamGemmOptions {
  /// false: no thread of the team has just written operands that other threads read in this call
  bool barrier_before = true;
  /// false: no thread of the team reads C or overwrites A, B or `scratch` afterwards
  bool barrier_after = true;
  /// level-0 scratch memory for copies of A and B, aligned to 16 bytes
  void* scratch = nullptr;
  /// size of `scratch` in bytes; if the copies do not fit, A and B are read in place
  std::size_t scratch_bytes = 0;
};

namespace detail {

template <class Options>
struct TeamOptions;
template <Index M_, Index N_, Index K_, ComputeMode math_>
struct TeamOptions<TeamGemmOptions<M_, N_, K_, math_>> {
  static constexpr Index M = M_, N = N_, K = K_;
  static constexpr ComputeMode math = math_;
};

/// A team member of any Kokkos execution space.
template <class Member>
concept TeamMember = requires(const Member& member) {
  { member.team_rank() } -> std::convertible_to<int>;
  { member.team_size() } -> std::convertible_to<int>;
  member.team_barrier();
};

template <class X>
concept TeamOperand = requires(const X& x) {
  matrix_ref(x).row_stride;
};
template <class X>
struct TeamElement {
  using type = void;
};
template <TeamOperand X>
struct TeamElement<X> {
  using type = std::remove_pointer_t<decltype(matrix_ref(std::declval<const X&>()).data)>;
};
template <class X>
using TeamElementOf = std::remove_const_t<typename TeamElement<X>::type>;

/// Whether a product in a team supports the element types.
template <class A, class B, class C>
inline constexpr bool has_team_product = Element<A>&& std::is_same_v<A, B> &&
                                         (std::is_same_v<A, C> || (Element16<A> && std::is_same_v<C, float>));

template <class C>
struct TeamScalarOf {
  using type = double;
};
template <Element C>
struct TeamScalarOf<C> {
  using type = Scalar<C>;
};
/// The type of alpha and beta.
template <class CMatrix>
using TeamScalar = typename TeamScalarOf<TeamElementOf<CMatrix>>::type;

/// Whether the operands and options of a call match. Otherwise a static assertion states the reason.
template <class Options, class AMatrix, class BMatrix, class CMatrix>
ROOFTILE_FUNCTION constexpr bool are_team_operands() {
  constexpr bool matrices = TeamOperand<AMatrix> && TeamOperand<BMatrix> && TeamOperand<CMatrix>;
  static_assert(matrices, "A, B and C are Kokkos Views or mdspans of rank 2 with strides, or MatrixRefs");
  if constexpr (matrices) {
    using E = TeamElementOf<AMatrix>;
    using R = TeamElementOf<CMatrix>;
    constexpr ComputeMode math = TeamOptions<Options>::math;
    constexpr bool written = !std::is_const_v<typename TeamElement<CMatrix>::type>;
    constexpr bool types = has_team_product<E, TeamElementOf<BMatrix>, R>;
    constexpr bool mode =
        math == ComputeMode::automatic || (std::is_same_v<E, float> && math == ComputeMode::tf32);
    static_assert(written, "C is written to and must not be const");
    static_assert(types,
                  "A, B and C of a product in a team have one element type (double, float, float16, bfloat16 "
                  "or complex), or C of float16 or bfloat16 operands is float");
    static_assert(mode || !types,
                  "the compute mode of a product in a team is automatic, or tf32 where operands are float");
    return written && types && mode;
  } else {
    return false;
  }
}

/// Returns the product of a call, with the constant extents of the options.
template <class Options, class AMatrix, class BMatrix, class CMatrix>
ROOFTILE_FUNCTION constexpr auto team_args(TeamScalar<CMatrix> alpha, const AMatrix& A, const BMatrix& B,
                                           TeamScalar<CMatrix> beta, const CMatrix& C) {
  using Given = TeamOptions<Options>;
  GemmArgs<ProductOf<TeamElementOf<AMatrix>, TeamElementOf<CMatrix>>> args{
      alpha, matrix_ref(A), matrix_ref(B), beta, matrix_ref(C)};
#if defined(KOKKOS_ENABLE_DEBUG) || defined(ROOFTILE_CHECK_TEAMS)
  check_team_product(args, Given::M, Given::N, Given::K);
#endif
  if constexpr (Given::M > 0) args.A.rows = args.C.rows = Given::M;
  if constexpr (Given::N > 0) args.B.cols = args.C.cols = Given::N;
  if constexpr (Given::K > 0) args.A.cols = args.B.rows = Given::K;
  return args;
}

}  // namespace detail
}  // namespace rooftile
