// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/error.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/problem.hpp"

namespace rooftile {

/// What was fastest of all that a path has in a math mode, on one product.
struct TuningEntry {
  Path path = Path::portable;         ///< whose kernels were measured
  Math math = Math::fp32;             ///< not `automatic`
  GemmShape shape = {};               ///< no extent is 0
  Kernel kernel = Kernel::automatic;  ///< `automatic`: nothing was faster than what the model takes
  TileShape tile = {};                ///< zero: the kernel's default
  Index nanoseconds = 0;              ///< median time
  Index model_nanoseconds = 0;        ///< of what the model takes
  bool repack = false;                ///< whether operands are repacked for the kernel first

  /// Member by member.
  friend constexpr bool operator==(const TuningEntry&, const TuningEntry&) = default;
};

/// What was measured on one device, for `GemmOptions::tuning`. `rooftile tune` writes it to a file, which
/// `read_tuning` of `tuning_file.hpp` reads.
struct TuningTable {
  std::string device;                ///< the `Target::device` that it is for
  std::vector<TuningEntry> entries;  ///< in the file's order

  /// The table itself. @throws Error where it is not of the device that is `here`
  const TuningTable& on(std::string_view here) const {
    if (device == here) return *this;
    throw Error(detail::text("tuning table of another device (", device, ", here is ", here,
                             "): run `rooftile tune` here, or pass no table"));
  }

  /// The entry that speaks for a product: of those of the path and math mode with each extent within an
  /// eighth of its own the nearest, by the extent that is farthest off; the first of equals. Null where none
  /// is so near.
  const TuningEntry* nearest(Path path, Math math, const GemmShape& shape) const {
    const TuningEntry* found = nullptr;
    double least = 1;
    for (const TuningEntry& entry : entries) {
      if (entry.path != path || entry.math != math) continue;
      const double off = std::max({distance(entry.shape.m, shape.m), distance(entry.shape.n, shape.n),
                                   distance(entry.shape.k, shape.k)});
      if (off < least) found = &entry, least = off;
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
