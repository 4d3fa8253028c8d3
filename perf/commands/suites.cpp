// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "../command.hpp"
#include "../options.hpp"
#include "../record/suite_file.hpp"

namespace rooftile::perf {
namespace {

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

struct Options {
  std::optional<std::string> name;
  RandomShapes random{.count = 60, .min = 100, .max = 8000};
};

const Command command{
    "suites",
    "Which suites of products do bench and tune know?",
    {"rooftile suites", "rooftile suites design"},
    [](Arguments& app) {
      auto o = std::make_shared<Options>();
      auto* const name = app.add_option("name", o->name, "print this one, as the JSON that --suite reads");
      auto* const random =
          app.add_option("--random", o->random.seed, "print a suite of random products of this seed")
              ->transform(random_seed())
              ->excludes(name);
      app.add_option("--count", o->random.count, "random products")
          ->transform(whole(1, 10000))
          ->needs(random)
          ->capture_default_str();
      for (auto& [option, extent, about] : {std::tuple("--min", &o->random.min, "their smallest extent"),
                                            {"--max", &o->random.max, "their largest extent"}}) {
        app.add_option(option, *extent, about)
            ->transform(whole(1, 100000))
            ->needs(random)
            ->capture_default_str();
      }
      return [o, random] {
        if (!*random) return o->name ? print_one(*o->name) : print_all();
        check_extents(o->random.min, o->random.max);
        fmt::print("{}", random_suite(o->random));
        return int{ok};
      };
    }};

}  // namespace
}  // namespace rooftile::perf
