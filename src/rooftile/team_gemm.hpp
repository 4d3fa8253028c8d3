// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include "rooftile/detail/host_product.hpp"
#include "rooftile/detail/team_operands.hpp"
#include "rooftile/team_plan.hpp"
#include "team/product.hpp"

/// Products inside your own kernel. Your source file compiles the device code.
namespace rooftile {

namespace detail {

/// The executing threads of a team: its threads times their vector lanes.
template <class Member>
ROOFTILE_FUNCTION GroupThread threads_of_team([[maybe_unused]] const Member& member) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return {static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x),
          static_cast<int>(blockDim.x * blockDim.y)};
#else
  return {member.team_rank(), member.team_size()};
#endif
}

/// The vector lanes of a thread.
ROOFTILE_FUNCTION GroupThread lanes_of_thread() {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return {static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)};
#else
  return {0, 1};
#endif
}

/// A barrier of a team.
template <class Member>
struct TeamBarrier {
  const Member& member;
  ROOFTILE_FUNCTION void operator()() const { member.team_barrier(); }
};

/// Waits for the vector lanes of a thread, which are in one warp.
ROOFTILE_FUNCTION void lane_barrier() {
#if defined(__CUDA_ARCH__)
  const unsigned lanes = blockDim.x, first = (threadIdx.y * lanes) % 32;
  __syncwarp(lanes == 32 ? 0xFFFFFFFFU : ((1U << lanes) - 1) << first);
#elif defined(__HIP_DEVICE_COMPILE__)
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup");
  __builtin_amdgcn_wave_barrier();
#endif
}

struct LaneBarrier {
  ROOFTILE_FUNCTION void operator()() const { lane_barrier(); }
};

/// The target of `plan_team` for an execution space instance.
template <class Exec>
TeamTarget team_target_of([[maybe_unused]] const Exec& exec) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>)
    return {model::Vendor::nvidia, exec.cuda_device_prop().major >= 8};
#endif
#ifdef KOKKOS_ENABLE_HIP
  if constexpr (std::is_same_v<Exec, Kokkos::HIP>) {
    const std::string_view name = exec.hip_device_prop().gcnArchName;
    return {model::Vendor::amd, name.starts_with("gfx90a") || name.starts_with("gfx942")};
  }
#endif
  return {};
}

}  // namespace detail

/// Returns the team size, with vector length 1, with which `team_gemm` is fastest; 1 on CPUs.
/// @param type  element type of A and B
template <class Exec>
requires Kokkos::is_execution_space_v<Exec>
int team_gemm_team_size(const Exec& exec, const GemmShape& shape, Type type) {
  return plan_team(shape, own_mode(type), detail::team_target_of(exec)).team_size;
}

/// Computes C = alpha·A·B + beta·C by all threads of a team, inside a functor of a `Kokkos::TeamPolicy`.
///
/// All threads and vector lanes of the team call it with equal arguments, outside of a `TeamThreadRange`.
/// Device code works on CUDA, HIP, OpenMP and Serial. `beta == 0` overwrites C. `alpha == 0` reads neither A
/// nor B.
///
/// * GPUs: matrix instructions multiply fp64, complex fp64, 16 bits, and fp32 with `ComputeMode::tf32`. The
///   device must have them (NVIDIA from compute capability 8.0 on; gfx90a and gfx942, also in fp32 but not
///   for complex numbers), and the team a whole warp. Otherwise, each thread keeps a tile of C in registers.
/// * CPUs: the library's kernels compute. The threads of a team divide the rows or columns of C.
///
/// Synchrony: by default, the team is synchronized before and after the product. Options omit the barriers.
/// Workspace: none, except `scratch` of the options. Bits of C: they do not depend on the run, but may depend
/// on the team size.
///
/// @param member  the team, of any size and vector length
/// @param A,B,C  (M,K), (K,N) and (M,N): Views, mdspans or MatrixRefs with any strides, in global memory or
///               scratch memory of either level. Elements are double, float, float16, bfloat16 or complex
///               (also std::complex and Kokkos::complex). With A and B of 16 bits, C may be float. Use
///               `matrix_ref(X).transposed()`, `conjugated()` or `adjoint()` for other forms.
/// @param options  constant extents, compute mode, scratch memory, barriers
/// @pre shapes conform, extents are below 2³¹, and C shares no element with A, B or itself. With
///      KOKKOS_ENABLE_DEBUG or ROOFTILE_CHECK_TEAMS, a violation prints the values and aborts.
template <class Member, class AMatrix, class BMatrix, class CMatrix, class Options = TeamGemmOptions<>>
requires detail::TeamMember<Member> ROOFTILE_FUNCTION void team_gemm(
    const Member& member, detail::TeamScalar<CMatrix> alpha, const AMatrix& A, const BMatrix& B,
    detail::TeamScalar<CMatrix> beta, const CMatrix& C, const Options& options = {}) {
  if constexpr (detail::are_team_operands<Options, AMatrix, BMatrix, CMatrix>()) {
    const auto args = detail::team_args<Options>(alpha, A, B, beta, C);
    if (options.barrier_before) member.team_barrier();
    detail::compute_in_group<detail::TeamOptions<Options>>(
        detail::threads_of_team(member), args,
        detail::GroupScratch(options.scratch, options.scratch_bytes, detail::TeamBarrier<Member>{member}));
    if (options.barrier_after) member.team_barrier();
  }
}

/// Computes the product by the vector lanes of one thread, inside a `TeamThreadRange` and outside of a
/// `ThreadVectorRange`. All lanes call it. Barriers synchronize the lanes. @see team_gemm
template <class Member, class AMatrix, class BMatrix, class CMatrix, class Options = TeamGemmOptions<>>
requires detail::TeamMember<Member> ROOFTILE_FUNCTION void vector_gemm(
    const Member& /*member*/, detail::TeamScalar<CMatrix> alpha, const AMatrix& A, const BMatrix& B,
    detail::TeamScalar<CMatrix> beta, const CMatrix& C, const Options& options = {}) {
  if constexpr (detail::are_team_operands<Options, AMatrix, BMatrix, CMatrix>()) {
    const auto args = detail::team_args<Options>(alpha, A, B, beta, C);
    if (options.barrier_before) detail::lane_barrier();
    detail::compute_in_group<detail::TeamOptions<Options>>(
        detail::lanes_of_thread(), args,
        detail::GroupScratch(options.scratch, options.scratch_bytes, detail::LaneBarrier()));
    if (options.barrier_after) detail::lane_barrier();
  }
}

/// Computes the product by the calling thread alone, in a functor of any policy, without barriers. @see
/// team_gemm
template <class AMatrix, class BMatrix, class CMatrix, class Options = TeamGemmOptions<>>
ROOFTILE_FUNCTION void thread_gemm(detail::TeamScalar<CMatrix> alpha, const AMatrix& A, const BMatrix& B,
                                   detail::TeamScalar<CMatrix> beta, const CMatrix& C,
                                   const Options& /*options*/ = {}) {
  if constexpr (detail::are_team_operands<Options, AMatrix, BMatrix, CMatrix>())
    detail::compute_in_group<detail::TeamOptions<Options>>(
        detail::GroupThread{0, 1}, detail::team_args<Options>(alpha, A, B, beta, C),
        detail::GroupScratch(nullptr, 0, detail::LaneBarrier()));
}

}  // namespace rooftile
