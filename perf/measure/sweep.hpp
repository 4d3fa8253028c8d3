// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../machine.hpp"
#include "../progress.hpp"
#include "../record/sweep_file.hpp"

/// Times every kernel and tile of a device on random products.
namespace rooftile::perf {

struct SweepOptions {
  std::vector<Product> products;
  std::vector<std::string> maths{}, paths{};  ///< empty: all
  bool cold = false;                          ///< caches are flushed before each sample
  double seconds = 1e9;                       ///< no new product starts after this time
};

/// Random products with extents from 16 to 8,192 in all layouts. One in four lies in larger matrices and has
/// alpha −1 and beta 1. One in eight is off the allocation's alignment. One in five is a batch of smaller
/// products.
std::vector<Product> sweep_products(Index count, std::uint64_t seed);

/// The description that determines a product's plan, for aligned addresses.
GemmDesc describe(const Product& product, ComputeMode math);

/// Times the products. Each kernel and tile is verified on three blocks of C, and excluded if it fails.
/// @throws Error if the device supports none of the modes
Sweep measured_sweep(Machine& machine, Device& device, const SweepOptions& options,
                     const std::function<void(const std::string&)>& progress,
                     const std::function<void(const std::string&)>& failed);

/// Like the function above, with progress and wrong results on the terminal. @param wrong  counts wrong
/// results
Sweep measured_sweep(Machine& machine, Device& device, const SweepOptions& options, const Progress& progress,
                     int& wrong);

}  // namespace rooftile::perf
