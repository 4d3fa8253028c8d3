// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../measure/suite.hpp"
#include "plan/describe.hpp"
#include "rooftile/ladder.hpp"

/// Recorded sweeps: the times of every kernel and tile on random products.
namespace rooftile::perf {

struct SweepWay {
  Kernel kernel = Kernel::automatic;
  bool repack = false;  ///< operands are repacked first
  TileShape tile = {};

  friend bool operator==(const SweepWay&, const SweepWay&) = default;
};

struct SweepTime {
  std::size_t way = 0;      ///< index into `Sweep::ways`
  Index split_k = 1;        ///< number of K splits in the plan
  bool swapped = false;     ///< Cᵀ = Bᵀ·Aᵀ was computed
  double microseconds = 0;  ///< median of the samples
};

/// One product in one compute mode on one path, with the time of each kernel and tile that can compute it.
struct SweptProduct {
  Path path = Path::portable;
  ComputeMode math = ComputeMode::fp32;
  Product product;
  std::vector<SweepTime> times;
};

struct Sweep {
  std::string device;                ///< `Target::device`
  std::vector<std::string> remarks;  ///< commit, date, driver, sampling
  std::vector<SweepWay> ways;        ///< without duplicates
  std::vector<SweptProduct> products;

  std::size_t index_of(const SweepWay& way);
};

std::string to_text(const Sweep& sweep);

/// @param named  the file's name in an Error
/// @throws Error that names the line if the text is not a sweep
Sweep sweep_of(std::string_view text, const std::string& named);

}  // namespace rooftile::perf
