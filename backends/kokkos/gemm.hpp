// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <utility>

#include "backends/kokkos/backend.hpp"
#include "backends/kokkos/run.hpp"
#include "rooftile/choose.hpp"
#include "rooftile/detail/check.hpp"

namespace rooftile::detail {

template <class Exec>
Target portable_target(const Exec& exec, std::size_t element_size) {
  return {Path::portable, portable::Backend<Exec>::limits(exec), element_size,
          portable::Backend<Exec>::cache_blocks(element_size)};
}

/// What starts each rung; null where a rung has no portable kernel on the execution space.
template <class Exec, class T>
constexpr auto portable_kernels = []<std::size_t... i>(std::index_sequence<i...>) {
  using Run = void (*)(const Exec&, const GemmArgs<T>&, TileShape);
  constexpr auto of = []<std::size_t j>(std::integral_constant<std::size_t, j>) -> Run {
    constexpr bool here =
        ladder[j].tiles_taken != Tiles::of_caches || portable::Backend<Exec>::one_thread_teams;
    if constexpr (ladder[j].portable && here) {
      return &portable::run<ladder[j].kernel, Exec, T>;
    } else {
      return nullptr;
    }
  };
  return std::array<Run, rung_count>{of(std::integral_constant<std::size_t, i>{})...};
}
(std::make_index_sequence<rung_count>{});

template <class Exec, class T>
void gemm(const Exec& exec, const GemmArgs<T>& args, const GemmOptions& options) {
  const GemmArgs<T> ready = prepared(args);
  if (is_empty(ready.C)) return;
  const Choice choice = choose(ready.shape(), options, portable_target(exec, sizeof(T)));
  portable_kernels<Exec, T>[static_cast<std::size_t>(choice.kernel)](exec, ready, choice.tile);
}

}  // namespace rooftile::detail
