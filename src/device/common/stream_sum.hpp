// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/common/stream_parts.hpp"
#include "device/common/vector.hpp"
#include "rooftile/detail/epilogue.hpp"

/// Adds the partial sums of the tiles of C that several teams share.
namespace rooftile::detail {

/// A team's work: some vectors of a tile's elements. If a tile has many parts, several lanes of threads take
/// turns with them.
/// @tparam Products  see `StreamArgs`
template <class T, class Products = BatchArgs<T>>
struct StreamSum {
  static constexpr int threads = 256;
  static constexpr int width = 16 / sizeof(Scalar<T>);
  using Sums = Vector<Scalar<T>, width>;

  StreamArgs<T, Products> args;
  TileShape tile;

  /// Returns the lanes of threads per vector, one for every few parts of a tile. With 32 lanes, neighbouring
  /// vectors still fill a line of 128 bytes.
  ROOFTILE_FUNCTION unsigned lanes() const {
    const unsigned parts = args.stream.units / args.stream.shared;
    return parts >= 128 ? 32 : parts >= 8 ? 8 : 1;
  }
  ROOFTILE_FUNCTION unsigned vectors() const { return threads / lanes(); }  ///< per team
  ROOFTILE_FUNCTION unsigned teams_per_tile() const {
    return static_cast<unsigned>(tile.bm * tile.bn / width) / vectors();
  }
  ROOFTILE_FUNCTION unsigned teams() const { return args.stream.shared * teams_per_tile(); }

  /// C = alpha · (sum of a tile's parts) + beta · C for the team's elements. The order of additions is fixed.
  /// @param partial  (threads), shared by the team
  /// @param meet     barrier of the team
  template <class Meet>
  ROOFTILE_FUNCTION void compute(unsigned team, unsigned rank, Sums* partial, const Meet& meet) const {
    const Stream& stream = args.stream;
    const unsigned shared = team / teams_per_tile();
    const Index first = shared * stream.steps;
    const unsigned begin = stream.unit_at(first), end = stream.unit_at(first + stream.steps - 1) + 1;
    if (end - begin == 1) return;  // one team computed and stored the whole tile
    const unsigned vector = rank % vectors();
    const unsigned element = (team % teams_per_tile() * vectors() + vector) * width;
    Sums sum = {};
    [[maybe_unused]] constexpr int unroll = unrolled_steps(4);
    ROOFTILE_UNROLL(unroll)
    for (unsigned unit = begin + rank / vectors(); unit < end; unit += lanes()) {
      add(sum, *reinterpret_cast<const Sums*>(args.sum(unit + shared, tile).data + element));
    }
    partial[rank] = sum;
    meet();
    if (rank >= vectors()) return;
    for (unsigned lane = 1; lane < lanes(); ++lane) add(sum, partial[lane * vectors() + vector]);
    store(shared, static_cast<int>(element), sum);
  }

 private:
  ROOFTILE_FUNCTION static void add(Sums& sum, const Sums& y) {
    ROOFTILE_UNROLL_ALL
    for (int e = 0; e < width; ++e) sum.value[e] += y.value[e];
  }

  ROOFTILE_FUNCTION void store(unsigned shared, int element, const Sums& sum) const {
    const auto [product, row0, col0] = stream_tile(args.batch, tile, args.stream.whole + shared);
    const auto& [alpha, A, B, beta, C] = product;
    const Index row = row0 + element / tile.bn, col = col0 + element % tile.bn;
    ROOFTILE_UNROLL_ALL
    for (int e = 0; e < width; ++e) {
      if (row < C.rows && col + e < C.cols) update(C(row, col + e), alpha, sum.value[e], beta);
    }
  }
};

}  // namespace rooftile::detail
