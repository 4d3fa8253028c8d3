// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <fstream>
#include <string>

#include "backends/openmp/plan.hpp"

namespace rooftile::portable {

/// A data or unified cache.
struct Cache {
  Index bytes;
  Index ways;
};

/// What most of today's processors have at least: taken where the system does not tell.
inline constexpr Cache usual_caches[] = {{32 * 1024, 8}, {512 * 1024, 8}, {4 * 1024 * 1024, 16}};

/// The cache of a level, 1 to 3, as Linux tells it of the first core.
inline Cache find_cache(int level) {
  const std::string cores = "/sys/devices/system/cpu/cpu0/cache/index";
  const auto read = [&](int index, const char* file) {
    std::ifstream stream(cores + std::to_string(index) + '/' + file);
    std::string word;
    stream >> word;
    return word;
  };
  for (int index = 0;; ++index) {
    const std::string found = read(index, "level"), size = read(index, "size"),
                      ways = read(index, "ways_of_associativity");
    if (found.empty()) return usual_caches[level - 1];
    if (found != std::to_string(level) || read(index, "type") == "Instruction") continue;
    const Index bytes = 1024 * std::atoll(size.c_str());  // `48K`
    const Index known_ways = std::atoll(ways.c_str());    // 0: fully associative, or not told
    if (bytes > 0) return {bytes, known_ways > 0 ? known_ways : usual_caches[level - 1].ways};
  }
}

/// MC, NC and KC by the analytical model of Low, Igual, Smith and Quintana-Ortí, Analytical modeling is enough for
/// high-performance BLIS, ACM TOMS 43 (2016), with the parts of A and B exchanged since vectors run along C's rows.
inline TileShape blocks_for(const Cache& l1, const Cache& l2, const Cache& l3, int mr, int nr, std::size_t size) {
  const auto element = static_cast<Index>(size);
  // L1 keeps a sliver of B (KC,NR) while those of A (MR,KC) pass; one way is left to C. Their ways share in the
  // proportion of NR to MR.
  const Index b_ways = std::max<Index>(1, (l1.ways - 1) * nr / (nr + mr));
  const Index kc = std::clamp<Index>(b_ways * (l1.bytes / l1.ways) / (nr * element) / 8 * 8, 64,
                                     stack_bytes / (nr * element));
  // L2 keeps a block of A (MC,KC), and half of it passes slivers of B and C.
  const Index mc = std::max<Index>(mr, l2.bytes / 2 / (kc * element) / mr * mr);
  // L3 keeps a panel of B (KC,NC); beyond some thousand columns, packing A anew for each panel costs nothing.
  const Index nc = std::clamp<Index>(l3.bytes / 2 / (kc * element) / nr * nr, nr, 4096 / nr * nr);
  return {static_cast<int>(mc), static_cast<int>(nc), static_cast<int>(kc), mr, nr};
}

}  // namespace rooftile::portable
