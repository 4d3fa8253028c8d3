// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/backend.hpp"
#include "plan/kernel_table.hpp"
#include "plan/plan.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/problem.hpp"

namespace rooftile::portable {

/// Launches a rung's kernel on `exec` for each product of a batch and returns. Each rung and execution space
/// is instantiated in its own object, so that users compile no kernel.
/// @pre the arguments are prepared, C has elements, and `plan` was made for them
template <Kernel kernel, ComputeMode math, class Exec>
void run(const Exec& exec, const BatchArgs<ProductIn<math>>& args, const GemmPlan& plan);

template <class Exec, class T>
using Run = void (*)(const Exec&, const BatchArgs<T>&, const GemmPlan&);

/// Calls `run` with some operands repacked (`repack.hpp`, on GPUs).
template <class Exec, class T>
void run_repacked(const Exec& exec, const BatchArgs<T>& args, const GemmPlan& plan, Run<Exec, T> run);

/// The `run` of each compute mode of T that the rung supports; null if the backend lacks the matrix
/// instructions.
template <Kernel kernel, class Exec, class T>
inline constexpr detail::KernelRow<Run<Exec, T>> runs =
    detail::kernel_row<kernel, Path::portable, T, Run<Exec, T>>(
        []<ComputeMode math>(std::integral_constant<ComputeMode, math>) -> Run<Exec, T> {
          constexpr const Rung& rung = rung_of(kernel);
          constexpr bool here = rung.tma ? contains(Backend<Exec>::wgmma, math)
                                : rung.split_k == rooftile::SplitK::cluster
                                    ? !Backend<Exec>::wgmma.empty()
                                    : !rung.is_warp_mma() || contains(Backend<Exec>::warp_mma, math);
          if constexpr (here) {
            return &run<kernel, math, Exec>;
          } else {
            return nullptr;
          }
        });

}  // namespace rooftile::portable
