// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "report_records.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

#include <fmt/format.h>

#include "../record/json_value.hpp"

namespace rooftile::perf {
namespace {

/// A list of distinct texts; rows refer to a text by its index.
class Texts {
 public:
  std::size_t operator()(const std::string& text) {
    const auto [found, is_new] = numbers_.emplace(text, numbers_.size());
    if (is_new) all_.push_back(text);
    return found->second;
  }
  const Json& all() const { return all_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  Json all_ = Json::array();
};

/// Rounds to five digits and writes whole numbers without a fraction, to shorten the page.
Json rounded(double value) {
  const double five = std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr);
  const auto whole = static_cast<std::int64_t>(std::abs(five) < 1e15 ? five : 0);
  return static_cast<double>(whole) == five ? Json(whole) : Json(five);
}

Json rates(const std::vector<LabelledRate>& all) {
  Json written = Json::array();
  for (const LabelledRate& r : all) written.push_back(Json::array({r.label, rounded(r.rate)}));
  return written;
}

Json machine_record(const ReportedMachine& machine) {
  Json peaks = Json::object();
  for (const ReportedResult& reported : machine.results) {
    const std::string& math = reported.result.math;
    if (peaks[math].is_null()) peaks[math] = rates(compute_ceilings(math, machine.device.ceilings));
  }
  return {{"title", machine.title()},
          {"host", identity(machine.device) + ", " + machine.device.backend},
          {"processes", machine.device.ranks},
          {"peaks", peaks},
          {"levels", rates(memory_ceilings(machine.device.ceilings))}};
}

/// Boolean properties for the script, one letter each.
std::string flags_of(const ReportedResult& reported) {
  const Result& r = reported.result;
  std::string flags;
  if (r.automatic) flags += 'a';
  if (r.tuned) flags += 't';
  if (reported.vendor_ran) flags += 'v';
  if (r.roofline_fraction > 1) flags += 'x';
  if (!r.aligned) flags += 'u';
  return flags;
}

Json metrics_of(const std::vector<Metric>& metrics, Texts& text) {
  Json written = Json::array();
  for (const Metric& m : metrics) {
    written.push_back(text(m.tag)), written.push_back(rounded(m.value)), written.push_back(text(m.unit));
  }
  return written;
}

}  // namespace

std::string report_records(const std::vector<ReportedMachine>& machines) {
  Texts text;
  Json all = Json::object(), rows = Json::array();
  all["columns"] = {"machine", "path",          "kernel",    "tile",      "math",    "product",
                    "status",  "reason",        "flags",     "work",      "gflops",  "intensity",
                    "median",  "min",           "max",       "count",     "bound",   "roof",
                    "vendor",  "low",           "high",      "peer",      "error",   "seed",
                    "clock",   "vendorProblem", "disturbed", "processes", "metrics", "counters"};
  all["machines"] = Json::array();
  for (std::size_t i = 0; i < machines.size(); ++i) {
    all["machines"].push_back(machine_record(machines[i]));
    for (const ReportedResult& reported : machines[i].results) {
      const Result& r = reported.result;
      const double work = static_cast<double>(r.batch) * static_cast<double>(r.shape.m) *
                          static_cast<double>(r.shape.n) * static_cast<double>(r.shape.k);
      rows.push_back({i,
                      text(r.path),
                      text(r.kernel),
                      text(r.tile),
                      text(r.math),
                      text(product_of(r)),
                      text(r.status),
                      text(r.reason),
                      text(flags_of(reported)),
                      rounded(work),
                      rounded(r.gflops),
                      rounded(r.intensity),
                      rounded(r.seconds.median),
                      rounded(r.seconds.min),
                      rounded(r.seconds.max),
                      r.seconds.count,
                      text(r.bound),
                      rounded(r.roofline_fraction),
                      rounded(r.vendor_ratio),
                      rounded(reported.low),
                      rounded(reported.high),
                      rounded(r.peer_ratio),
                      rounded(r.error_ratio),
                      text(std::to_string(r.seed)),
                      text(clock_and_power(r.seconds)),
                      text(reported.vendor_problem),
                      text(r.disturbed),
                      r.shared.ranks,
                      metrics_of(r.metrics, text),
                      metrics_of(r.counters, text)});
    }
  }
  all["rows"] = rows;
  all["texts"] = text.all();
  return all.dump(-1, true);
}

}  // namespace rooftile::perf
