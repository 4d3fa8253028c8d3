// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "machine.hpp"
#include "rooftile/choose.hpp"
#include "rooftile/detail/check.hpp"

namespace rooftile::perf {

/// FLOP per byte that a kernel asks of global memory: each thread reads a row of A and a column of B itself,
/// or once per tile of C together with its team.
inline double request_intensity(const Rung& rung, TileShape tile, std::size_t element_size) {
  const double per_row = rung.tiles_taken == Tiles::whole_c || tile.bk == 1 ? 1 : tile.bn;
  const double per_column = rung.tiles_taken == Tiles::whole_c || tile.bk == 1 ? 1 : tile.bm;
  return 2.0 / (static_cast<double>(element_size) * (1 / per_row + 1 / per_column));
}

/// A candidate for each rung and tile of one path; `launch(args, options)` is the library's public entry.
template <class T, class Launch>
std::vector<Candidate<T>> ladder_candidates(Device& device, const Target& target, const Launch& launch) {
  std::vector<Candidate<T>> candidates;
  for (const Rung& rung : ladder) {
    std::vector<TileShape> tiles(rung.tiles.begin(), rung.tiles.end());
    if (tiles.empty()) tiles.push_back(default_tile(rung, {}, target));
    for (const TileShape tile : tiles) {
      const bool whole = rung.tiles_taken == Tiles::whole_c;
      const GemmOptions options{rung.kernel, whole ? TileShape{} : tile};
      const auto refuse = [&rung, target, options](const GemmArgs<T>& args) {
        const GemmShape shape = detail::prepared(args).shape();
        return refusal(rung, shape, options.tile ? options.tile : default_tile(rung, shape, target), target);
      };
      candidates.push_back({&device, std::string(to_string(target.path)), std::string(rung.name),
                            tile && !whole ? to_string(tile) : "", request_intensity(rung, tile, sizeof(T)),
                            refuse, [launch, options](const GemmArgs<T>& args) { launch(args, options); }});
    }
  }
  return candidates;
}

}  // namespace rooftile::perf
