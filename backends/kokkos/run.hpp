// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/backend.hpp"
#include "rooftile/detail/kernel_table.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/problem.hpp"

namespace rooftile::portable {

/// Starts a rung's kernel on `exec` for each product of a batch and returns. Instantiated once per rung and
/// execution space, in objects of their own, so that users compile no kernel.
/// @pre the arguments are checked, C has elements, the rung takes the shape and `tile`
template <Kernel kernel, Math math, class Exec>
void run(const Exec& exec, const BatchArgs<ElementIn<math>>& args, TileShape tile);

template <class Exec, class T>
using Run = void (*)(const Exec&, const BatchArgs<T>&, TileShape);

/// The same for each math mode of T that the rung supports; null where it lacks the matrix instructions.
template <Kernel kernel, class Exec, class T>
inline constexpr detail::KernelRow<Run<Exec, T>> runs =
    detail::kernel_row<kernel, Path::portable, T, Run<Exec, T>>(
        []<Math math>(std::integral_constant<Math, math>) -> Run<Exec, T> {
          if constexpr (!multiplier(rung_of(kernel), math).fragments ||
                        contains(Backend<Exec>::fragments, math)) {
            return &run<kernel, math, Exec>;
          } else {
            return nullptr;
          }
        });

}  // namespace rooftile::portable
