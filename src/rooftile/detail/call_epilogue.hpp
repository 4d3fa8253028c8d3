// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "rooftile/detail/function.hpp"
#include "rooftile/matrix.hpp"

/// Calls of user-defined epilogues: f(entry, i, j, value) or f(i, j, value).
namespace rooftile::detail {

/// Whether an epilogue takes the batch or group entry of an element.
template <class Epilogue, class V>
constexpr bool takes_entry = std::is_invocable_v<const Epilogue&, Index, Index, Index, V>;

/// Whether an epilogue takes values of type V.
template <class Epilogue, class V>
constexpr bool takes_value =
    takes_entry<Epilogue, V> || std::is_invocable_v<const Epilogue&, Index, Index, V>;

template <class Epilogue, class V>
ROOFTILE_FUNCTION auto call_epilogue(const Epilogue& epilogue, [[maybe_unused]] Index entry, Index i, Index j,
                                     V value) {
  if constexpr (takes_entry<Epilogue, V>) {
    return epilogue(entry, i, j, value);
  } else {
    return epilogue(i, j, value);
  }
}

/// @{
/// Calls the check of an epilogue before a launch, if it has one. C is a matrix, a batch, or the matrix of
/// a group entry.
/// @throws Error if the epilogue does not match C
template <class Epilogue, class T>
void check_epilogue(const Epilogue& epilogue, const MatrixRef<T>& C) {
  if constexpr (requires { epilogue.check(C); }) {
    epilogue.check(C);
  } else if constexpr (requires { epilogue.check(BatchRef<T>{C, 0, 1}); }) {
    epilogue.check(BatchRef<T>{C, 0, 1});
  }
}
template <class Epilogue, class T>
void check_epilogue(const Epilogue& epilogue, const BatchRef<T>& C) {
  if constexpr (requires { epilogue.check(C); }) {
    epilogue.check(C);
  } else if constexpr (requires { epilogue.check(C.first); }) {
    epilogue.check(C.first);
  }
}
template <class Epilogue, class T>
void check_epilogue(const Epilogue& epilogue, [[maybe_unused]] Index entry, const MatrixRef<T>& C) {
  if constexpr (requires { epilogue.check(entry, C); }) {
    epilogue.check(entry, C);
  } else if constexpr (requires { epilogue.check(C); }) {
    epilogue.check(C);
  }
}
/// @}

/// Lets an epilogue prefetch its operands for a block of C.
template <class Epilogue>
void prefetch_for(const Epilogue& epilogue, [[maybe_unused]] Index entry, Index row, Index col, Index rows,
                  Index cols) {
  if constexpr (requires { epilogue.prefetch(entry, row, col, rows, cols); }) {
    epilogue.prefetch(entry, row, col, rows, cols);
  } else if constexpr (requires { epilogue.prefetch(row, col, rows, cols); }) {
    epilogue.prefetch(row, col, rows, cols);
  }
}

/// Calls f(name, address) with each array that an epilogue declares.
template <class Epilogue, class F>
void for_each_array(const Epilogue& epilogue, const F& f) {
  if constexpr (requires { epilogue.arrays(f); }) epilogue.arrays(f);
}

}  // namespace rooftile::detail
