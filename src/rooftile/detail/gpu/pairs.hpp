// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/detail/gpu/panel.hpp"

/// Elements of 16 bits that no asynchronous copy moves: not in words of 32 bits, or not aligned to these.
namespace rooftile::detail {

/// A thread's share of a panel on its way through registers, two elements at a time, in parts: each is read before
/// a step's multiplications and written after them.
template <class T, class Panel, int threads, int parts>
struct PairsInFlight {
  using Walk = PanelWalk<T, Panel, threads>;
  static constexpr int count = Walk::count / 2 / parts;
  static constexpr int dk = Walk::template dk<2>, dx = Walk::template dx<2>;

  const T* from;
  T value[count][2];

  /// Reads a part of the walk's next panel; the ones before it have been read. What has k before `skip` becomes 0;
  /// what lies outside x may be anything.
  template <bool first = false>
  ROOFTILE_FUNCTION void read(const Walk& walk, int part, int skip = 0) {
    if (part == 0) from = walk.source;
    ROOFTILE_UNROLL_ALL
    for (int n = 0; n < count; ++n) {
      const int i = part * count + n;
      ROOFTILE_UNROLL_ALL
      for (int e = 0; e < 2; ++e) {
        const bool inside = walk.inside >> (dx == 0 ? e : i) & 1;
        const bool skipped = first && walk.k + i * dk + (dx == 0 ? 0 : e) < skip;
        value[n][e] = T{};
        if (inside && !skipped) value[n][e] = from[e * walk.beside];
      }
      from += walk.apart;
    }
  }

  ROOFTILE_FUNCTION void write(const Walk& walk, const Panel& panel, int part) const {
    ROOFTILE_UNROLL_ALL
    for (int n = 0; n < count; ++n) {
      T* const to = panel.data + walk.target + (part * count + n) * Panel::offset(dk, dx);
      *reinterpret_cast<Vector<T, 2>*>(to) = {value[n][0], value[n][1]};
    }
  }
};

}  // namespace rooftile::detail
