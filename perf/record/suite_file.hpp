// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "../measure/suite.hpp"

/// Reads and writes suites as JSON (docs/suite.schema.json).
namespace rooftile::perf {

inline constexpr int suite_schema = 1;

/// A file of perf/suites, embedded in the program.
struct ShippedSuite {
  std::string_view name;  ///< file name without .json
  std::string_view text;
};

/// All embedded suites, ordered by name. `perf/CMakeLists.txt` generates a source with their texts.
std::span<const ShippedSuite> shipped_suites();

/// @param rest  defaults for members that an entry omits
/// @throws Error that names the entry and the value if the text is not a valid suite
Suite suite_of(std::string_view text, const std::string& named, const Product& rest = {});

/// A suite of random shapes, each in a random layout. Duplicate products are removed.
std::string random_suite(const RandomShapes& shapes);

/// Reads the embedded suite of this name, or else the file of this name.
/// @throws Error that begins with `--suite`, also if the file cannot be read
Suite read_suite(const std::string& name, const Product& rest = {});

}  // namespace rooftile::perf
