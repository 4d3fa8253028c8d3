// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/backend.hpp"
#include "plan/group_plan.hpp"
#include "plan/kernel_table.hpp"

namespace rooftile::portable {

/// Launches a rung's kernel once for several products of a group and returns (`grouped.hpp`, on GPUs).
template <Kernel kernel, ComputeMode math, class Exec>
void run_group(const Exec& exec, const detail::SharedLaunch<ElementIn<math>>& launch);

template <class Exec, class T>
using RunGroup = void (*)(const Exec&, const detail::SharedLaunch<T>&);

/// The `run_group` of T's own mode, if the rung's row has launches for T.
template <Kernel kernel, class Exec, class T>
inline constexpr detail::KernelRow<RunGroup<Exec, T>> group_runs =
    detail::kernel_row<kernel, Path::portable, T, RunGroup<Exec, T>>(
        []<ComputeMode math>(std::integral_constant<ComputeMode, math>) -> RunGroup<Exec, T> {
          constexpr const Rung& rung = rung_of(kernel);
          if constexpr (math == own_mode<T>() && detail::shares_launches(rung, type_of<T>()) &&
                        (!rung.is_warp_mma() || contains(Backend<Exec>::warp_mma, math))) {
            return &run_group<kernel, math, Exec>;
          } else {
            return nullptr;
          }
        });

}  // namespace rooftile::portable
