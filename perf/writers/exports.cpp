// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "exports.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace rooftile::perf {
namespace {

std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string known(double value) {
  return value > 0 ? fmt::format("{}", value) : "";
}

/// What a line holds, by the names of the columns.
std::vector<std::pair<const char*, std::string>> columns_of(const Result& r) {
  const auto number = [](auto value) { return fmt::format("{}", value); };
  std::vector<std::pair<const char*, std::string>> columns = {
      {"device", field(r.device)},
      {"backend", field(r.backend)},
      {"path", field(r.path)},
      {"kernel", field(r.kernel)},
      {"tile", field(r.tile)},
      {"automatic", number(r.automatic)},
      {"dtype", field(r.dtype)},
      {"math", field(r.math)},
      {"m", number(r.shape.m)},
      {"n", number(r.shape.n)},
      {"k", number(r.shape.k)},
      {"batch", number(r.batch)},
      {"smallest", known(static_cast<double>(r.smallest))},
      {"inner", known(static_cast<double>(r.inner))},
      {"pointers", number(r.pointers)},
      {"layout", field(r.layout)},
      {"aligned", number(r.aligned)},
      {"alpha", number(r.alpha)},
      {"beta", number(r.beta)},
      {"seed", number(r.seed)},
      {"padding", number(r.padding)},
      {"offset", number(r.offset)},
      {"operands", field(r.operands)},
      {"calls", known(static_cast<double>(r.calls))},
      {"cold", number(r.cold)},
      {"ranks", known(static_cast<double>(r.shared.ranks))},
      {"grid", field(r.shared.grid)},
      {"block", field(r.shared.block)},
      {"layers", known(static_cast<double>(r.shared.layers))},
      {"status", field(r.status)}};
  const bool timed = r.ok(), checked = r.status != "unsupported" && std::isfinite(r.error_ratio);
  columns.insert(columns.end(), {{"seconds", timed ? number(r.seconds.median) : ""},
                                 {"seconds_min", timed ? number(r.seconds.min) : ""},
                                 {"seconds_max", timed ? number(r.seconds.max) : ""},
                                 {"samples", timed ? number(r.seconds.count) : ""},
                                 {"gflops", known(r.gflops)},
                                 {"intensity", known(r.intensity)},
                                 {"bound", field(r.bound)},
                                 {"roofline_fraction", known(r.roofline_fraction)},
                                 {"vendor_ratio", known(r.vendor_ratio)},
                                 {"peer_ratio", known(r.peer_ratio)},
                                 {"error_ratio", checked ? number(r.error_ratio) : ""},
                                 {"reason", field(r.reason)}});
  return columns;
}

/// `openmp/portable/tiled/16x16x16/fp32/8x8x8/rrr`, which filters of Google Benchmark's tools take apart.
std::string name_of(const Result& r) {
  std::string product = product_of(r);
  for (char& c : product) c = c == ' ' ? '/' : c;
  return fmt::format("{}/{}/{}{}{}/{}/{}", r.backend, r.path, r.automatic ? "automatic" : r.kernel,
                     r.automatic || r.tile.empty() ? "" : "/", r.automatic ? "" : r.tile, r.math, product);
}

Json timed(const Result& r, double seconds) {
  Json entry = {{"real_time", 1e9 * seconds}, {"cpu_time", 1e9 * seconds}, {"time_unit", "ns"}};
  if (r.gflops > 0 && seconds > 0) entry["GFLOP/s"] = r.gflops * r.seconds.median / seconds;
  return entry;
}

}  // namespace

std::string csv(const Run& run) {
  std::string text;
  for (const Result& r : run.results) {
    const auto columns = columns_of(r);
    std::string names, values;
    for (const auto& [name, value] : columns) {
      if (!names.empty()) names += ',', values += ',';
      names += name, values += value;
    }
    if (text.empty()) text = names + '\n';
    text += values + '\n';
  }
  return text;
}

Json google_benchmark(const Run& run) {
  Json all = {{"context",
               {{"date", run.origin.date},
                {"executable", "rooftile " + run.origin.rooftile},
                {"num_cpus", run.origin.threads},
                {"commit", run.origin.commit},
                {"compiler", run.origin.compiler}}},
              {"benchmarks", Json::array()}};
  for (const Result& r : run.results) {
    if (r.status == "unsupported") continue;
    const std::vector<double>& samples = r.seconds.samples;
    Json entry = {{"name", name_of(r)},
                  {"run_name", name_of(r)},
                  {"run_type", "iteration"},
                  {"repetitions", samples.size()},
                  {"threads", 1}};
    if (!r.ok()) {
      entry["error_occurred"] = true, entry["error_message"] = r.reason;
      all["benchmarks"].push_back(entry);
      continue;
    }
    for (std::size_t i = 0; i < samples.size(); ++i) {
      Json repetition = entry;
      repetition["repetition_index"] = i, repetition["iterations"] = 1;
      repetition.update(timed(r, samples[i]));
      all["benchmarks"].push_back(std::move(repetition));
    }
    entry["name"] = name_of(r) + "_median", entry["run_type"] = "aggregate",
    entry["aggregate_name"] = "median";
    entry["iterations"] = r.seconds.count;
    entry.update(timed(r, r.seconds.median));
    all["benchmarks"].push_back(std::move(entry));
  }
  return all;
}

}  // namespace rooftile::perf
