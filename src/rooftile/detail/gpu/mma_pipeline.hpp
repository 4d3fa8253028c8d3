// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/detail/gpu/fragment.hpp"
#include "rooftile/detail/gpu/lines.hpp"
#include "rooftile/detail/gpu/pipeline.hpp"

/// The pipeline of panels for the matrix instructions.
namespace rooftile::detail {

/// A team's way through A's and B's panels by lines, of which those of one operand or both may be shifted.
template <class T, class Ring, int threads, bool shifted>
struct LineFeed {
  static constexpr int BK = Ring::PanelA::BK;
  using WalkA = LineWalk<T, typename Ring::PanelA, threads>;
  using WalkB = LineWalk<T, typename Ring::PanelB, threads>;

  WalkA walk_a;
  WalkB walk_b;
  int panels;  ///< that are still to be begun
  int stage = 0;
  Index k0;  ///< of the next panel

  ROOFTILE_FUNCTION LineFeed(const MatrixRef<const T>& A, const MatrixRef<const T>& B, Index row0, Index col0,
                             int rank)
      : walk_a(A.transposed(), row0, rank, rows_before_first_panel<BK>(A.cols)),
        walk_b(B, col0, rank, rows_before_first_panel<BK>(A.cols)),
        panels(static_cast<int>((A.cols + BK - 1) / BK)),
        k0(-walk_a.skip) {}

  /// Begins to bring the next pair of panels, if there is one, and makes it a group of its own.
  template <bool first = false>
  ROOFTILE_FUNCTION void begin_load(const Ring& ring, int = 0) {
    if (panels > 0) {
      begin<first>(walk_a, ring.a(stage));
      begin<first>(walk_b, ring.b(stage));
      k0 += BK;
    }
    end_group();
    --panels;
    stage = Ring::after(stage);
  }

 private:
  template <bool first, class Walk, class Panel>
  ROOFTILE_FUNCTION void begin(Walk& walk, const Panel& panel) {
    if constexpr (!shifted) {
      begin_lines<first>(walk, panel);
    } else if (first || panels == 1 || !walk.contiguous) {
      load_elements(walk, panel, k0);
    } else {
      begin_shifted_lines(walk, panel);
    }
    walk.source += walk.step;
    if (shifted && walk.extra != nullptr) walk.extra += walk.step;
  }
};

/// A ring whose panels' lines are shifted, by as much as a lane's lines are.
template <class Ring>
struct ShiftedRing : Ring {
  Shifts shifts_a, shifts_b;

  ROOFTILE_FUNCTION ShiftedPanel<typename Ring::PanelA> a(int stage) const {
    return {Ring::a(stage), shifts_a};
  }
  ROOFTILE_FUNCTION ShiftedPanel<typename Ring::PanelB> b(int stage) const {
    return {Ring::b(stage), shifts_b};
  }
};

/// acc += A·B, panel by panel, while the next stages - 1 ones are on their way. Where fragments are not read
/// ahead, it is another team of the multiprocessor that multiplies while this one waits.
template <class Tile, class Team, class Accumulator, class Ring, class Feed>
ROOFTILE_FUNCTION void multiply_panels(const Team& team, Accumulator& acc, const Ring& ring, Feed& feed) {
  constexpr int steps = Tile::bk() / Accumulator::k_step;
  const int panels = feed.panels;
  feed.template begin_load<true>(ring);
  ROOFTILE_UNROLL(1)
  for (int s = 1; s < Ring::stages - 1; ++s) feed.begin_load(ring);
  int stage = 0;
  for (int p = 0; p < panels; ++p) {
    wait_for_groups<Ring::stages - 2>();
    barrier(team);
    feed.begin_load(ring);
    multiply_panel<steps>(acc, ring.a(stage), ring.b(stage));
    stage = Ring::after(stage);
  }
}

/// acc += A·B over the team's tile of C at (row0,col0).
template <class T, class Tile, class Ring, class Accumulator, class Team>
ROOFTILE_FUNCTION void multiply_fragments(const Team& team, Accumulator& acc, const Ring& ring,
                                          const MatrixRef<const T>& A, const MatrixRef<const T>& B,
                                          Index row0, Index col0) {
  constexpr bool ahead = Tile::min_teams == 1 && Ring::stages > 2;
  if constexpr (sizeof(T) == 8) {
    multiply_pipelined<T, Tile>(team, acc, ring, A, B, row0, col0);
  } else if (has_aligned_lines<Ring::PanelA::major>(A.transposed()) &&
             has_aligned_lines<Ring::PanelB::major>(B)) {
    LineFeed<T, Ring, Tile::max_threads, false> feed(A, B, row0, col0, team.rank());
    if constexpr (ahead) {
      multiply_pipelined<Tile>(team, acc, ring, feed, A.cols);
    } else {
      multiply_panels<Tile>(team, acc, ring, feed);
    }
  } else {
    LineFeed<T, Ring, Tile::max_threads, true> feed(A, B, row0, col0, team.rank());
    const int g = acc.place.g, t = acc.place.t;
    multiply_panels<Tile>(team, acc,
                          ShiftedRing<Ring>{ring, feed.walk_a.shifts(g, t), feed.walk_b.shifts(g, t)}, feed);
  }
}

}  // namespace rooftile::detail
