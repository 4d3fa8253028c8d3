// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "sampler.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

namespace rooftile::perf {

Seconds summarise(std::vector<double> samples) {
  std::vector<double> sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t half = sorted.size() / 2;
  Seconds s;
  s.median = sorted.size() % 2 == 1 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
  s.min = sorted.front(), s.max = sorted.back(), s.count = sorted.size();
  std::tie(s.low, s.high) = median_interval(sorted);
  s.outliers = outliers_of(samples, sorted);
  s.samples = std::move(samples);
  return s;
}

double seconds_of(Device& device, const std::function<void()>& call, Index& runs, bool cold) {
  const auto run = [&] {
    return device.seconds([&] {
      for (Index i = 0; i < runs; ++i) call();
    });
  };
  if (!cold && is_gpu(device) && runs == 1) return device.seconds_behind(call, call);
  call();
  if (cold) device.flush_caches();
  double seconds = run();
  while (!cold && !is_gpu(device) && seconds < shortest_sample && runs < max_runs) {
    runs *= 2;
    seconds = run();
  }
  return seconds / static_cast<double>(runs);
}

std::string in_words(const Sampling& sampling) {
  if (sampling.cold)
    return "cold: one untimed call, then flushed caches, before each sample of one call; candidates in turn";
  if (sampling.burst > 1)
    return fmt::format("hot: one untimed call before each sample of {} calls in a row; candidates in turn",
                       sampling.burst);
  return "hot: one untimed call before each sample of one call, both in the queue of an NVIDIA GPU before it "
         "begins; candidates in turn";
}

bool is_enough(const std::vector<double>& samples, const Sampling& sampling) {
  if (samples.size() >= sampling.samples) return true;
  if (samples.size() < sampling.least) return false;
  if (std::accumulate(samples.begin(), samples.end(), 0.0) > sampling.seconds) return true;
  if (sampling.error == 0) return false;
  const Seconds so_far = summarise(samples);
  return so_far.high > 0 && so_far.high - so_far.low <= 2 * sampling.error * so_far.median;
}

std::vector<Seconds> time_in_turn(const std::vector<Timed>& all, const Sampling& sampling,
                                  const std::function<void(const std::string&)>& progress) {
  std::vector<std::vector<double>> samples(all.size()), clocks(all.size()), power(all.size());
  std::vector<Index> runs(all.size(), sampling.burst);
  for (bool running = true; running;) {
    running = false;
    for (std::size_t i = 0; i < all.size() && !sampling.ended(); ++i) {
      if (is_enough(samples[i], sampling)) continue;
      progress("time " + all[i].title);
      samples[i].push_back(seconds_of(*all[i].device, all[i].call, runs[i], sampling.cold));
      if (const double clock = all[i].device->clock_after_sample_mhz(); clock > 0) clocks[i].push_back(clock);
      if (const double watts = all[i].device->power_after_sample_w(); watts > 0) power[i].push_back(watts);
      running = true;
    }
  }
  std::vector<Seconds> seconds(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (samples[i].empty()) continue;
    seconds[i] = summarise(samples[i]);
    seconds[i].clocks_mhz = clocks[i], seconds[i].power_w = power[i];
  }
  return seconds;
}

template <class T>
void time_in_turn(const std::vector<const Candidate<T>*>& candidates, Operands<T>& operands,
                  const Sampling& sampling, const std::function<void(const std::string&)>& progress,
                  std::vector<Result>& results) {
  time_rows(results, sampling, progress, [&](std::size_t i) -> std::optional<Timed> {
    if (!results[i].ok()) return {};
    const Candidate<T>& c = *candidates[i];
    return Timed{title_of(c), c.device, c.call(operands.on_device())};
  });
}

template <class T>
std::vector<Result> sample(const std::vector<const Candidate<T>*>& candidates, Operands<T>& operands,
                           const Sampling& sampling,
                           const std::function<void(const std::string&)>& progress) {
  std::vector<Result> results(candidates.size());
  if (candidates.empty()) return results;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate<T>& c = *candidates[i];
    Result& r = results[i];
    set_candidate(r, c);
    r.shape = operands.on_host().shape();
    r.batch = operands.on_host().batch.count, r.pointers = operands.on_device().pointers.any();
    r.cold = sampling.cold, r.burst = sampling.burst > 1 ? sampling.burst : 0,
    r.request_intensity = c.request_intensity;
    r.reason = c.refusal(operands.on_device()).text;
    r.status = r.reason.empty() ? "ok" : "unsupported";
    if (c.chosen && r.status == "ok") {
      const KernelName name = c.chosen(operands.on_device());
      r.kernel = name.kernel, r.tile = name.tile, r.tuned = name.tuned;
    }
  }
  verify(candidates, operands, Values::integers, sampling, progress, results);
  verify(candidates, operands, Values::uniform, sampling, progress, results);
  time_in_turn(candidates, operands, sampling, progress, results);
  return results;
}

#define ROOFTILE_INSTANTIATE(...)                                                                       \
  template void time_in_turn(const std::vector<const Candidate<__VA_ARGS__>*>&, Operands<__VA_ARGS__>&, \
                             const Sampling&, const std::function<void(const std::string&)>&,           \
                             std::vector<Result>&);                                                     \
  template std::vector<Result> sample(const std::vector<const Candidate<__VA_ARGS__>*>&,                \
                                      Operands<__VA_ARGS__>&, const Sampling&,                          \
                                      const std::function<void(const std::string&)>&);
ROOFTILE_FOR_EACH_PRODUCT_TYPE(ROOFTILE_INSTANTIATE)

}  // namespace rooftile::perf
