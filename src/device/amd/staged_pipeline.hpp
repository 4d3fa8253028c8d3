// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "device/common/panel.hpp"
#include "device/common/verbs.hpp"

/// The pipeline for GPUs that have many registers but no asynchronous copies. A thread loads its elements of
/// the next panel into registers, multiplies the current panel, and then writes the elements to shared
/// memory.
namespace rooftile::detail {

/// Returns X with strides and extents that clang cannot trace. Otherwise clang computes values derived from
/// them, for each order of A and B, before Kokkos' loop over teams. These values need more scalar registers
/// than a wave has.
template <class T>
ROOFTILE_FUNCTION MatrixRef<T> unforeseen_scalars(const MatrixRef<T>& X) {
  return {X.data, unforeseen_scalar(X.rows), unforeseen_scalar(X.cols), unforeseen_scalar(X.row_stride),
          unforeseen_scalar(X.col_stride)};
}

/// A panel (BK,BX) in shared memory from which fragments are read 16 bytes at a time. Lines along k have 16
/// free bytes after every 128 bytes, or after every line if lines are longer. Eight lanes that read
/// neighbouring lines of 64 or 128 bytes then use different banks. Lanes that read along x do so without
/// padding.
template <class T, int BK_, int BX_, Major major_>
struct CompactPanel {
  static constexpr int BK = BK_, BX = BX_;
  static constexpr Major major = major_;
  static constexpr int width = 16 / sizeof(T), lines = std::max(1, 8 * width / BK);  ///< lines per pad
  static constexpr int elements = BK * BX + (major == Major::k ? BX / lines * width : 0);
  static_assert((8 * width % BK == 0 || BK % (8 * width) == 0) && BX % lines == 0,
                "lines lie evenly in the banks");

  T* data;

  ROOFTILE_FUNCTION static constexpr int offset(int k, int x) {
    return major == Major::k ? k + x * BK + x / lines * width : k * BX + x;
  }
  ROOFTILE_FUNCTION T* at(int k, int x) const { return data + offset(k, x); }
};

/// One panel of each operand.
template <class T, class Tile, Major a_major, Major b_major>
struct PanelPair {
  using PanelA = CompactPanel<T, Tile::bk(), Tile::bm(), a_major>;
  using PanelB = CompactPanel<T, Tile::bk(), Tile::bn(), b_major>;
  static constexpr int elements = PanelA::elements + PanelB::elements;

  T* data;

  ROOFTILE_FUNCTION PanelA a() const { return {data}; }
  ROOFTILE_FUNCTION PanelB b() const { return {data + PanelA::elements}; }
};

/// Whether an operand (K,X) can be copied 16 bytes at a time into panels with lines along k, or along x.
template <class T>
ROOFTILE_FUNCTION bool comes_in_vectors(const MatrixRef<const T>& X, bool by_k) {
  constexpr int width = 16 / sizeof(T);
  const Index inner = by_k ? X.row_stride : X.col_stride, outer = by_k ? X.col_stride : X.row_stride;
  const Index extent = by_k ? X.rows : X.cols;
  return inner == 1 && (outer | extent) % width == 0 && reinterpret_cast<std::uintptr_t>(X.data) % 16 == 0;
}

/// A thread's share of every panel: evenly spaced pieces of n elements, which pass from global to shared
/// memory through registers. Neighbouring threads lie along the panel's lines, the order of the elements in
/// global memory.
template <class T, class Panel, int threads, int n>
struct StagedPanel {
  static constexpr int BK = Panel::BK, BX = Panel::BX, count = BK * BX / threads / n;
  static constexpr bool by_k = Panel::major == Major::k;
  static constexpr int registers = count * std::max<int>(n * sizeof(T) / 4, 1);
  static constexpr int k_apart = by_k ? 0 : threads * n / BX, x_apart = by_k ? threads * n / BK : 0;
  static_assert(by_k ? threads * n % BK == 0 : threads * n % BX == 0, "threads divide a panel evenly");
  static_assert(count * threads * n == BK * BX && count <= 64, "and have a bit for each piece");
  using Bits = std::conditional_t<(count > 32), unsigned long long, unsigned>;
  static_assert(x_apart % Panel::lines == 0, "pieces are evenly spaced in the panel, too");

  const T* valid;   ///< address that is read instead of pieces outside X
  const T* source;  ///< the thread's first piece in the next panel
  Index apart;      ///< elements from one of the thread's pieces to the next
  Index step;       ///< elements from a panel to the next
  int k, x;         ///< position of the first piece in a panel
  Bits inside;      ///< bit i: piece i lies inside X
  Vector<T, n> value[count];

  ROOFTILE_FUNCTION StagedPanel(const MatrixRef<const T>& operand, Index x0, int rank)
      : valid(operand.data),
        k(by_k ? rank % (BK / n) * n : rank / (BX / n)),
        x(by_k ? rank / (BK / n) : rank % (BX / n) * n),
        inside(0) {
    const MatrixRef<const T> X = unforeseen_scalars(operand);
    const int left = static_cast<int>(X.cols - x0 < BX ? X.cols - x0 : BX);
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < count; ++i) inside |= Bits{x + i * x_apart < left} << i;
    source = &X(k - rows_before_first_panel<BK>(X.rows), x0 + x);
    apart = x_apart * X.col_stride + k_apart * X.row_stride;
    step = BK * X.row_stride;
  }

  /// Loads the next panel into registers. Elements outside x may have any value, because they reach only
  /// elements outside C. There are no branches: the compiler would wait for the loads where branches join.
  ROOFTILE_FUNCTION void read() {
    const Bits bits = unforeseen_by_clang(inside);  // otherwise clang keeps a lane mask for each bit
    const T* from = source;
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < count; ++i) {
      value[i] = *reinterpret_cast<const Vector<T, n>*>(bits >> i & 1 ? from : valid);
      from += apart;
    }
    source = by_k ? source + step : from;  // with lines along x, the pieces go on into the next panel
  }

  /// Loads the first panel. Elements with k < `skip` become 0.
  ROOFTILE_FUNCTION void read_first(int skip) {
    const Bits all = inside;
    int first = unforeseen_by_clang(k);
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < count; ++i) inside &= ~(Bits{first + i * k_apart < skip} << i);
    read();
    inside = all;
    first = unforeseen_by_clang(k);
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < count; ++i) {
      ROOFTILE_UNROLL_ALL
      for (T& e : value[i].value) e = first + i * k_apart < skip ? T(0) : e;
    }
  }

  ROOFTILE_FUNCTION void write(const Panel& panel) const {
    T* const to = panel.at(k, x);
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < count; ++i) {
      *reinterpret_cast<Vector<T, n>*>(to + i * Panel::offset(k_apart, x_apart)) = value[i];
    }
  }
};

/// acc += A·B over the team's tile of C at (row0,col0), with operands copied n elements at a time. There is
/// one stage: a second would save a barrier per panel but halve the teams per compute unit, which hide each
/// other's latency.
template <class T, class Tile, int n, class Ring, class Accumulator, class Team>
ROOFTILE_FUNCTION void multiply_staged(const Team& team, Accumulator& acc, const Ring& ring,
                                       const MatrixRef<const T>& A, const MatrixRef<const T>& B, Index row0,
                                       Index col0) {
  constexpr int BK = Tile::bk(), threads = Tile::max_threads;
  [[maybe_unused]] constexpr int unroll = Accumulator::many_sums ? 1 : BK / Accumulator::k_step;
  const int rank = unforeseen(team.rank());
  using NextA = StagedPanel<T, typename Ring::PanelA, threads, n>;
  using NextB = StagedPanel<T, typename Ring::PanelB, threads, n>;
  // Single elements of 16 bits take a register each, which the fragments need.
  constexpr bool ahead = NextA::registers + NextB::registers <= 32;
  const Index K = unforeseen_scalar(A.cols);
  const int panels = static_cast<int>((K + BK - 1) / BK), skip = rows_before_first_panel<BK>(K);
  NextA next_a(A.transposed(), row0, rank);
  NextB next_b(B, col0, rank);
  if (panels > 0) {
    next_a.read_first(skip);
    next_b.read_first(skip);
  }

  ROOFTILE_UNROLL(1)
  for (int p = 0; p < panels; ++p) {
    next_a.write(ring.a());
    next_b.write(ring.b());
    barrier(team);
    const bool last = p + 1 == panels;
    if (ahead && !last) {
      next_a.read();
      next_b.read();
    }
    ROOFTILE_UNROLL(unroll)
    for (int k = 0; k < BK; k += Accumulator::k_step) {
      typename Accumulator::Fragments fragments;
      acc.load(fragments, ring.a(), ring.b(), k);
      acc.multiply_add(fragments);
    }
    if (!ahead) {
      if (last) next_a.inside = next_b.inside = 0;  // cheaper than keeping old values beside the new ones
      next_a.read();
      next_b.read();
    }
    barrier(team);
  }
}

/// Copies operands in vectors if both allow it, otherwise element by element.
template <class T, class Tile, class Ring, class Accumulator, class Team>
ROOFTILE_FUNCTION void multiply_staged(const Team& team, Accumulator& acc, const Ring& ring,
                                       const MatrixRef<const T>& A, const MatrixRef<const T>& B, Index row0,
                                       Index col0) {
  if (comes_in_vectors(A.transposed(), Ring::PanelA::major == Major::k) &&
      comes_in_vectors(B, Ring::PanelB::major == Major::k)) {
    multiply_staged<T, Tile, 16 / sizeof(T)>(team, acc, ring, A, B, row0, col0);
  } else {
    multiply_staged<T, Tile, 1>(team, acc, ring, A, B, row0, col0);
  }
}

}  // namespace rooftile::detail
