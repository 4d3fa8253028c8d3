// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/detail/gpu/pairs.hpp"
#include "rooftile/detail/gpu/pipeline.hpp"

/// The pipeline of panels for the matrix instructions.
namespace rooftile::detail {

/// A team's way through A's and B's panels where one of them or both come as pairs through registers, in so many
/// parts.
template <class T, class Ring, int threads, int parts>
struct PairFeed {
  PanelFeed<T, Ring, threads> feed;
  PairsInFlight<T, typename Ring::PanelA, threads, parts> pairs_a;
  PairsInFlight<T, typename Ring::PanelB, threads, parts> pairs_b;

  ROOFTILE_FUNCTION explicit PairFeed(const PanelFeed<T, Ring, threads>& feed_) : feed(feed_) {}

  /// Begins to copy the next panels that do not come as pairs.
  template <bool first = false>
  ROOFTILE_FUNCTION void begin(const Ring& ring, int skip = 0) {
    if (feed.panels > 0) {
      if (!a_in_pairs()) begin_load<first>(feed.walk_a, ring.a(feed.stage), skip);
      if (!b_in_pairs()) begin_load<first>(feed.walk_b, ring.b(feed.stage), skip);
    }
    end_group();
  }

  /// Reads a part of the next pairs, or writes it to their panels.
  template <bool first = false>
  ROOFTILE_FUNCTION void read(int part, int skip = 0) {
    if (feed.panels > 0 && a_in_pairs()) pairs_a.template read<first>(feed.walk_a, part, skip);
    if (feed.panels > 0 && b_in_pairs()) pairs_b.template read<first>(feed.walk_b, part, skip);
  }
  ROOFTILE_FUNCTION void write(const Ring& ring, int part) {
    if (feed.panels > 0 && a_in_pairs()) pairs_a.write(feed.walk_a, ring.a(feed.stage), part);
    if (feed.panels > 0 && b_in_pairs()) pairs_b.write(feed.walk_b, ring.b(feed.stage), part);
  }

  /// Goes on to the next panels, after the last part.
  ROOFTILE_FUNCTION void advance() {
    if (a_in_pairs()) feed.walk_a.source += feed.walk_a.step;
    if (b_in_pairs()) feed.walk_b.source += feed.walk_b.step;
    --feed.panels;
    feed.stage = Ring::after(feed.stage);
  }

  /// Brings the next panels whole.
  template <bool first = false>
  ROOFTILE_FUNCTION void load(const Ring& ring, int skip = 0) {
    begin<first>(ring, skip);
    ROOFTILE_UNROLL_ALL
    for (int part = 0; part < parts; ++part) {
      read<first>(part, skip);
      write(ring, part);
    }
    advance();
  }

 private:
  ROOFTILE_FUNCTION bool a_in_pairs() const { return feed.walk_a.lanes == Lanes::pairs; }
  ROOFTILE_FUNCTION bool b_in_pairs() const { return feed.walk_b.lanes == Lanes::pairs; }
};

/// acc += A·B, panel by panel. While one is multiplied, the next stages - 1 ones are on their way, and of the
/// pairs of one of them a part is read during each step along k.
template <class T, class Tile, class Ring, class Accumulator, class Team>
ROOFTILE_FUNCTION void multiply_pairs(const Team& team, Accumulator& acc, const Ring& ring,
                                      const PanelFeed<T, Ring, Tile::max_threads>& feed, int skip) {
  constexpr int k_step = Accumulator::k_step, steps = Tile::bk() / k_step;
  const int panels = feed.panels;
  PairFeed<T, Ring, Tile::max_threads, steps> pairs(feed);
  pairs.template load<true>(ring, skip);
  ROOFTILE_UNROLL(1)
  for (int s = 1; s < Ring::stages - 1; ++s) pairs.load(ring);
  int stage = 0;
  for (int p = 0; p < panels; ++p) {
    wait_for_groups<Ring::stages - 2>();
    barrier(team);
    pairs.begin(ring);
    ROOFTILE_UNROLL_ALL
    for (int s = 0; s < steps; ++s) {
      typename Accumulator::Fragments fragments;
      pairs.read(s);
      acc.load(fragments, ring.a(stage), ring.b(stage), s * k_step);
      acc.multiply_add(fragments);
      pairs.write(ring, s);
    }
    pairs.advance();
    stage = Ring::after(stage);
  }
}

/// The same where all copies run by themselves.
template <class T, class Tile, class Ring, class Accumulator, class Team>
ROOFTILE_FUNCTION void multiply_copies(const Team& team, Accumulator& acc, const Ring& ring,
                                       PanelFeed<T, Ring, Tile::max_threads> feed, int skip) {
  constexpr int steps = Tile::bk() / Accumulator::k_step;
  const int panels = feed.panels;
  feed.template begin_load<true>(ring, skip);
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
                                          const MatrixRef<const T>& A, const MatrixRef<const T>& B, Index row0,
                                          Index col0) {
  if constexpr (sizeof(T) == 8) {
    multiply_pipelined<T, Tile>(team, acc, ring, A, B, row0, col0);
  } else {
    const PanelFeed<T, Ring, Tile::max_threads> feed(A, B, row0, col0, team.rank());
    const int skip = rows_before_first_panel<Tile::bk()>(A.cols);
    if constexpr (sizeof(T) == 2) {
      if (feed.walk_a.lanes == Lanes::pairs || feed.walk_b.lanes == Lanes::pairs) {
        multiply_pairs<T, Tile>(team, acc, ring, feed, skip);
        return;
      }
    }
    multiply_copies<T, Tile>(team, acc, ring, feed, skip);
  }
}

}  // namespace rooftile::detail
