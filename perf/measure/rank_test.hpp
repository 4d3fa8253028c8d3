// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

/// Tests whether two sets of samples differ by more than chance. It uses only ranks, since times are not
/// normally distributed.
namespace rooftile::perf {

/// Up to this total number of samples, the probability is exact; beyond, the normal approximation is
/// accurate.
inline constexpr std::size_t max_counted = 40;

/// The indices of the values in ascending order of value.
inline std::vector<std::size_t> order_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order;
}

/// The ranks of all values in the order of the values, doubled to stay whole: equal values share their mean
/// rank. O(n log n).
inline std::vector<std::size_t> doubled_ranks(const std::vector<double>& values) {
  const std::vector<std::size_t> order = order_of(values);
  std::vector<std::size_t> ranks(values.size());
  for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    for (std::size_t i = first; i < end; ++i) ranks[order[i]] = first + end + 1;
  }
  return ranks;
}

/// The probability that the sum of `chosen` randomly drawn ranks is at least as far from its mean as `sum`.
/// Counts all draws by their sum. O(n² · sum).
inline double counted_probability(const std::vector<std::size_t>& ranks, std::size_t chosen,
                                  std::size_t sum) {
  const std::size_t total = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(total + 1, 0.0));  // [drawn][sum]
  ways[0][0] = 1;
  std::size_t seen = 0, reached = 0;
  for (const std::size_t rank : ranks) {
    reached += rank;
    for (std::size_t drawn = std::min(++seen, chosen); drawn > 0; --drawn) {
      for (std::size_t s = reached; s >= rank; --s) ways[drawn][s] += ways[drawn - 1][s - rank];
    }
  }
  // Multiplied by the number of ranks, the mean is a whole number.
  const auto distance = [&](std::size_t s) {
    const std::size_t here = s * ranks.size(), mean = chosen * total;
    return here > mean ? here - mean : mean - here;
  };
  double all = 0, as_far = 0;
  for (std::size_t s = 0; s <= total; ++s) {
    all += ways[chosen][s];
    if (distance(s) >= distance(sum)) as_far += ways[chosen][s];
  }
  return as_far / all;
}

/// The normal approximation of `counted_probability`, with the variance corrected for ties and a continuity
/// correction of half a step.
inline double normal_probability(const std::vector<std::size_t>& ranks, std::size_t chosen, std::size_t sum) {
  const double n = static_cast<double>(ranks.size()), m = static_cast<double>(chosen);
  double mean_rank = 0, variance = 0;
  for (const std::size_t rank : ranks) mean_rank += 0.5 * static_cast<double>(rank) / n;
  for (const std::size_t rank : ranks) variance += std::pow(0.5 * static_cast<double>(rank) - mean_rank, 2);
  variance *= m * (n - m) / (n * (n - 1));
  const double distance = std::abs(0.5 * static_cast<double>(sum) - m * mean_rank) - 0.5;
  return variance > 0 && distance > 0 ? std::erfc(distance / std::sqrt(2 * variance)) : 1;
}

/// The two-sided Mann-Whitney U test: the probability that two sets of samples of one distribution differ at
/// least this much. Exact up to `max_counted` samples. @pre neither set is empty; no NaN
inline double rank_test(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> both = a;
  both.insert(both.end(), b.begin(), b.end());
  const std::vector<std::size_t> ranks = doubled_ranks(both);
  const std::size_t sum =
      std::accumulate(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(a.size()), std::size_t{0});
  return both.size() <= max_counted ? counted_probability(ranks, a.size(), sum)
                                    : normal_probability(ranks, a.size(), sum);
}

/// The smallest p-value for these sample counts, when the two sets do not overlap: 2 of all possible draws.
inline double min_probability(std::size_t a, std::size_t b) {
  double ways = 1;
  for (std::size_t i = 1; i <= std::min(a, b); ++i) {
    ways *= static_cast<double>(a + b + 1 - i) / static_cast<double>(i);
  }
  return std::min(1.0, 2 / ways);
}

/// Holm's correction (A simple sequentially rejective multiple test procedure, 1979). If every corrected
/// value of at most x counts as significant, the probability of any false positive is at most x.
inline std::vector<double> corrected(const std::vector<double>& p) {
  const std::vector<std::size_t> order = order_of(p);
  std::vector<double> result(p.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    largest = std::max(largest, std::min(1.0, static_cast<double>(p.size() - i) * p[order[i]]));
    result[order[i]] = largest;
  }
  return result;
}

}  // namespace rooftile::perf
