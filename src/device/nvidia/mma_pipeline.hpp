// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "device/common/pipeline.hpp"
#include "device/common/verbs.hpp"
#include "device/nvidia/fragment.hpp"
#include "device/nvidia/lines.hpp"
#include "rooftile/types.hpp"

/// The pipeline of panels for the matrix instructions.
namespace rooftile::detail {

/// How lines are copied. With `vectors`, both operands are copied in vectors. With `words`, one or both are
/// copied in words. With `shifted`, lines are copied in shifted vectors or as single elements. With
/// `elements`, all lines are copied as single elements. Only `vectors` has no branch among the copies, so
/// that the compiler can place them between other instructions.
enum class Lines { vectors, words, shifted, elements };

/// A team's position in A's and B's panels, which are copied by lines.
template <class T, class Ring, int threads, Lines lines>
struct LineFeed {
  static constexpr bool shifted = lines == Lines::shifted || lines == Lines::elements;  // threads copy, too
  static constexpr int BK = Ring::PanelA::BK;
  using WalkA = LineWalk<T, typename Ring::PanelA, threads>;
  using WalkB = LineWalk<T, typename Ring::PanelB, threads>;

  WalkA walk_a;
  WalkB walk_b;
  int panels;  ///< panels still to copy; `refusal` ensures that the number fits an int
  int stage = 0;
  Index k0;  ///< first k of the next panel

  /// @param copies_a, copies_b  elements of A and of B per copy, if lines are not shifted
  ROOFTILE_FUNCTION LineFeed(const MatrixRef<const T>& A, const MatrixRef<const T>& B, Index row0, Index col0,
                             int rank, int copies_a, int copies_b)
      : walk_a(A.transposed(), row0, rank, rows_before_first_panel<BK>(A.cols),
               lines == Lines::words && copies_a == 2),
        walk_b(B, col0, rank, rows_before_first_panel<BK>(A.cols), lines == Lines::words && copies_b == 2),
        panels(static_cast<int>((A.cols + BK - 1) / BK)),
        k0(-walk_a.skip) {
    if (panels == 0) walk_a.inside = walk_b.inside = 0;
    if (lines == Lines::elements) walk_a.contiguous = walk_b.contiguous = false;  // no line is shifted
  }

  /// Begins to copy the next pair of panels, if there is one, as one group of copies.
  template <bool first = false>
  ROOFTILE_FUNCTION void begin_load(const Ring& ring) {
    if (!shifted || panels > 0) {
      begin<first>(walk_a, ring.a(stage));
      begin<first>(walk_b, ring.b(stage));
      k0 += BK;
    }
    end_group();
    stage = Ring::after(stage);
    if (--panels <= 0) walk_a.inside = walk_b.inside = 0;  // a branch round the copies would cost more
  }

 private:
  template <bool first, class Walk, class Panel>
  ROOFTILE_FUNCTION void begin(Walk& walk, const Panel& panel) {
    if constexpr (lines == Lines::vectors) {
      begin_lines<Walk::width, first>(walk, panel);
    } else if constexpr (lines == Lines::words) {
      if (walk.words) {
        begin_lines<2, first>(walk, panel);
      } else {
        begin_lines<Walk::width, first>(walk, panel);
      }
    } else if (first || panels == 1 || !walk.contiguous) {
      load_elements(walk, panel, k0);
    } else {
      begin_shifted_lines(walk, panel);
    }
    walk.source += walk.step;
    if (shifted && walk.extra != nullptr) walk.extra += walk.step;
  }
};

/// Copies panels element by element: complex numbers in fp32, and fp64 whose lines are not known to be whole
/// vectors.
template <class T, class Ring, int threads>
struct ElementFeed : PanelFeed<T, Ring, threads> {
  static constexpr bool shifted = false;
  int skip;  ///< rows of the first panel before k = 0

  ROOFTILE_FUNCTION ElementFeed(const MatrixRef<const T>& A, const MatrixRef<const T>& B, Index row0,
                                Index col0, int rank)
      : PanelFeed<T, Ring, threads>(A, B, row0, col0, rank),
        skip(rows_before_first_panel<Ring::PanelA::BK>(A.cols)) {}

  template <bool first = false>
  ROOFTILE_FUNCTION void begin_load(const Ring& ring) {
    if constexpr (is_complex<T> && !first) {
      this->template begin_load_along<true, true>(ring);
    } else {
      PanelFeed<T, Ring, threads>::template begin_load<first>(ring, first ? skip : 0);
    }
  }
};

/// A ring whose panels have shifted lines, with the shifts of the lines that a lane reads.
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

/// acc += A·B, panel by panel, while the next stages - 1 panels are copied. Fragments are not read ahead:
/// another team of the SM multiplies while this one waits.
template <class Tile, class Team, class Accumulator, class Ring, class Feed>
ROOFTILE_FUNCTION void multiply_panels(const Team& team, Accumulator& acc, const Ring& ring, Feed& feed) {
  constexpr int step = Accumulator::k_step, steps = Tile::bk() / step;
  const int panels = feed.panels;
  feed.template begin_load<true>(ring);
  ROOFTILE_UNROLL(1)
  for (int s = 1; s < Ring::stages - 1; ++s) feed.begin_load(ring);
  int stage = 0;
  for (int p = 0; p < panels; ++p) {
    wait_for_groups<Ring::stages - 2>();
    barrier(team);
    if (Feed::shifted) feed.begin_load(ring);  // before fragments take registers, which copied elements need
    ROOFTILE_UNROLL_ALL
    for (int s = 0; s < steps; ++s) {
      typename Accumulator::Fragments fragments;
      acc.load(fragments, ring.a(stage), ring.b(stage), s * step);
      if (s == 0 && !Feed::shifted) feed.begin_load(ring);  // after the reads that this step waits for
      acc.multiply_add(fragments);
    }
    stage = Ring::after(stage);
  }
}

/// `multiply_panels` for a team that has its SM to itself. While one step along k is multiplied, the
/// fragments of the next step are read, also from the next panel.
template <class Tile, class Team, class Accumulator, class Ring, class Feed>
ROOFTILE_FUNCTION void multiply_panels_ahead(const Team& team, Accumulator& acc, const Ring& ring,
                                             Feed& feed) {
  constexpr int step = Accumulator::k_step, steps = Tile::bk() / step;
  static_assert(steps % 2 == 0, "two sets of fragments take turns");
  const int panels = feed.panels;
  feed.template begin_load<true>(ring);
  ROOFTILE_UNROLL(1)
  for (int s = 1; s < Ring::stages - 1; ++s) feed.begin_load(ring);
  wait_for_groups<Ring::stages - 2>();
  barrier(team);
  int stage = 0;
  typename Accumulator::Fragments fragments[2];
  if (panels > 0) acc.load(fragments[0], ring.a(0), ring.b(0), 0);
  for (int p = 0; p < panels; ++p) {
    ROOFTILE_UNROLL_ALL
    for (int s = 0; s < steps; ++s) {
      if (s == steps - 1) {
        wait_for_groups<Ring::stages - 2>();
        barrier(team);
        stage = Ring::after(stage);
      }
      acc.load(fragments[(s + 1) % 2], ring.a(stage), ring.b(stage), (s + 1) % steps * step);
      if (s == 0) feed.begin_load(ring);
      acc.multiply_add(fragments[s % 2]);
    }
  }
}

/// acc += A·B over the team's tile of C at (row0,col0), with `copies_a` elements of A and `copies_b` of B per
/// copy.
template <Lines lines, class T, class Tile, class Ring, class Accumulator, class Team>
ROOFTILE_FUNCTION void multiply_lines(const Team& team, Accumulator& acc, const Ring& ring,
                                      const MatrixRef<const T>& A, const MatrixRef<const T>& B, Index row0,
                                      Index col0, int copies_a, int copies_b) {
  LineFeed<T, Ring, Tile::max_threads, lines> feed(A, B, row0, col0, team.rank(), copies_a, copies_b);
  if constexpr (lines == Lines::elements) {
    multiply_panels<Tile>(team, acc, ring, feed);
  } else if constexpr (lines == Lines::shifted) {
    const int g = acc.place.g, t = acc.place.t;
    const ShiftedRing<Ring> shifted{ring, feed.walk_a.shifts(g, t), feed.walk_b.shifts(g, t)};
    multiply_panels<Tile>(team, acc, shifted, feed);
  } else if constexpr (lines == Lines::vectors && Tile::min_teams == 1 && Ring::stages > 2) {
    multiply_panels_ahead<Tile>(team, acc, ring, feed);
  } else {
    multiply_panels<Tile>(team, acc, ring, feed);
  }
}

/// acc += A·B over the team's tile of C at (row0,col0). Selects the copies by the types and the alignment.
/// @tparam vectors  whether threads are known to copy both operands in whole vectors of 16 bytes
template <class T, class Tile, bool vectors, class Ring, class Accumulator, class Team>
ROOFTILE_FUNCTION void multiply_fragments(const Team& team, Accumulator& acc, const Ring& ring,
                                          const MatrixRef<const T>& A, const MatrixRef<const T>& B,
                                          Index row0, Index col0) {
  if constexpr (std::is_same_v<Real<T>, double> && (vectors || is_complex<T>)) {
    multiply_pipelined<T, Tile, vectors>(team, acc, ring, A, B, row0, col0);
  } else if constexpr (std::is_same_v<T, double> || is_complex<T>) {
    ElementFeed<T, Ring, Tile::max_threads> feed(A, B, row0, col0, team.rank());
    if constexpr (std::is_same_v<T, double>) {
      multiply_panels_ahead<Tile>(team, acc, ring, feed);
    } else {
      multiply_panels<Tile>(team, acc, ring, feed);
    }
  } else if constexpr (sizeof(T) == 1) {
    constexpr int width = 16;
    if (copies_of_lines<Major::k>(A.transposed()) == width && copies_of_lines<Major::k>(B) == width) {
      multiply_lines<Lines::vectors, T, Tile>(team, acc, ring, A, B, row0, col0, width, width);
    } else {
      multiply_lines<Lines::elements, T, Tile>(team, acc, ring, A, B, row0, col0, 0, 0);
    }
  } else if constexpr (vectors) {
    constexpr int width = 16 / sizeof(T);
    multiply_lines<Lines::vectors, T, Tile>(team, acc, ring, A, B, row0, col0, width, width);
  } else {
    const int a = copies_of_lines<Ring::PanelA::major>(A.transposed());
    const int b = copies_of_lines<Ring::PanelB::major>(B);
    if (Element16<T> && a > 0 && b > 0) {
      multiply_lines<Lines::words, T, Tile>(team, acc, ring, A, B, row0, col0, a, b);
    } else {
      multiply_lines<Lines::shifted, T, Tile>(team, acc, ring, A, B, row0, col0, a, b);
    }
  }
}

/// `multiply_fragments` for the products of a group, each of which has its own alignment.
template <class T, class Tile, class Ring, class Accumulator, class Team>
ROOFTILE_FUNCTION void multiply_any_fragments(const Team& team, Accumulator& acc, const Ring& ring,
                                              const MatrixRef<const T>& A, const MatrixRef<const T>& B,
                                              Index row0, Index col0) {
  if (!is_complex<T> && copies_of_lines<Ring::PanelA::major>(A.transposed()) > 0 &&
      copies_of_lines<Ring::PanelB::major>(B) > 0) {
    multiply_fragments<T, Tile, !is_complex<T>>(team, acc, ring, A, B, row0, col0);
  } else {
    multiply_fragments<T, Tile, false>(team, acc, ring, A, B, row0, col0);
  }
}

}  // namespace rooftile::detail
