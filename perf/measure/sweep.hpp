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
  bool cold = false;                          ///< caches hold none of the operands when a sample begins
  double seconds = 1e9;                       ///< no product is begun after so many
};

/// Random products of 16 to 8,192 in all layouts; one in four inside larger matrices with alpha −1 and beta
/// 1, one in eight off the allocation's alignment, and one in five a batch of smaller ones.
std::vector<Product> sweep_products(Index count, std::uint64_t seed);

/// The description that a product's plans depend on, at aligned addresses.
GemmDesc describe(const Product& product, ComputeMode math);

/// Measures them. Each way is verified on three blocks of C, and left out where it fails.
/// @throws Error where the device computes in none of the modes
Sweep measured_sweep(Machine& machine, Device& device, const SweepOptions& options,
                     const std::function<void(const std::string&)>& progress,
                     const std::function<void(const std::string&)>& failed);

/// The same, with its progress and the wrong results on the terminal. @param wrong  counts these
Sweep measured_sweep(Machine& machine, Device& device, const SweepOptions& options, const Progress& progress,
                     int& wrong);

}  // namespace rooftile::perf
