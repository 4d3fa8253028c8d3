// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "../command.hpp"
#include "../record/suite_file.hpp"

namespace rooftile::perf {
namespace {

/// The text of one, to write another after it.
int print_one(const std::string& name) {
  std::string known;
  for (const ShippedSuite& suite : shipped_suites()) {
    if (suite.name == name) {
      fmt::print("{}", suite.text);
      return ok;
    }
    known += (known.empty() ? "" : ", ") + std::string(suite.name);
  }
  throw Error(fmt::format("no such suite ({}): take one of {}", name, known));
}

int print_all() {
  constexpr auto line = "{:<12}  {:>8}  {:>7}  {:>7}  {}\n";
  fmt::print(line, "suite", "products", "on CPUs", "on GPUs", "about");
  for (const ShippedSuite& shipped : shipped_suites()) {
    const Suite suite = suite_of(shipped.text, std::string(shipped.name));
    const auto count_not_for = [&](const char* devices) {
      return std::count_if(suite.products.begin(), suite.products.end(),
                           [&](const Product& p) { return p.devices != devices; });
    };
    fmt::print(line, shipped.name, suite.products.size(), count_not_for("gpu"), count_not_for("cpu"),
               suite.about);
  }
  return ok;
}

const Command command{"suites", "the suites of products that bench and tune know by name", [](CLI::App& app) {
                        auto name = std::make_shared<std::optional<std::string>>();
                        app.add_option("name", *name, "print this one, as the JSON that --suite reads");
                        return [name] { return *name ? print_one(**name) : print_all(); };
                      }};

}  // namespace
}  // namespace rooftile::perf
