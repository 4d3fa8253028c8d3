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

/// The width of accesses that the lines of an operand allow.
enum class Alignment {
  ragged,   ///< single elements
  pairs,    ///< pairs of 16-bit elements
  padded,   ///< 16-byte vectors for TMA only: lines begin at multiples of 16 bytes and end elsewhere
  aligned,  ///< 16-byte vectors; for C, lines begin at multiples of 16 bytes
};

/// Returns the name, such as `ragged`.
constexpr std::string_view to_string(Alignment alignment) {
  constexpr std::string_view names[] = {"ragged", "pairs", "padded", "aligned"};
  return names[static_cast<std::size_t>(alignment)];
}

/// The layout of a product as it is computed, with row-major C.
struct TuningLayout {
  bool a_is_row_major = true;        ///< A is row-major
  bool b_is_row_major = true;        ///< B is row-major
  Alignment a = Alignment::aligned;  ///< of A's lines
  Alignment b = Alignment::aligned;  ///< of B's lines
  Alignment c = Alignment::aligned;  ///< of C's rows: `aligned` or `ragged`

  /// Compares all members.
  friend constexpr bool operator==(const TuningLayout&, const TuningLayout&) = default;
};

/// The fastest choice of a path in a compute mode, measured on one product.
struct TuningEntry {
  Path path = Path::portable;            ///< path of the measured kernels
  ComputeMode math = ComputeMode::fp32;  ///< not `automatic`
  GemmShape shape = {};                  ///< no extent is 0
  TuningLayout layout = {};              ///< layout of the computed product
  Kernel kernel = Kernel::automatic;     ///< `automatic`: nothing was faster than the model's choice
  TileShape tile = {};                   ///< zero: the kernel's default
  Index nanoseconds = 0;                 ///< median time
  Index model_nanoseconds = 0;           ///< median time of the model's choice
  bool repack = false;                   ///< operands are repacked first

  /// Whether two entries are about one product. A table has each product once.
  constexpr bool same_product(const TuningEntry& other) const {
    return path == other.path && math == other.math && shape == other.shape && layout == other.layout;
  }
  /// Compares all members.
  friend constexpr bool operator==(const TuningEntry&, const TuningEntry&) = default;
};

/// Measurements of one device, for `GemmOptions::tuning`. `rooftile tune` and `rooftile calibrate` write them
/// to a file. `read_tuning` reads it (`tuning_file.hpp`).
struct TuningTable {
  std::string device;                        ///< the device that it is for: `Target::device`
  std::vector<TuningEntry> entries;          ///< in the order of the file
  std::vector<model::ModeCosts> modes = {};  ///< cost figures that replace those of the device
  std::vector<model::TileCosts> tiles = {};  ///< tile figures of all modes

  /// Returns this table. @throws Error  if it is not for device `here`
  const TuningTable& on(std::string_view here) const {
    if (device == here) return *this;
    throw Error(detail::text("tuning table of another device (", device, ", here is ", here,
                             "): run `rooftile tune` here, or pass no table"));
  }

  /// Returns the entry for a product, or null. Path, compute mode and layout must match, and each extent must
  /// be within an eighth of the entry's. Among several, it has the smallest maximum difference; the first one
  /// wins a tie.
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
  /// Returns the difference relative to the measured extent; 1 if it is more than an eighth.
  static double distance(Index measured, Index wanted) {
    if (measured < 1 || wanted < 1) return 1;
    const Index off = measured < wanted ? wanted - measured : measured - wanted;
    return off > measured / 8 ? 1 : static_cast<double>(off) / static_cast<double>(measured);
  }
};

}  // namespace rooftile
