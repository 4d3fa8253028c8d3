// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace rooftile {

/// A team of threads computes (bm,bn) elements of C in steps of bk along K; each thread owns (tm,tn) of them.
/// `TileShape{}` means "the default".
struct TileShape {
  int bm = 0;  ///< rows of C that a team computes
  int bn = 0;  ///< columns of C that it computes
  int bk = 0;  ///< elements along K in a step
  int tm = 1;  ///< rows of C that a thread owns
  int tn = 1;  ///< columns of C that it owns

  /// Threads of a team. @pre it is not the default
  constexpr int threads() const { return (bm / tm) * (bn / tn); }
  /// Whether it is a tile, not the default.
  constexpr explicit operator bool() const { return *this != TileShape{}; }
  /// Member by member.
  friend constexpr bool operator==(const TileShape&, const TileShape&) = default;
};

/// T×T tiles, one thread per element of C.
constexpr TileShape square_tile(int width) {
  return {width, width, width};
}

/// One thread per element of C and no tile of A or B: bm rows by bn columns, the textbooks' CTA of
/// x = bn by y = bm threads.
constexpr TileShape cta(int bm, int bn) {
  return {bm, bn, 1};
}

/// `32x32x32`, or `8x32` where there is no step along K.
inline std::string to_string(TileShape s) {
  const std::string block = std::to_string(s.bm) + 'x' + std::to_string(s.bn);
  return s.bk == 1 ? block : block + 'x' + std::to_string(s.bk);
}

}  // namespace rooftile
