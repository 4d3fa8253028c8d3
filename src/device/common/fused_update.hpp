// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/detail/call_epilogue.hpp"
#include "rooftile/detail/epilogue.hpp"
#include "rooftile/matrix.hpp"

/// How GPU kernels store values that go through an epilogue.
namespace rooftile::detail {

/// The epilogue that returns each value unchanged.
struct Unchanged {
  template <class V>
  ROOFTILE_FUNCTION V operator()(Index, Index, V value) const {
    return value;
  }
};

/// Updates element (row,col) of C and passes its value through an epilogue. Integers wrap around.
template <class C, class V, class S, class Epilogue>
ROOFTILE_FUNCTION void update(C& c, S alpha, V product, S beta, Index row, Index col,
                              const Epilogue& epilogue) {
  using U = Arithmetic<V>;
  const auto scale = static_cast<Arithmetic<S>>(beta);
  U value = static_cast<Arithmetic<S>>(alpha) * static_cast<U>(product);
  if (beta != S(0)) value = value + scaled(scale, static_cast<U>(static_cast<V>(c)));
  c = static_cast<C>(epilogue(row, col, static_cast<V>(value)));
}

/// The epilogue of a batch entry's C for kernels that compute the transpose or the conjugate of C. The flags
/// are as wide as a register, because clang then keeps them in registers.
template <class Epilogue>
struct PlacedEpilogue {
  Epilogue epilogue;
  int is_transposed;
  int is_conjugated;
  Index entry;

  /// Returns the epilogue of the entry `number` positions further on.
  ROOFTILE_FUNCTION PlacedEpilogue of_entry(Index number) const {
    return {epilogue, is_transposed, is_conjugated, entry + number};
  }

  template <class V>
  ROOFTILE_FUNCTION V operator()(Index row, Index col, V value) const {
    const bool swaps = is_transposed != 0, conjugates = is_conjugated != 0;
    return conjugated_if(conjugates,
                         static_cast<V>(call_epilogue(epilogue, entry, swaps ? col : row, swaps ? row : col,
                                                      conjugated_if(conjugates, value))));
  }
};

}  // namespace rooftile::detail
