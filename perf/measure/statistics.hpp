// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

/// Statistics of time samples. They use ranks where possible, since times are not normally distributed.
namespace rooftile::perf {

/// Confidence level of the intervals of medians.
inline constexpr double confidence = 0.95;

/// Indices of the sorted samples that bound the median's confidence interval. The number of samples below the
/// median is binomial (H. A. David and H. N. Nagaraja, Order Statistics, 3rd ed., §7.1). {0, 0}: fewer than 6
/// samples.
inline std::pair<std::size_t, std::size_t> median_ranks(std::size_t count) {
  const double tail = (1 - confidence) / 2, n = static_cast<double>(count);
  double below = 0;  // probability that at most `rank` samples are below the median
  std::size_t rank = 0;
  for (; 2 * rank < count; ++rank) {
    const double r = static_cast<double>(rank);
    below += std::exp(std::lgamma(n + 1) - std::lgamma(r + 1) - std::lgamma(n - r + 1) - n * std::log(2.0));
    if (below > tail) break;
  }
  return rank == 0 ? std::pair<std::size_t, std::size_t>{} : std::pair{rank - 1, count - rank};
}

/// The interval that contains the median with probability `confidence`; {0, 0} for too few samples.
inline std::pair<double, double> median_interval(const std::vector<double>& sorted) {
  const auto [first, last] = median_ranks(sorted.size());
  return first == last ? std::pair<double, double>{} : std::pair{sorted[first], sorted[last]};
}

/// The quantile of sorted samples, by linear interpolation between two of them (R. J. Hyndman and Y. Fan,
/// Sample Quantiles in Statistical Packages, 1996, definition 7). @pre not empty
inline double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto first = static_cast<std::size_t>(at);
  const std::size_t next = std::min(first + 1, sorted.size() - 1);
  return sorted[first] + (at - static_cast<double>(first)) * (sorted[next] - sorted[first]);
}

/// Indices of samples more than 1.5 interquartile ranges outside the quartiles: Tukey's fences (J. W. Tukey,
/// Exploratory Data Analysis, 1977, §2D).
inline std::vector<std::size_t> outliers_of(const std::vector<double>& samples,
                                            const std::vector<double>& sorted) {
  std::vector<std::size_t> outliers;
  if (sorted.empty()) return outliers;
  const double low = quantile(sorted, 0.25), high = quantile(sorted, 0.75), step = 1.5 * (high - low);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i] < low - step || samples[i] > high + step) outliers.push_back(i);
  }
  return outliers;
}

}  // namespace rooftile::perf
