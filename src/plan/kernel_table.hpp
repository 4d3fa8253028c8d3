// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "rooftile/ladder.hpp"

/// The functions that a path has for its kernels, found by kernel and math mode.
namespace rooftile {

/// Whether operands of a type may be repacked, for any rung.
constexpr bool can_be_repacked(Type type) {
  for (const Rung& rung : ladder) {
    for (const ComputeMode math : rung.repacks) {
      if (type_of(math) == type) return true;
    }
  }
  return false;
}
/// Whether operands of products of T may be repacked. Those of mixed types are not.
template <class T>
inline constexpr bool may_be_repacked = can_be_repacked(type_of<T>()) && !is_mixed(own_mode<T>());

}  // namespace rooftile

namespace rooftile::detail {

/// Of one rung, by math mode; null where it does not support the mode.
template <class Function>
using KernelRow = std::array<Function, mode_count>;

/// `make(std::integral_constant<ComputeMode, math>{})`, which it instantiates, for the modes of T that the
/// rung supports on the path. A parameter, since nvcc warns of a lambda's template argument that is in none.
template <Kernel kernel, Path path, class T, class Function, class Make>
constexpr KernelRow<Function> kernel_row(const Make& make) {
  const auto entry = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) -> Function {
    if constexpr (is_mode_of<T>(all_modes[i]) && rung_of(kernel).supports(all_modes[i], path)) {
      return make(std::integral_constant<ComputeMode, all_modes[i]>{});
    } else {
      return nullptr;
    }
  };
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return KernelRow<Function>{entry(std::integral_constant<std::size_t, i>{})...};
  }
  (std::make_index_sequence<mode_count>{});
}

/// Of all rungs.
template <class Function>
struct KernelTable {
  std::array<KernelRow<Function>, rung_count> rows;

  /// @pre the path has the kernel, and the kernel supports the mode
  constexpr Function operator()(Kernel kernel, ComputeMode math) const {
    return rows[static_cast<std::size_t>(kernel)][static_cast<std::size_t>(math)];
  }
};

/// `row(std::integral_constant<Kernel, kernel>{})` of each.
template <class Function, class Row>
constexpr KernelTable<Function> kernel_table(const Row& row) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return KernelTable<Function>{{row(std::integral_constant<Kernel, ladder[i].kernel>{})...}};
  }
  (std::make_index_sequence<rung_count>{});
}

}  // namespace rooftile::detail
