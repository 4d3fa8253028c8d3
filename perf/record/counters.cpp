// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "counters.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace rooftile::perf {

std::optional<double> counter(const std::vector<Metric>& counters, std::string_view tag) {
  const auto found =
      std::find_if(counters.begin(), counters.end(), [&](const Metric& m) { return m.tag == tag; });
  return found == counters.end() ? std::nullopt : std::optional(found->value);
}

std::optional<double> counted_flops(const std::vector<Metric>& counters) {
  std::optional<double> sum;
  for (const Metric& m : counters) {
    if (m.tag.starts_with("flops_") || m.tag.starts_with("tensor_")) sum = sum.value_or(0) + m.value;
  }
  return sum;
}

std::optional<double> counted_bytes(const std::vector<Metric>& counters, std::string_view bytes,
                                    std::string_view misses) {
  constexpr double line = 64;
  if (const auto found = counter(counters, bytes)) return found;
  const auto missed = counter(counters, misses);
  return missed ? std::optional(line * *missed) : std::nullopt;
}

std::optional<double> counted_inner_bytes(const std::vector<Metric>& counters) {
  const auto l1 = counter(counters, "l1_bytes"), shared = counter(counters, "shared_bytes");
  if (!l1 || !shared) return {};
  return *l1 + *shared;
}

std::string stalls_in_words(const std::vector<Metric>& counters) {
  constexpr std::string_view prefix = "stall_";
  std::string words;
  for (const Metric& m : counters) {
    if (!m.tag.starts_with(prefix)) continue;
    words += fmt::format("{}{} {:.2g}", words.empty() ? "" : ", ", m.tag.substr(prefix.size()), m.value);
  }
  return words;
}

double modelled_flops(const Result& r) {
  return r.multiplied() ? 1e9 * r.gflops * r.seconds.median : 0;
}

double modelled_bytes(const Result& r) {
  return r.multiplied() && r.intensity > 0 ? modelled_flops(r) / r.intensity : 0;
}

}  // namespace rooftile::perf
