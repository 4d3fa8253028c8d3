// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../machine.hpp"
#include "rooftile/model/device.hpp"

/// What `rooftile bench --json` writes (docs/bench.schema.json), as other commands read it.
namespace rooftile::perf {

/// The version of the format. Each result says of itself on which device it was measured and with which alpha
/// and beta, since version 2: files of version 1 do not, and are not read.
inline constexpr int bench_schema = 2;

struct BenchDevice {
  std::string name, backend;
  Ceilings ceilings;
};

/// One kernel on one product, or batch of them.
struct BenchRow {
  std::string device, path, backend, kernel, tile, math, layout;
  GemmShape shape;
  Index batch = 1;
  double alpha = 1, beta = 0;
  bool automatic = false;
  bool ok = false;    ///< it ran, and was right
  double gflops = 0;  ///< 0 where it did not run or nothing is multiplied
  double intensity = 0;
  std::optional<double> vendor_ratio, roofline_fraction;
};

struct BenchFile {
  std::vector<BenchDevice> devices;
  std::vector<BenchRow> results;  ///< not empty
};

/// @param option  that named the file, empty if none did
/// @throws Error for what is not the file of a run that came to its end, in this version of the format: it
///         names the file and what is wrong
BenchFile read_bench(const std::string& option, const std::string& file);

/// Whether a device that the driver calls so is the built-in one.
bool is_device(const std::string& reported, const model::Device& device);

}  // namespace rooftile::perf
