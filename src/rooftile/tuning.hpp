// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/error.hpp"
#include "rooftile/kernel.hpp"
#include "rooftile/kernel_costs.hpp"
#include "rooftile/problem.hpp"

namespace rooftile {

/// How wide the accesses are that an operand's lines allow.
enum class Alignment {
  ragged,   ///< an element each
  pairs,    ///< of 16 bits, two elements
  padded,   ///< whole vectors of 16 bytes for TMA alone: lines begin at multiples of them, and end elsewhere
  aligned,  ///< whole vectors of 16 bytes; of C, lines that begin at multiples of them
};

/// `ragged`
constexpr std::string_view to_string(Alignment alignment) {
  constexpr std::string_view names[] = {"ragged", "pairs", "padded", "aligned"};
  return names[static_cast<std::size_t>(alignment)];
}

/// How the operands of a product lie, as it is computed: with C's rows one behind the other.
struct TuningLayout {
  bool a_is_row_major = true;        ///< whether A's rows are its lines, one behind the other
  bool b_is_row_major = true;        ///< the same of B
  Alignment a = Alignment::aligned;  ///< of A's lines
  Alignment b = Alignment::aligned;  ///< of B's
  Alignment c = Alignment::aligned;  ///< of C's rows: `aligned` or `ragged`

  /// Member by member.
  friend constexpr bool operator==(const TuningLayout&, const TuningLayout&) = default;
};

/// What was fastest of all that a path has in a math mode, on one product.
struct TuningEntry {
  Path path = Path::portable;            ///< whose kernels were measured
  ComputeMode math = ComputeMode::fp32;  ///< not `automatic`
  GemmShape shape = {};                  ///< no extent is 0
  TuningLayout layout = {};              ///< with which that is how the product is computed
  Kernel kernel = Kernel::automatic;     ///< `automatic`: nothing was faster than what the model takes
  TileShape tile = {};                   ///< zero: the kernel's default
  Index nanoseconds = 0;                 ///< median time
  Index model_nanoseconds = 0;           ///< of what the model takes
  bool repack = false;                   ///< whether operands are repacked for the kernel first

  /// Whether both are of one product, which a table has once.
  constexpr bool same_product(const TuningEntry& other) const {
    return path == other.path && math == other.math && shape == other.shape && layout == other.layout;
  }
  /// Member by member.
  friend constexpr bool operator==(const TuningEntry&, const TuningEntry&) = default;
};

/// What was measured on one device, for `GemmOptions::tuning`. `rooftile tune` and `calibrate` write it to a
/// file, which `read_tuning` of `tuning_file.hpp` reads.
struct TuningTable {
  std::string device;                        ///< the `Target::device` that it is for
  std::vector<TuningEntry> entries;          ///< in the file's order
  std::vector<model::ModeCosts> modes = {};  ///< figures that take the place of the device's row
  std::vector<model::TileCosts> tiles = {};  ///< those of all modes

  /// The table itself. @throws Error where it is not of the device that is `here`
  const TuningTable& on(std::string_view here) const {
    if (device == here) return *this;
    throw Error(detail::text("tuning table of another device (", device, ", here is ", here,
                             "): run `rooftile tune` here, or pass no table"));
  }

  /// The entry that speaks for a product: of those of the path, math mode and layout with each extent within
  /// an eighth of its own the nearest, by the extent that is farthest off; the first of equals. Null where
  /// none is so near.
  const TuningEntry* nearest(Path path, ComputeMode math, const GemmShape& shape,
                             const TuningLayout& layout) const {
    const TuningEntry* found = nullptr;
    double min_distance = 1;
    for (const TuningEntry& entry : entries) {
      if (entry.path != path || entry.math != math || entry.layout != layout) continue;
      const double off = std::max({distance(entry.shape.m, shape.m), distance(entry.shape.n, shape.n),
                                   distance(entry.shape.k, shape.k)});
      if (off < min_distance) found = &entry, min_distance = off;
    }
    return found;
  }

 private:
  /// Relative to the measured extent; 1 where it is more than an eighth.
  static double distance(Index measured, Index wanted) {
    if (measured < 1 || wanted < 1) return 1;
    const Index off = measured < wanted ? wanted - measured : measured - wanted;
    return off > measured / 8 ? 1 : static_cast<double>(off) / static_cast<double>(measured);
  }
};

}  // namespace rooftile
