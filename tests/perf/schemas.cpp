// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The schemas and the documents list exactly the existing modes, types and backends.
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "perf/options.hpp"

namespace rooftile::perf {
namespace {

using nlohmann::json;
using Names = std::set<std::string>;

std::string document(const std::string& name) {
  std::ifstream file(ROOFTILE_SOURCE_DIR "/docs/" + name);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The names that a schema allows at a JSON pointer.
Names allowed(const std::string& schema, const std::string& place) {
  return json::parse(document(schema + ".schema.json")).at(json::json_pointer(place + "/enum")).get<Names>();
}

Names set_of(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

TEST_CASE("schemas allow the modes and types of the table of modes", "[schemas]") {
  Names types;
  for (const Mode& mode : modes) types.emplace(to_string(mode.element));
  CHECK(allowed("bench", "/$defs/math") == set_of(all_math_names()));
  CHECK(allowed("bench", "/$defs/dtype") == types);
  CHECK(allowed("suite", "/properties/products/items/properties/modes/items") == set_of(math_names()));
}

TEST_CASE("schemas allow the backends that there are folders of", "[schemas]") {
  Names devices = set_of(backend_names());
  CHECK(devices.contains("openmp"));
  devices.emplace("host");
  CHECK(allowed("bench", "/$defs/backend") == devices);
  CHECK(allowed("experiments", "/$defs/table/properties/backend") == devices);
}

TEST_CASE("the document of bench has a row of each mode", "[schemas]") {
  const std::string text = document("bench.md");
  for (const std::string& name : all_math_names()) {
    INFO(name);
    CHECK((text.find("| " + name + " |") != std::string::npos ||
           text.find("| " + name + ", ") != std::string::npos ||
           text.find(", " + name + " |") != std::string::npos));
  }
}

}  // namespace
}  // namespace rooftile::perf
