// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "rooftile/model/find_device.hpp"
#include "rooftile/types.hpp"

/// The options that subcommands share, and checks of their values. Check messages follow the option's name.
namespace rooftile::perf {

std::vector<std::string> all_math_names();
/// Names of the modes without mixed types, and names of the element types.
std::vector<std::string> math_names();
std::vector<std::string> type_names();

ComputeMode math_named(const std::string& name);

/// Names of the folders in `backends/`.
std::vector<std::string> backend_names();

/// Names for help texts: `fp32, fp64`.
std::string listed(const std::vector<std::string>& names);

Check whole(model::Count least, model::Count most = model::unlimited);

/// A seed of random numbers: 64 bits.
Check random_seed();

Check number(double least, double most);

/// A finite number. NaN is refused because a result cannot be compared with it.
Check finite();

/// A positive quantity in any unit, limited so that a product of three values cannot overflow a double.
Check positive();

/// `--seed` and `--samples`, each with its default in the help.
Option* add_seed_option(Arguments& app, std::uint64_t& seed, const std::string& of);
Option* add_samples_option(Arguments& app, std::size_t& samples, const std::string& help);
/// `--gpu`: the index of the GPU to measure.
Option* add_gpu_option(Arguments& app, int& number);

Option* add_device_option(Arguments& app, std::string& name);

/// @throws Error that names the option
const model::Device& device_option(const std::string& name);

/// An option that takes a byte count: `4096`, `4KB` (of 1,024) or `4KiB`.
Option* add_bytes_option(Arguments& app, const std::string& name, model::Count& bytes,
                         const std::string& help, model::Count least);

}  // namespace rooftile::perf
