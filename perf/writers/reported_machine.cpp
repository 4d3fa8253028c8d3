// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "reported_machine.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "output.hpp"
#include "rooftile/model/device.hpp"
#include "rooftile/modes.hpp"

namespace rooftile::perf {
namespace {

const Mode* find_mode(const std::string& name) {
  const auto found =
      std::find_if(std::begin(modes), std::end(modes), [&](const Mode& mode) { return mode.name == name; });
  return found == std::end(modes) ? nullptr : found;
}

bool are_one(const ReportedMachine& machine, const NamedRun& named, const MeasuredDevice& device) {
  const MeasuredDevice& d = machine.device;
  if (identity(d) != identity(device) || d.backend != device.backend || d.threads != device.threads ||
      d.ranks != device.ranks)
    return false;
  return device.hardware.is_known() || machine.sources.front().named == &named;
}

/// The results of one run on a device, with the intervals of the vendor ratios and the vendor's failures.
std::vector<ReportedResult> results_on(const Run& run, const MeasuredDevice& device) {
  struct Vendor {
    const Result* fastest = nullptr;
    std::string problem;
  };
  const auto key = [](const Result& r) { return r.math + ' ' + product_of(r); };
  std::map<std::string, Vendor> vendors;
  std::vector<ReportedResult> results;
  for (const Result& r : run.results) {
    if (r.device != device.name || r.backend != device.backend) continue;
    results.emplace_back().result = r;
    results.back().result.seconds.samples.clear();
    if (r.path != "vendor") continue;
    Vendor& vendor = vendors[key(r)];
    if (!r.ok()) {
      vendor.problem += (vendor.problem.empty() ? "" : "; ") + r.kernel + ' ' + r.status + ": " + r.reason;
    } else if (vendor.fastest == nullptr || r.seconds.median < vendor.fastest->seconds.median) {
      vendor.fastest = &r;
    }
  }
  for (ReportedResult& reported : results) {
    const Result& r = reported.result;
    const auto found = vendors.find(key(r));
    if (found == vendors.end() || r.path == "vendor") continue;
    reported.vendor_problem = found->second.problem;
    const Result* const vendor = found->second.fastest;
    reported.vendor_ran = vendor != nullptr;
    if (vendor == nullptr || std::min({r.seconds.low, vendor->seconds.low, r.vendor_ratio}) <= 0) continue;
    reported.low = vendor->seconds.low / r.seconds.high, reported.high = vendor->seconds.high / r.seconds.low;
  }
  return results;
}

/// Sets the roofline fractions of all results from the merged ceilings.
void set_shares(ReportedMachine& machine) {
  for (ReportedResult& reported : machine.results) {
    Result& r = reported.result;
    const Mode* const mode = find_mode(r.math);
    if (mode == nullptr || !r.ok() || !r.multiplied() || r.seconds.median <= 0) continue;
    const double flops = 1e9 * r.gflops * r.seconds.median / static_cast<double>(r.batch);
    set_rate(r, flops, r.intensity, mode->math, machine.device.ceilings);
  }
}

}  // namespace

std::string ReportedMachine::title() const {
  std::string threads = device.threads > 0 ? ", " + counted(device.threads, "thread") : "";
  if (device.ranks > 0) {
    threads = ", " + counted(device.ranks, "process", "processes") +
              (device.threads > 0 ? " of" + threads.substr(1) : "");
  }
  return fmt::format("{} ({}{}){}", identity(device), device.backend, threads,
                     needs_file ? " of " + sources.front().named->file : "");
}

std::vector<ReportedMachine> machines_in(const std::vector<NamedRun>& runs) {
  std::vector<ReportedMachine> machines;
  for (const NamedRun& named : runs) {
    const std::vector<MeasuredDevice>& devices = named.run.devices;
    for (auto device = devices.begin(); device != devices.end(); ++device) {
      // If a file lists a name and backend twice, its results cannot be attributed; the first device gets
      // them.
      const bool again = std::any_of(devices.begin(), device, [&](const MeasuredDevice& d) {
        return d.name == device->name && d.backend == device->backend;
      });
      if (again) continue;
      auto found = std::find_if(machines.begin(), machines.end(),
                                [&](const ReportedMachine& m) { return are_one(m, named, *device); });
      if (found == machines.end()) {
        found = machines.insert(found, {*device, {}, {}, false});
      } else {
        found->device.ceilings = largest_of(found->device.ceilings, device->ceilings);
      }
      found->sources.push_back({&named, &*device});
      std::vector<ReportedResult> results = results_on(named.run, *device);
      std::move(results.begin(), results.end(), std::back_inserter(found->results));
    }
  }
  std::map<std::string, int> titles;
  for (ReportedMachine& machine : machines) set_shares(machine), ++titles[machine.title()];
  for (ReportedMachine& machine : machines) machine.needs_file = titles[machine.title()] > 1;
  return machines;
}

std::vector<Result> results_of(const ReportedMachine& machine) {
  std::vector<Result> results;
  for (const ReportedResult& reported : machine.results) results.push_back(reported.result);
  return results;
}

std::vector<LabelledRate> compute_ceilings(const std::string& math, const Ceilings& c) {
  const Mode* const mode = find_mode(math);
  if (mode == nullptr) return {};
  const std::string operand(model::name(mode->operand));
  std::vector<LabelledRate> found;
  const auto add = [&](std::string label, double rate) {
    if (rate > 0) found.push_back({std::move(label), rate / mode->real_products()});
  };
  const std::string terms =
      mode->real_products() == 1 ? "" : fmt::format(" / {:g} products", mode->real_products());
  const double slower = c.matrix(operand + " by mma.sync");
  add((slower > 0 ? "wgmma " : "matrix instructions ") + operand + terms, c.matrix(operand));
  add("mma.sync " + operand + terms, slower);
  if (mode->operand == Operand::fp32 || mode->operand == Operand::fp64)
    add("FMA chains " + operand + terms, mode->operand == Operand::fp32 ? c.fp32_gflops : c.fp64_gflops);
  std::stable_sort(found.begin(), found.end(),
                   [](const LabelledRate& a, const LabelledRate& b) { return a.rate > b.rate; });
  return found;
}

std::vector<LabelledRate> memory_ceilings(const Ceilings& c) {
  std::vector<LabelledRate> levels = {{"memory", c.bandwidth_gbs}};
  for (const NamedRate& r : c.levels_gbs) levels.push_back({r.name, r.rate});
  return levels;
}

}  // namespace rooftile::perf
