// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "rooftile/ladder.hpp"

/// Tables of a path's kernel functions, indexed by kernel and compute mode.
namespace rooftile {

/// Whether any rung repacks operands of a type.
constexpr bool can_be_repacked(Type type) {
  for (const Rung& rung : ladder) {
    for (const ComputeMode math : rung.repacks) {
      if (type_of(math) == type) return true;
    }
  }
  return false;
}
/// Whether operands of products of T may be repacked. Operands of mixed types are never repacked.
template <class T>
inline constexpr bool may_be_repacked = can_be_repacked(type_of<T>()) && !is_mixed(own_mode<T>());

}  // namespace rooftile

namespace rooftile::detail {

/// The functions of a rung by compute mode; null if the rung does not support the mode.
template <class Function>
using KernelRow = std::array<Function, mode_count>;

/// Returns `make(std::integral_constant<ComputeMode, math>{})` for each mode of T that the rung supports on
/// the path. The mode is a function argument, since nvcc warns of template arguments of a lambda that appear
/// in no parameter.
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

/// The functions of all rungs.
template <class Function>
struct KernelTable {
  std::array<KernelRow<Function>, rung_count> rows;

  /// @pre the path has the kernel, and the kernel supports the mode
  constexpr Function operator()(Kernel kernel, ComputeMode math) const {
    return rows[static_cast<std::size_t>(kernel)][static_cast<std::size_t>(math)];
  }
};

/// Returns a table with the rows `row(std::integral_constant<Kernel, kernel>{})`.
template <class Function, class Row>
constexpr KernelTable<Function> kernel_table(const Row& row) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return KernelTable<Function>{{row(std::integral_constant<Kernel, ladder[i].kernel>{})...}};
  }
  (std::make_index_sequence<rung_count>{});
}

}  // namespace rooftile::detail
