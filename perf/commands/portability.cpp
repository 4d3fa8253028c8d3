// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include <fmt/core.h>

#include "../command.hpp"
#include "../options.hpp"
#include "../record/json.hpp"
#include "../writers/output.hpp"
#include "rooftile/error.hpp"
#include "rooftile/problem.hpp"

namespace rooftile::perf {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string path = "portable";
  bool json = false;
};

/// The fraction of the platform's attainable rate that a kernel reaches. 0: the kernel does not run there.
/// Empty: the attainable rate is unknown, without a vendor library or a ceiling of the math mode.
struct Efficiency {
  std::optional<double> of_vendor = 0, of_roofline = 0;
};

/// A device of a file. Its products are all products that any path tried, including the vendor's.
struct Platform {
  std::string identity, backend;
  std::map<std::string, std::map<std::string, Efficiency>> products_of_math;
};

/// Converts a number for which 0 means not known.
std::optional<double> known(double x) {
  return x > 0 ? std::optional(x) : std::nullopt;
}

/// Efficiencies of the path on each product of a device, with the ceilings of the device's own run. Uses the
/// kernel chosen by the library, otherwise the fastest kernel.
Platform platform_of(const Run& run, const MeasuredDevice& device, const std::string& file,
                     const std::string& path) {
  Platform platform{identity(device), device.backend, {}};
  std::map<std::pair<std::string, std::string>, double> fastest;
  for (const Result& r : run.results) {
    if (r.device != device.name || r.backend != device.backend) continue;
    const std::string product = product_of(r);
    if (r.ok() && r.gflops == 0) {
      throw Error(detail::text("nothing is multiplied (", file, ", ", product, ", alpha ", r.alpha,
                               "): run products that multiply"));
    }
    Efficiency& found = platform.products_of_math[r.math][product];
    if (r.path != path || !r.ok()) continue;
    double& rank = fastest[{r.math, product}];
    const double here = r.automatic ? HUGE_VAL : r.gflops;
    if (here <= rank) continue;
    rank = here;
    Result under_own_roof = r;
    const double flops = 1e9 * r.gflops * r.seconds.median / static_cast<double>(r.batch);
    set_rate(under_own_roof, flops, r.intensity, math_named(r.math), device.ceilings);
    found = {known(r.vendor_ratio), known(under_own_roof.roofline_fraction)};
  }
  return platform;
}

/// @throws Error for a file that was not written by one `bench --json`, or for a repeated platform
std::vector<Platform> platforms_in(const Options& o) {
  std::vector<Platform> platforms;
  std::vector<std::string> files;
  for (const std::string& file : o.files) {
    const Run bench = read_whole_run(file);
    if (bench.arguments.empty()) {
      throw Error(detail::text("ceilings of several runs (", file,
                               ", no arguments): name a file that one `rooftile bench --json` wrote"));
    }
    for (const MeasuredDevice& device : bench.devices) {
      for (std::size_t i = 0; i < platforms.size(); ++i) {
        if (platforms[i].identity != identity(device) || platforms[i].backend != device.backend) continue;
        throw Error(detail::text("platform twice (", identity(device), ", ", device.backend, ", in ",
                                 files[i], " and ", file, "): name one file for each"));
      }
      platforms.push_back(platform_of(bench, device, file, o.path));
      files.push_back(file);
    }
  }
  return platforms;
}

/// The products that were tried on every platform with results in the mode.
std::vector<std::string> common_products(const std::vector<Platform>& platforms, const std::string& math) {
  std::map<std::string, std::size_t> count;
  std::size_t having = 0;
  for (const Platform& p : platforms) {
    if (!p.products_of_math.contains(math)) continue;
    ++having;
    for (const auto& [product, efficiency] : p.products_of_math.at(math)) ++count[product];
  }
  std::vector<std::string> common;
  for (const auto& [product, times] : count) {
    if (times == having) common.push_back(product);
  }
  return common;
}

/// The mean under the transformation `to` with the inverse `from`; empty if a value is not known.
template <class Values, class Of>
std::optional<double> mean(const Values& values, const Of& of, double (*to)(double), double (*from)(double)) {
  double sum = 0;
  for (const auto& value : values) {
    const std::optional<double> x = of(value);
    if (!x) return std::nullopt;
    sum += to(*x);
  }
  return from(sum / static_cast<double>(values.size()));
}
constexpr auto reciprocal = [](double x) { return 1 / x; };
constexpr auto logarithm = [](double x) { return std::log(x); };
constexpr auto exponential = [](double x) { return std::exp(x); };

/// For each platform, the geometric mean over the products; 0 if the platform has no product in the mode.
std::vector<Efficiency> efficiencies(const std::vector<Platform>& platforms, const std::string& math,
                                     const std::vector<std::string>& products) {
  std::vector<Efficiency> all;
  for (const Platform& p : platforms) {
    Efficiency efficiency;
    if (p.products_of_math.contains(math)) {
      const auto& found = p.products_of_math.at(math);
      const auto over_products = [&](std::optional<double> Efficiency::*what) {
        return mean(
            products, [&](const std::string& product) { return found.at(product).*what; }, logarithm,
            exponential);
      };
      efficiency = {over_products(&Efficiency::of_vendor), over_products(&Efficiency::of_roofline)};
    }
    all.push_back(efficiency);
  }
  return all;
}

/// The performance portability metric: the harmonic mean of the efficiencies; 0 if one efficiency is 0
/// (Pennycook, Sewall, Lee: Implications of a metric for performance portability, 2019).
Efficiency portability(const std::vector<Efficiency>& all) {
  const auto harmonic = [&](std::optional<double> Efficiency::*what) {
    return mean(
        all, [&](const Efficiency& e) { return e.*what; }, reciprocal, reciprocal);
  };
  return {harmonic(&Efficiency::of_vendor), harmonic(&Efficiency::of_roofline)};
}

std::string text(const std::optional<double>& x) {
  return x ? fmt::format("{:.3f}", *x) : "-";
}
Json json_of(const Efficiency& e) {
  const auto value = [](const std::optional<double>& x) { return x ? Json(*x) : Json(nullptr); };
  return {{"of_vendor", value(e.of_vendor)}, {"of_roofline", value(e.of_roofline)}};
}

int run(const Options& o) {
  const std::vector<Platform> platforms = platforms_in(o);
  std::set<std::string> maths;
  for (const Platform& p : platforms) {
    for (const auto& [math, products] : p.products_of_math) maths.insert(math);
  }
  Json json = {{"path", o.path}, {"maths", Json::array()}};
  for (const std::string& math : maths) {
    const auto products = common_products(platforms, math);
    if (products.empty()) {
      throw Error(detail::text("no product in common (", math, "): run the same products on each platform"));
    }
    const auto all = efficiencies(platforms, math, products);
    const Efficiency metric = portability(all);
    Table table({"platform", "of vendor", "of roofline"});
    Json rows;
    for (std::size_t i = 0; i < platforms.size(); ++i) {
      table.add({fmt::format("{} ({})", platforms[i].identity, platforms[i].backend), text(all[i].of_vendor),
                 text(all[i].of_roofline)});
      rows.push_back({{"name", platforms[i].identity}, {"backend", platforms[i].backend}});
      rows.back().update(json_of(all[i]));
    }
    table.add({"performance portability", text(metric.of_vendor), text(metric.of_roofline)});
    json["maths"].push_back({{"math", math}, {"products", products}, {"platforms", rows}});
    json["maths"].back()["portability"] = json_of(metric);
    if (o.json) continue;
    fmt::print("{}{} path, {}, geometric means over {}\n", math == *maths.begin() ? "" : "\n", o.path, math,
               counted(products.size(), "product"));
    table.print();
  }
  if (o.json) print_json(json);
  return ok;
}

Command::Run setup(Arguments& app) {
  auto o = std::make_shared<Options>();
  app.add_option("FILE", o->files, "what `bench --json` wrote, one for each platform")->required();
  app.add_option("--path", o->path, "portable, native")
      ->one_of({"portable", "native"})
      ->capture_default_str();
  app.add_flag("--json", o->json, "as JSON");
  return [o] { return run(*o); };
}

const Command portability_command{
    "portability",
    "How much of the best performance does a path keep on several machines?",
    {"rooftile portability h100.json epyc.json", "rooftile portability h100.json epyc.json --path portable"},
    setup};

}  // namespace
}  // namespace rooftile::perf
