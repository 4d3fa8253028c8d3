// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "suite_file.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "../options.hpp"
#include "../parse.hpp"
#include "../selection.hpp"
#include "json_reader.hpp"
#include "json_value.hpp"
#include "plan/read_text.hpp"
#include "rooftile/types.hpp"

namespace rooftile::perf {
namespace {

using detail::text;
using nlohmann::json;

constexpr std::string_view advice = "write a suite as docs/suite.schema.json says";
constexpr Index max_batch = 1'000'000, max_gap = 1'000'000;

/// The products of a suite entry: each shape in each layout.
/// @param product  defaults for members that the entry omits
std::vector<Product> products_of(const JsonReader& entry, Product product) {
  std::vector<std::string> shapes, layouts{product.layout};
  entry.required("shapes", shapes), entry.optional("layouts", layouts);
  entry.optional("modes", product.modes), entry.optional("devices", product.devices);
  entry.optional("batch", product.batch), entry.optional("pointers", product.pointers);
  entry.optional("smallest", product.smallest);
  entry.if_there("alpha", product.alpha), entry.if_there("beta", product.beta);
  entry.if_there("padding", product.padding), entry.if_there("offset", product.offset);
  entry.optional("scales", product.scales);
  entry.no_others();
  for (std::size_t i = 0; i < product.modes.size(); ++i) {
    if (!contains(all_math_names(), product.modes[i])) entry.refuse_value("not a compute mode", "modes", i);
  }
  if (!product.devices.empty() && product.devices != "cpu" && product.devices != "gpu")
    entry.refuse_value("neither cpu nor gpu", "devices");
  if (!is_scale_name(product.scales)) entry.refuse_value("neither none, one, lines nor blocks", "scales");
  if (product.batch > max_batch) entry.refuse_value(text("more than ", max_batch), "batch");
  if (product.smallest > 0 && product.pointers) entry.refuse_value("not for a group", "pointers");
  if (product.smallest > 0 && product.scales != "none") entry.refuse_value("not for a group", "scales");
  if (product.padding > max_gap) entry.refuse_value(text("more than ", max_gap), "padding");
  if (product.offset > max_gap) entry.refuse_value(text("more than ", max_gap), "offset");
  std::vector<Product> products;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::vector<Index> extents = extents_in(shapes[i]);
    if (extents.size() != 1 && extents.size() != 3) {
      entry.refuse_value("not a shape, MxNxK or one size", "shapes", i);
    }
    product.shape = extents.size() == 1 ? GemmShape{extents[0], extents[0], extents[0]}
                                        : GemmShape{extents[0], extents[1], extents[2]};
    if (product.smallest > 0 && (extents.size() != 1 || extents[0] < product.smallest))
      entry.refuse_value(text("not one extent of at least the group's smallest, ", product.smallest),
                         "shapes", i);
    for (std::size_t j = 0; j < layouts.size(); ++j) {
      if (!is_layout(layouts[j]))
        entry.refuse_value("not a layout, r or c for each of A, B, C", "layouts", j);
      product.layout = layouts[j];
      products.push_back(product);
    }
  }
  if (products.empty()) entry.refuse_value("no product", shapes.empty() ? "shapes" : "layouts");
  return products;
}

bool are_same(Product a, Product b) {
  const bool on_same = a.devices.empty() || b.devices.empty() || a.devices == b.devices;
  const bool in_same = a.modes.empty() || b.modes.empty() ||
                       std::any_of(a.modes.begin(), a.modes.end(), [&](const std::string& mode) {
                         return std::count(b.modes.begin(), b.modes.end(), mode) > 0;
                       });
  a.modes = b.modes, a.devices = b.devices;
  return on_same && in_same && a == b;
}

Suite read(const json& file, const std::string& named, const Product& rest) {
  const JsonReader reader(file, named + ", ", advice);
  int version = 0;
  reader.required("suite", version);
  if (version != suite_schema) {
    throw Error(text("format of another version (", named, ", suite ", version, "): this program reads ",
                     suite_schema));
  }
  Suite suite;
  reader.required("about", suite.about);
  reader.each("products", [&](const JsonReader& entry) {
    for (const Product& product : products_of(entry, rest)) {
      for (const Product& before : suite.products) {
        if (are_same(product, before)) {
          throw Error(text("product twice (", named, ", ", to_string(product), "): leave one out"));
        }
      }
      suite.products.push_back(product);
    }
  });
  reader.no_others();
  if (suite.products.empty()) reader.refuse_value("no product", "products");
  return suite;
}

}  // namespace

Suite suite_of(std::string_view text_, const std::string& named, const Product& rest) {
  try {
    return read(json::parse(text_), named, rest);
  } catch (const json::exception& problem) {
    throw Error(text("not a suite (", named, ", ", problem.what(), "): ", advice));
  }
}

std::string random_suite(const RandomShapes& shapes) {
  std::mt19937_64 bits(~shapes.seed);  // independent of the shapes' random numbers
  std::uniform_int_distribution<int> by_columns(0, 1);
  std::vector<Product> drawn;
  Json products = Json::array();
  for (const GemmShape& shape : draw(shapes)) {
    Product product{.shape = shape};
    if (shapes.min >= 8 && by_columns(bits) == 1) {  // half have rows of whole 16 bytes in every type
      for (Index* extent : {&product.shape.m, &product.shape.n, &product.shape.k})
        *extent = std::min((*extent + 7) / 8 * 8, std::max<Index>(shapes.max / 8 * 8, shapes.min));
    }
    for (char& letter : product.layout) letter = by_columns(bits) == 1 ? 'c' : 'r';
    const Product computed = as_computed(product);
    if (std::find(drawn.begin(), drawn.end(), computed) != drawn.end()) continue;
    drawn.push_back(computed);
    products.push_back({{"shapes", {to_string(product.shape)}}, {"layouts", {product.layout}}});
  }
  const Json suite{
      {"suite", suite_schema},
      {"about", fmt::format("Random products of seed {}: extents from {} to {}, equally many of each power "
                            "of two, in all layouts.",
                            shapes.seed, shapes.min, shapes.max)},
      {"products", products}};
  return suite.dump(1) + '\n';
}

namespace {

Suite random_products(std::uint64_t seed, const Product& rest) {
  Suite suite;
  for (const auto& [devices, largest] : {std::pair("gpu", Index{6000}), {"cpu", Index{1500}}}) {
    Product of_devices = rest;
    of_devices.devices = devices;
    const Suite part =
        suite_of(random_suite({.count = 60, .min = 96, .max = largest, .seed = seed}), "random", of_devices);
    suite.about = part.about;
    suite.products.insert(suite.products.end(), part.products.begin(), part.products.end());
  }
  return suite;
}

}  // namespace

Suite read_suite(const std::string& name, const Product& rest) {
  constexpr std::string_view random = "random:";
  if (name.starts_with(random)) {
    std::uint64_t seed = 0;
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    if (read_whole(std::string_view(name).substr(random.size()), std::uint64_t{0}, most, seed) !=
        Reading::fine)
      throw Error(text("not a seed (--suite ", name, "): write a whole number, such as random:1"));
    return random_products(seed, rest);
  }
  std::string known;
  for (const ShippedSuite& suite : shipped_suites()) {
    if (suite.name == name) return suite_of(suite.text, name, rest);
    known += text(known.empty() ? "" : ", ", suite.name);
  }
  const std::string named = "--suite " + name;
  return suite_of(
      detail::read_text(name, named, text("take one of ", known, ", random:SEED, or a file that holds one")),
      named, rest);
}

}  // namespace rooftile::perf
