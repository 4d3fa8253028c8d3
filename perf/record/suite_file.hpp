// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "../measure/suite.hpp"

/// Suites as JSON, docs/suite.schema.json.
namespace rooftile::perf {

inline constexpr int suite_schema = 1;

/// A file of perf/suites, which is in the program.
struct ShippedSuite {
  std::string_view name;  ///< the file's, without .json
  std::string_view text;
};

/// By name. `perf/CMakeLists.txt` writes their texts into a source.
std::span<const ShippedSuite> shipped_suites();

/// @param rest  what products are of which an entry does not say
/// @throws Error that names the entry and the value, for what is no suite
Suite suite_of(std::string_view text, const std::string& named, const Product& rest = {});

/// Products of random shapes, each in a random layout, as a suite's text; of two of the same one.
std::string random_suite(const RandomShapes& shapes);

/// A suite of the program by its name, or else one that a file holds.
/// @throws Error that begins with `--suite`, also where the file cannot be read
Suite read_suite(const std::string& name, const Product& rest = {});

}  // namespace rooftile::perf
