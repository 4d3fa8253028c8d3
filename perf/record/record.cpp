// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "record.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <iterator>
#include <map>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "commit.hpp"
#include "rooftile/model/device.hpp"
#include "rooftile/version.hpp"

namespace rooftile::perf {

double Ceilings::rate_of(const std::vector<NamedRate>& rates, std::string_view name) {
  const auto found =
      std::find_if(rates.begin(), rates.end(), [&](const NamedRate& rate) { return rate.name == name; });
  return found == rates.end() ? 0 : found->rate;
}

double Ceilings::gflops(ComputeMode math) const {
  const Mode& mode = mode_of(math);
  const double vector = mode.operand == Operand::fp32   ? fp32_gflops
                        : mode.operand == Operand::fp64 ? fp64_gflops
                                                        : 0;
  return std::max(vector, matrix(model::name(mode.operand))) / mode.real_products();
}

Ceilings largest_of(const Ceilings& a, const Ceilings& b) {
  const auto larger = [](std::vector<NamedRate> rates, const std::vector<NamedRate>& others) {
    for (const NamedRate& other : others) {
      const auto found = std::find_if(rates.begin(), rates.end(),
                                      [&](const NamedRate& rate) { return rate.name == other.name; });
      if (found == rates.end()) {
        rates.push_back(other);
      } else {
        found->rate = std::max(found->rate, other.rate);
      }
    }
    return rates;
  };
  const double launch = std::min(a.launch_us, b.launch_us);
  return {
      std::max(a.fp32_gflops, b.fp32_gflops),     std::max(a.fp64_gflops, b.fp64_gflops),
      std::max(a.bandwidth_gbs, b.bandwidth_gbs), larger(a.matrix_gflops, b.matrix_gflops),
      larger(a.levels_gbs, b.levels_gbs),         launch > 0 ? launch : std::max(a.launch_us, b.launch_us),
      std::max(a.clock_mhz, b.clock_mhz)};
}

std::string in_words(const Ceilings& c) {
  std::string words = fmt::format("{:.0f} GFLOP/s fp32, {:.0f} GFLOP/s fp64", c.fp32_gflops, c.fp64_gflops);
  if (!c.matrix_gflops.empty()) words += "; of matrix instructions";
  for (const NamedRate& r : c.matrix_gflops)
    words += fmt::format("{} {:.0f} {}", &r == c.matrix_gflops.data() ? "" : ",", r.rate, r.name);
  words += fmt::format("; {:.0f} GB/s", c.bandwidth_gbs);
  for (const NamedRate& r : c.levels_gbs) words += fmt::format(", {:.0f} {}", r.rate, r.name);
  if (c.launch_us > 0) words += fmt::format("; {:.2g} us a launch", c.launch_us);
  if (c.clock_mhz > 0) words += fmt::format("; at {:.0f} MHz", c.clock_mhz);
  return words;
}

Origin origin_here() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return {date, version, commit, ROOFTILE_COMPILER, std::thread::hardware_concurrency()};
}

double middle_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string clock_and_power(const Seconds& s) {
  const auto read = [](const std::vector<double>& values, const char* unit) {
    return values.empty() ? std::string("-") : fmt::format("{:.0f} {}", middle_of(values), unit);
  };
  return read(s.clocks_mhz, "MHz") + ", " + read(s.power_w, "W");
}

std::string product_of(const Result& r) {
  std::string product = to_string(r.shape) + ' ' + r.layout;
  if (r.smallest > 0) {
    product = fmt::format("{} of {} to {} {}", r.batch, r.smallest, r.shape.m, r.layout);
  } else if (r.batch > 1) {
    product += fmt::format(" batch {}", r.batch);
  }
  if (r.inner > 0) product += fmt::format(" inner {}", r.inner);
  if (r.pointers) product += " by pointers";
  if (!r.operands.empty()) product += " operands " + r.operands;
  if (r.alpha != 1 || r.beta != 0) product += fmt::format(" alpha {} beta {}", r.alpha, r.beta);
  if (r.padding > 0) product += fmt::format(" padding {}", r.padding);
  if (r.offset > 0) product += fmt::format(" offset {}", r.offset);
  if (!r.scales.empty()) product += fmt::format(" scales {}", r.scales);
  if (r.shared.ranks > 0) product += fmt::format(" on {} in {}", r.shared.grid, r.shared.block);
  if (r.cold) product += " cold";
  if (r.burst > 1) product += fmt::format(" burst {}", r.burst);
  return product;
}

namespace {

/// The ceiling that gives the longest time for the kernel: launch, cache requests, memory traffic or FLOP.
std::string bound_of(const Result& r, double gflop, double peak, const Ceilings& c) {
  const std::pair<double, const char*> seconds[] = {
      {gflop / peak, "compute"},
      {gflop / (r.intensity * c.bandwidth_gbs), "memory"},
      {r.request_intensity > 0 && !c.levels_gbs.empty()
           ? gflop / (r.request_intensity * c.levels_gbs.front().rate)
           : 0,
       "cache"},
      {1e-6 * c.launch_us, "launch"}};
  return std::max_element(std::begin(seconds), std::end(seconds))->second;
}

}  // namespace

void set_rate(Result& r, double flops, double intensity, ComputeMode math, const Ceilings& ceilings) {
  const double gflop = 1e-9 * static_cast<double>(r.batch) * flops, peak = ceilings.gflops(math);
  r.intensity = intensity;
  if (peak > 0) r.bound = bound_of(r, gflop, peak, ceilings);
  if (r.seconds.median <= 0) return;
  r.gflops = gflop / r.seconds.median;
  r.roofline_fraction = peak > 0 ? r.gflops / std::min(peak, intensity * ceilings.bandwidth_gbs) : 0;
}

void compare_with_baselines(std::vector<Result>& results) {
  double vendor = 0, peer = 0;
  for (const Result& r : results) {
    if (!r.ok()) continue;
    double* const fastest = r.path == "vendor" ? &vendor : r.path == "peer" ? &peer : nullptr;
    if (fastest != nullptr && (*fastest == 0 || r.seconds.median < *fastest)) *fastest = r.seconds.median;
  }
  for (Result& r : results) {
    if (r.seconds.median <= 0) continue;
    r.vendor_ratio = vendor / r.seconds.median;
    r.peer_ratio = peer / r.seconds.median;
    if (r.path != "vendor" && r.path != "peer" && r.vendor_ratio > disturbed_ratio)
      r.disturbed = fmt::format("{:.3g} times as fast as the vendor", r.vendor_ratio);
  }
}

void Ratios::add(const Result& r, double ratio) {
  if (ratio <= 0) {
    ++missing;
    return;
  }
  if (products == 0 || ratio < worst) {
    worst = ratio, worst_product = product_of(r);
  }
  if (ratio < slow_ratio) ++slow;
  sum_of_logs_ += std::log(ratio);
  geometric_mean = std::exp(sum_of_logs_ / static_cast<double>(++products));
}

namespace {

Regret regret_of(const Summary& s, const std::vector<Result>& results) {
  std::map<std::string, std::vector<const Result*>> of_product;
  for (const Result& r : results) {
    if (r.ok() && r.seconds.median > 0 && r.path == s.path && r.backend == s.backend && r.math == s.math)
      of_product[product_of(r)].push_back(&r);
  }
  Regret choice;
  double sum_of_logs = 0;
  std::vector<double> distances;
  for (const auto& [product, all] : of_product) {
    const auto chosen = std::find_if(all.begin(), all.end(), [](const Result* r) { return r->automatic; });
    if (chosen == all.end() || all.size() < 2) continue;
    const double time = (*chosen)->seconds.median;
    double best = time;
    for (const Result* r : all) {
      best = std::min(best, r->seconds.median);
      if (!r->automatic && r->kernel == (*chosen)->kernel && r->tile == (*chosen)->tile)
        distances.push_back(std::abs(time / r->seconds.median - 1));
    }
    ++choice.products;
    sum_of_logs += std::log(time / best);
    if (time / best > choice.worst_regret) choice.worst_regret = time / best, choice.worst_product = product;
  }
  if (choice.products > 0) choice.regret = std::exp(sum_of_logs / static_cast<double>(choice.products));
  choice.noise = middle_of(distances);
  return choice;
}

}  // namespace

std::vector<Summary> summaries_of(const std::vector<Result>& results) {
  std::vector<Summary> summaries;
  for (const Result& r : results) {
    if (!r.automatic) continue;
    auto found = std::find_if(summaries.begin(), summaries.end(), [&](const Summary& s) {
      return s.path == r.path && s.backend == r.backend && s.math == r.math;
    });
    if (found == summaries.end()) {
      found = summaries.insert(found, {r.path, r.backend, r.dtype, r.math, {}, {}, {}, {}, {}});
    }
    if (r.disturbed.empty()) {
      (r.aligned ? found->aligned : found->unaligned).add(r, r.vendor_ratio);
      found->all.add(r, r.vendor_ratio);
    }
    found->peer.add(r, r.peer_ratio);
  }
  for (Summary& s : summaries) s.choice = regret_of(s, results);
  return summaries;
}

}  // namespace rooftile::perf
