// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace rooftile {

/// A tile of a kernel. A team of threads computes (bm,bn) elements of C in steps of bk along K. Each thread
/// owns (tm,tn) of these elements. `TileShape{}` stands for the default.
struct TileShape {
  int bm = 0;  ///< rows of C of a team
  int bn = 0;  ///< columns of C of a team
  int bk = 0;  ///< elements along K in a step
  int tm = 1;  ///< rows of C of a thread
  int tn = 1;  ///< columns of C of a thread

  /// Returns the number of threads of a team. @pre the tile is not the default
  constexpr int threads() const { return (bm / tm) * (bn / tn); }
  /// Whether the tile is not the default.
  constexpr explicit operator bool() const { return *this != TileShape{}; }
  /// Compares all members.
  friend constexpr bool operator==(const TileShape&, const TileShape&) = default;
};

/// Returns a T×T tile with one thread for each element of C.
constexpr TileShape square_tile(int width) {
  return {width, width, width};
}

/// Returns a tile with one thread for each element of C and no tile of A or B: bm rows by bn columns.
/// Textbooks call it a CTA of x = bn by y = bm threads.
constexpr TileShape cta(int bm, int bn) {
  return {bm, bn, 1};
}

/// Returns `32x32x32`, or `8x32` if the tile has no step along K.
inline std::string to_string(TileShape s) {
  const std::string block = std::to_string(s.bm) + 'x' + std::to_string(s.bn);
  return s.bk == 1 ? block : block + 'x' + std::to_string(s.bk);
}

}  // namespace rooftile
