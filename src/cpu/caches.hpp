// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <string>

#include "rooftile/matrix.hpp"
#include "rooftile/tile.hpp"

namespace rooftile::portable {

inline constexpr std::size_t cache_line = 64;

/// Lower bounds for the L2 and L3 sizes of most current CPUs, in bytes. Used where the system does not report
/// the sizes.
inline constexpr Index usual_l2 = 512 * 1024, usual_l3 = 4 * 1024 * 1024;

/// Bytes of the data or unified cache of a level, as Linux reports them for the first core, else `usual`.
inline Index cache_bytes(int level, Index usual) {
  const std::string cores = "/sys/devices/system/cpu/cpu0/cache/index";
  const auto read = [&](int index, const char* file) {
    std::ifstream stream(cores + std::to_string(index) + '/' + file);
    std::string word;
    stream >> word;
    return word;
  };
  for (int index = 0;; ++index) {
    const std::string found = read(index, "level");
    if (found.empty()) return usual;
    if (found != std::to_string(level) || read(index, "type") == "Instruction") continue;
    const Index bytes = 1024 * std::atoll(read(index, "size").c_str());  // `48K`
    return bytes > 0 ? bytes : usual;
  }
}

/// The largest KC. With a larger KC, the traffic of C no longer limits the speed. A CPU with 16 vector
/// registers has short micropanels, which are read more often, and L1 must hold most of one. KC 512 is 1.04
/// times as fast as 1024 on Zen 3.
constexpr Index longest_kc(int mr) {
  return mr < 8 ? 512 : 1024;
}

/// MC, NC and KC after Low et al., Analytical modeling is enough for high-performance BLIS (2016), but with
/// each block one cache level further out. On Zen 5, KC 1024 is 1.05 to 1.12 times as fast as KC 256, for
/// which a micropanel of B fits L1.
inline TileShape blocks_for(Index l2, Index l3, int mr, int nr, std::size_t size) {
  const auto element = static_cast<Index>(size);
  // L2: a micropanel of B (KC,NR) takes an eighth, a block of A (MC,KC) half. C and prefetched data take the
  // rest.
  const Index kc = std::clamp<Index>(l2 / 8 / (nr * element) / 8 * 8, 64, longest_kc(mr));
  const Index mc = std::max<Index>(mr, l2 / 2 / (kc * element) / mr * mr);
  // L3 is shared with other cores: a panel of B (KC,NC) takes a quarter.
  const Index nc = std::max<Index>(nr, l3 / 4 / (kc * element) / nr * nr);
  return {static_cast<int>(mc), static_cast<int>(nc), static_cast<int>(kc), mr, nr};
}

}  // namespace rooftile::portable
