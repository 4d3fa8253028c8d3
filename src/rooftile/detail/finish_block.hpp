// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "rooftile/complex.hpp"
#include "rooftile/detail/block_epilogue.hpp"
#include "rooftile/detail/call_epilogue.hpp"

/// The loop that applies an epilogue to a block of C on CPUs. The user's source file compiles it.
namespace rooftile::detail {

/// The largest epilogue, in bytes, that is copied for each line.
inline constexpr std::size_t max_copied_epilogue = 1024;

/// Applies an epilogue to one line of a block. To let the compiler vectorize, results go to a local array
/// first: no store can then alias the epilogue's operands. g++ 12 also needs a local copy of the epilogue.
/// A large epilogue is not copied, because it might not fit the stack.
/// @tparam by_rows  true: the line is a row; false: a column
template <bool by_rows, class T, class Epilogue, class Step>
void finish_line(const Epilogue& given, const Scalar<T>* values, Step value_step, T* to, Step step,
                 Index entry, Index row, Index col, Index count, [[maybe_unused]] bool conjugated) {
  constexpr Index together = 256 / sizeof(T);
  constexpr bool is_small = std::is_trivially_copyable_v<Epilogue> && sizeof(Epilogue) <= max_copied_epilogue;
  const std::conditional_t<is_small, Epilogue, const Epilogue&> epilogue = given;
  const auto finish = [&](Index first, auto some) {
    T results[static_cast<std::size_t>(together)];
    for (Index e = 0; e < some; ++e) {
      const Index i = by_rows ? row : row + first + e, j = by_rows ? col + first + e : col;
      const Scalar<T> value = values[(first + e) * value_step];
      results[e] = conjugated_if(
          conjugated, static_cast<T>(call_epilogue(epilogue, entry, i, j, conjugated_if(conjugated, value))));
    }
    for (Index e = 0; e < some; ++e) to[(first + e) * step] = results[e];
  };
  Index first = 0;
  for (; first + together <= count; first += together)
    finish(first, std::integral_constant<Index, together>());
  if (first < count) finish(first, count - first);
}

/// Applies an epilogue to all lines of a block, along the contiguous direction of C.
/// @param context  the epilogue
template <class T, class Epilogue>
void finish_block(const void* context, const FinishedBlock<T>& block) {
  const Epilogue& epilogue = *static_cast<const Epilogue*>(context);
  const auto& [values, to, entry, row, col, conjugated] = block;
  const auto lines = [&]<bool by_rows>(std::bool_constant<by_rows>) {
    const MatrixRef<const Scalar<T>> from = by_rows ? values : values.transposed();
    const MatrixRef<T> into = by_rows ? to : to.transposed();
    for (Index l = 0; l < into.rows; ++l) {
      const Index i = by_rows ? row + l : row, j = by_rows ? col : col + l;
      if (from.col_stride == 1 && into.col_stride == 1) {
        constexpr std::integral_constant<Index, 1> next;
        finish_line<by_rows>(epilogue, &from(l, 0), next, &into(l, 0), next, entry, i, j, into.cols,
                             conjugated);
      } else {
        finish_line<by_rows>(epilogue, &from(l, 0), from.col_stride, &into(l, 0), into.col_stride, entry, i,
                             j, into.cols, conjugated);
      }
    }
  };
  to.row_stride == 1 && to.col_stride != 1 ? lines(std::false_type()) : lines(std::true_type());
}

/// Returns the prefetch function of an epilogue; null if it has none.
template <class Epilogue>
constexpr auto fetch_of() {
  using Fetch = void (*)(const void*, Index, Index, Index, Index, Index);
  constexpr bool has_say = requires(const Epilogue& epilogue) {
    epilogue.prefetch(0, 0, 0, 0);
  }
  || requires(const Epilogue& epilogue) {
    epilogue.prefetch(0, 0, 0, 0, 0);
  };
  if constexpr (has_say) {
    return Fetch([](const void* context, Index entry, Index row, Index col, Index rows, Index cols) {
      prefetch_for(*static_cast<const Epilogue*>(context), entry, row, col, rows, cols);
    });
  } else {
    return Fetch(nullptr);
  }
}

}  // namespace rooftile::detail
