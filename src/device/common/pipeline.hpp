// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/common/panel.hpp"
#include "device/common/verbs.hpp"
#include "plan/register_blocks.hpp"
#include "rooftile/problem.hpp"

/// Copies panels of A and B into shared memory while earlier panels are multiplied.
namespace rooftile::detail {

/// A ring of `stages` pairs of panels in shared memory.
/// @tparam fragments  whether matrix instructions read the panels
template <class T, class Tile, int stages_, bool fragments, Major a_major = Major::x,
          Major b_major = Major::x>
struct PanelRing {
  template <int BX, Major major>
  using PanelOf = Panel<T, Tile::bk(), BX, major, panel_pad(fragments, type_of<T>(), major == Major::x),
                        major == Major::x ? 1 : lines_together(fragments, type_of<T>())>;
  using PanelA = PanelOf<Tile::bm(), a_major>;
  using PanelB = PanelOf<Tile::bn(), b_major>;
  static constexpr int stages = stages_;
  static constexpr bool in_order = fragments;  ///< panels have the major orders of the operands
  static constexpr int elements = stages * (PanelA::elements + PanelB::elements);

  T* data;

  ROOFTILE_FUNCTION PanelA a(int stage) const {
    return {data + stage * (PanelA::elements + PanelB::elements)};
  }
  ROOFTILE_FUNCTION PanelB b(int stage) const { return {a(stage).data + PanelA::elements}; }
  ROOFTILE_FUNCTION static int after(int stage) { return stage + 1 == stages ? 0 : stage + 1; }
};

/// A team's position in A's panels, left to right, and in B's panels, downwards: the next pair and its stage.
template <class T, class Ring, int threads>
struct PanelFeed {
  static constexpr int BK = Ring::PanelA::BK;

  PanelWalk<T, typename Ring::PanelA, threads> walk_a;
  PanelWalk<T, typename Ring::PanelB, threads> walk_b;
  int panels;  ///< panels still to copy; `refusal` ensures that the number fits an int
  int stage = 0;

  /// @param vectors  whether threads are known to copy both operands in whole vectors of 16 bytes
  ROOFTILE_FUNCTION PanelFeed(const MatrixRef<const T>& A, const MatrixRef<const T>& B, Index row0,
                              Index col0, int rank, bool vectors = false)
      : walk_a(A.transposed(), row0, rank, vectors),
        walk_b(B, col0, rank, vectors),
        panels(static_cast<int>((A.cols + BK - 1) / BK)) {
    if (copies_are_asynchronous && panels == 0) walk_a.inside = walk_b.inside = 0;
  }

  /// Begins to copy the next pair of panels, if there is one, as one group of copies. Elements of the first
  /// pair with k < `skip` become 0.
  template <bool first = false>
  ROOFTILE_FUNCTION void begin_load(const Ring& ring, int skip = 0) {
    if (copies_are_asynchronous || panels > 0) {
      detail::begin_load<first>(walk_a, ring.a(stage), skip);
      detail::begin_load<first>(walk_b, ring.b(stage), skip);
    }
    end_load();
  }

  /// Begins to copy the next pair of panels, except the first, with the lanes known at compile time.
  template <bool a, bool b>
  ROOFTILE_FUNCTION void begin_load_along(const Ring& ring) {
    detail::begin_load_along<a>(walk_a, ring.a(stage));
    detail::begin_load_along<b>(walk_b, ring.b(stage));
    end_load();
  }

 private:
  ROOFTILE_FUNCTION void end_load() {
    end_group();
    stage = Ring::after(stage);
    --panels;
    if (copies_are_asynchronous && panels <= 0) walk_a.inside = walk_b.inside = 0;  // cheaper than a branch
  }
};

/// acc += a·b for one panel of each operand. GPUs without asynchronous copies do not read ahead: registers
/// are better spent on more waves or threads, which hide each other's latency.
template <int steps, class Accumulator, class PanelA, class PanelB>
ROOFTILE_FUNCTION void multiply_panel(Accumulator& acc, const PanelA& a, const PanelB& b) {
  [[maybe_unused]] constexpr int unroll = unrolled_steps(steps);
  ROOFTILE_UNROLL(unroll)
  for (int s = 0; s < steps; ++s) {
    typename Accumulator::Fragments fragments;
    acc.load(fragments, a, b, s * Accumulator::k_step);
    acc.multiply_add(fragments);
  }
}

/// Calls `f.operator()<a, b, conjugation>()`: whether the walks of A and B copy vectors, and whether b's
/// values are conjugated. Complex numbers are copied one at a time: in fp64 each is a vector. In fp32 twice
/// as many copies are still few beside four multiply-adds for each product.
template <class T, class Ring, bool known_vectors, class Feed, class Accumulator, class F>
ROOFTILE_FUNCTION void with_loop([[maybe_unused]] const Feed& feed, [[maybe_unused]] const Accumulator& acc,
                                 const F& f) {
  if constexpr (is_complex<T>) {
    constexpr bool vectors = Ring::in_order;
    acc.b_is_conjugated != 0 ? f.template operator()<vectors, vectors, Conjugation::all>()
                             : f.template operator()<vectors, vectors, Conjugation::none>();
  } else if constexpr (known_vectors) {
    f.template operator()<true, true, Conjugation::asked>();
  } else {
    with_lanes(feed.walk_a, [&]<bool a>() {
      with_lanes(feed.walk_b, [&]<bool b>() { f.template operator()<a, b, Conjugation::asked>(); });
    });
  }
}

/// acc += A·B over the team's tile of C at (row0,col0). While panel p is multiplied, the next stages - 1
/// panels are copied. While one step along k is multiplied, the fragments of the next step are read, also
/// from the next panel. Each panel needs one barrier.
/// @tparam vectors  whether threads are known to copy both operands in whole vectors of 16 bytes
template <class T, class Tile, bool vectors = false, class Ring, class Accumulator, class Team>
ROOFTILE_FUNCTION void multiply_pipelined(const Team& team, Accumulator& acc, const Ring& ring,
                                          const MatrixRef<const T>& A, const MatrixRef<const T>& B,
                                          Index row0, Index col0) {
  constexpr int BK = Tile::bk(), step = Accumulator::k_step, steps = BK / step;
  static_assert(steps % 2 == 0, "two sets of fragments take turns");
  PanelFeed<T, Ring, Tile::max_threads> feed(A, B, row0, col0, team.rank(), vectors);
  const int panels = feed.panels;
  feed.template begin_load<true>(ring, rows_before_first_panel<BK>(A.cols));
  ROOFTILE_UNROLL(1)
  for (int s = 1; s < Ring::stages - 1; ++s) feed.begin_load(ring);

  int stage = 0;
  wait_for_groups<Ring::stages - 2>();
  barrier(team);
  if constexpr (!copies_are_asynchronous) {
    for (int p = 0; p < panels; ++p) {
      feed.begin_load(ring);
      multiply_panel<steps>(acc, ring.a(stage), ring.b(stage));
      barrier(team);
      stage = Ring::after(stage);
    }
    return;
  }
  typename Accumulator::Fragments fragments[2];
  if (panels > 0) acc.load(fragments[0], ring.a(0), ring.b(0), 0);
  const auto multiply = [&]<bool a, bool b, Conjugation conjugation>() {
    for (int p = 0; p < panels; ++p) {
      ROOFTILE_UNROLL_ALL
      for (int s = 0; s < steps; ++s) {
        if (s == steps - 1) {
          wait_for_groups<Ring::stages - 2>();
          barrier(team);
          stage = Ring::after(stage);
        }
        acc.template load<conjugation>(fragments[(s + 1) % 2], ring.a(stage), ring.b(stage),
                                       (s + 1) % steps * step);
        if (s == 0) feed.template begin_load_along<a, b>(ring);
        acc.template multiply_add<conjugation>(fragments[s % 2]);
      }
    }
  };
  with_loop<T, Ring, vectors>(feed, acc, multiply);
}

}  // namespace rooftile::detail
