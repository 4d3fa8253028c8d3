// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "bench_file.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "rooftile/detail/read_text.hpp"
#include "rooftile/error.hpp"
#include "rooftile/model/find_device.hpp"

namespace rooftile::perf {
namespace {

using nlohmann::json;

constexpr const char* advice = "name a file that `bench --json` wrote";

/// Takes the parts out of a file, each checked. JSON that lacks one or has another type throws
/// json::exception.
class Reader {
 public:
  explicit Reader(std::string named) : named_(std::move(named)) {}

  BenchFile read(const json& bench) {
    if (bench.at("schema") != bench_schema) {
      refuse("format of another version", "schema " + bench.at("schema").dump(),
             "this program reads " + std::to_string(bench_schema) + ", so run `rooftile bench` again");
    }
    if (bench.contains("complete")) refuse("a run that did not end", "complete", "name a file without .part");
    BenchFile file;
    for (const json& device : bench.at("devices")) file.devices.push_back(device_of(device));
    for (const json& result : bench.at("results")) {
      where_ = file.results.size();
      file.results.push_back(row_of(result));
      const BenchRow& row = file.results.back();
      const auto same = [&](const BenchDevice& d) {
        return d.name == row.device && d.backend == row.backend;
      };
      if (std::none_of(file.devices.begin(), file.devices.end(), same)) {
        refuse_value("result of a device that the file does not list", row.device + ", " + row.backend);
      }
    }
    if (file.results.empty()) refuse("no results", "results", advice);
    return file;
  }

  [[noreturn]] void refuse(std::string_view problem, const std::string& value,
                           const std::string& what_to_do) const {
    throw Error(rooftile::detail::text(problem, " (", named_, ", ", value, "): ", what_to_do));
  }

 private:
  BenchDevice device_of(const json& device) const {
    const json& ceilings = device.at("ceilings");
    return {device.at("name"),
            device.at("backend"),
            {positive(ceilings, "fp32_gflops"), positive(ceilings, "fp64_gflops"),
             positive(ceilings, "bandwidth_gbs")}};
  }

  BenchRow row_of(const json& r) const {
    BenchRow row;
    row.device = r.at("device"), row.path = r.at("path"), row.backend = r.at("backend");
    row.kernel = r.at("kernel"), row.tile = r.at("tile");
    row.math = r.at("math"), row.layout = r.at("layout");
    row.shape = {whole(r, "m", 0), whole(r, "n", 0), whole(r, "k", 0)};
    if (r.contains("batch")) row.batch = whole(r, "batch", 1);
    row.alpha = number(r, "alpha"), row.beta = number(r, "beta");
    row.automatic = r.contains("automatic");
    row.ok = r.at("status") == "ok";
    if (r.contains("vendor_ratio")) row.vendor_ratio = positive(r, "vendor_ratio");
    if (r.contains("roofline_fraction")) row.roofline_fraction = positive(r, "roofline_fraction");
    const bool multiplied = row.alpha != 0 && std::min({row.shape.m, row.shape.n, row.shape.k}) > 0;
    if (r.contains("gflops") && !multiplied)
      refuse_value("a rate where nothing is multiplied", to_string(row.shape));
    if (!row.ok || !multiplied) return row;
    row.gflops = positive(r, "gflops"), row.intensity = positive(r, "intensity");
    return row;
  }

  double number(const json& of, const char* key) const {
    if (!of.at(key).is_number()) refuse_value("not a number", std::string(key) + ' ' + of.at(key).dump());
    return of.at(key).get<double>();
  }
  double positive(const json& of, const char* key) const {
    const double value = number(of, key);
    if (!(value > 0)) refuse_value("not a positive number", std::string(key) + ' ' + of.at(key).dump());
    return value;
  }
  Index whole(const json& of, const char* key, Index least) const {
    const json& value = of.at(key);
    if (!value.is_number_integer() || value.get<Index>() < least) {
      refuse_value("not a whole number", std::string(key) + ' ' + value.dump());
    }
    return value.get<Index>();
  }

  [[noreturn]] void refuse_value(std::string_view problem, const std::string& value) const {
    refuse(problem, rooftile::detail::text("result ", where_, ", ", value), advice);
  }

  std::string named_;
  std::size_t where_ = 0;  ///< the number of the result that is read
};

}  // namespace

BenchFile read_bench(const std::string& option, const std::string& file) {
  const std::string named = option.empty() ? file : option + ' ' + file;
  Reader reader(named);
  try {
    return reader.read(json::parse(rooftile::detail::read_text(file, named, advice)));
  } catch (const json::exception& problem) {
    reader.refuse("not a benchmark", problem.what(), advice);
  }
}

bool is_device(const std::string& reported, const model::Device& device) {
  return reported == device.name || model::built_in_like(reported) == &device;
}

}  // namespace rooftile::perf
