// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "../machine.hpp"
#include "rooftile/problem.hpp"

namespace rooftile::perf {

/// Seconds of a kernel, over its samples.
struct Seconds {
  double median = 0;
  double min = 0;
  double max = 0;
  std::size_t samples = 0;
};

/// One kernel on one product, or batch of them: a row of the table and of the JSON file.
struct Result {
  std::string device, path, backend, kernel, tile, dtype, math, layout;
  GemmShape shape;
  double alpha = 1, beta = 0;
  std::uint64_t seed = 0;  ///< of the operands
  Index batch = 1;         ///< products of the shape in one call
  bool automatic = false;  ///< the library's own choice
  bool tuned = false;      ///< that choice is a tuning table's
  bool aligned = false;    ///< every row is a multiple of 16 bytes
  Seconds seconds;
  double gflops = 0;             ///< 0: nothing is multiplied
  double intensity = 0;          ///< FLOP/B, each operand moved once
  double request_intensity = 0;  ///< FLOP/B asked of global memory by the threads; 0: not known
  std::string bound;             ///< memory, compute; empty: no ceiling of the math mode is known
  double roofline_fraction = 0;  ///< of what the measured ceilings allow at `intensity`
  double vendor_ratio = 0;       ///< vendor's median time over this one's; 0: no vendor library here
  double peer_ratio = 0;         ///< the same of the peer's
  double error_ratio = 0;        ///< worst error over its bound
  std::size_t rows_checked = 0;  ///< rows of C that were compared with the reference
  std::string status;            ///< ok, unsupported, failed
  std::string reason;

  /// Whether there is a rate to speak of: without products, only C is scaled.
  bool multiplied() const { return alpha != 0 && std::min({shape.m, shape.n, shape.k}) > 0; }
};

nlohmann::ordered_json to_json(const Result& result);

/// Sets the ratios of one product's results to the vendor's and the peer's among them.
void compare_with_baselines(std::vector<Result>& results);

/// What the run was made on: CPU, compiler, versions, date; of each device its name, driver and clocks.
nlohmann::ordered_json describe_host();

/// The results of one product as a table; `title` names the product.
void print_table(const std::string& title, const std::vector<Result>& results);

}  // namespace rooftile::perf
