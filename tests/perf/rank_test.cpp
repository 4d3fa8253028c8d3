// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
//
// The rank test against a count of every way to deal the samples out.
#include "perf/measure/rank_test.hpp"

#include <cstdint>
#include <random>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

namespace rooftile::perf {
namespace {

using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;
using Samples = std::vector<double>;

/// Mann and Whitney's U, doubled: pairs in which a's is the larger count 2, equal ones 1.
int doubled_u(const Samples& a, const Samples& b) {
  int u = 0;
  for (const double x : a) {
    for (const double y : b) u += x > y ? 2 : x == y ? 1 : 0;
  }
  return u;
}

/// By the definition: of all ways to say which of the samples are a's, those with U as far from its mean.
double enumerated(const Samples& a, const Samples& b) {
  Samples both = a;
  both.insert(both.end(), b.begin(), b.end());
  const int mean = static_cast<int>(a.size() * b.size()), found = std::abs(doubled_u(a, b) - mean);
  double all = 0, as_far = 0;
  for (std::uint32_t mask = 0; mask < 1u << both.size(); ++mask) {
    Samples left, right;
    for (std::size_t i = 0; i < both.size(); ++i) (mask >> i & 1 ? left : right).push_back(both[i]);
    if (left.size() != a.size()) continue;
    ++all;
    if (std::abs(doubled_u(left, right) - mean) >= found) ++as_far;
  }
  return as_far / all;
}

TEST_CASE("a rank test of few samples is exact, with equal ones and without", "[rank_test]") {
  std::mt19937 random(20261124);
  for (int run = 0; run < 200; ++run) {
    const std::size_t m = 1 + random() % 6, n = 1 + random() % 6;
    const unsigned values = run % 2 == 0 ? 1000000 : 4;  // of four values, most samples have equals
    Samples a(m), b(n);
    for (double& x : a) x = random() % values + (run % 3 == 0 ? values / 4 : 0);
    for (double& x : b) x = random() % values;
    CAPTURE(run, a, b);
    CHECK_THAT(rank_test(a, b), WithinAbs(enumerated(a, b), 1e-12));
    CHECK_THAT(rank_test(b, a), WithinAbs(rank_test(a, b), 1e-12));
  }
}

TEST_CASE("samples that are all apart have the least probability there is", "[rank_test]") {
  for (std::size_t m = 1; m <= 6; ++m) {
    for (std::size_t n = 1; n <= 6; ++n) {
      Samples a, b;
      for (std::size_t i = 0; i < m; ++i) a.push_back(1 + static_cast<double>(i));
      for (std::size_t i = 0; i < n; ++i) b.push_back(100 + static_cast<double>(i));
      CHECK_THAT(min_probability(m, n), WithinRel(enumerated(a, b), 1e-12));
      CHECK_THAT(rank_test(a, b), WithinRel(min_probability(m, n), 1e-12));
    }
  }
  CHECK(min_probability(1, 1) == 1);
}

TEST_CASE("equal samples are not told apart", "[rank_test]") {
  CHECK(rank_test({2, 2, 2}, {2, 2, 2, 2}) == 1);
  CHECK(rank_test(Samples(50, 2), Samples(50, 2)) == 1);  // by the normal curve, whose variance is 0
  CHECK(rank_test({1, 4}, {2, 3}) == 1);
}

TEST_CASE("the normal curve is near the exact probability where it takes over", "[rank_test]") {
  std::mt19937 random(1);
  for (const unsigned values : {1000000u, 8u}) {
    for (const unsigned shift : {0u, values / 8, values / 4}) {
      Samples a(max_counted / 2), b(max_counted / 2);
      for (double& x : a) x = random() % values + shift;
      for (double& x : b) x = random() % values;
      Samples both = a;
      both.insert(both.end(), b.begin(), b.end());
      const std::vector<std::size_t> ranks = doubled_ranks(both);
      std::size_t sum = 0;
      for (std::size_t i = 0; i < a.size(); ++i) sum += ranks[i];
      CAPTURE(values, shift);
      CHECK_THAT(normal_probability(ranks, a.size(), sum), WithinAbs(rank_test(a, b), 0.01));
    }
  }
}

TEST_CASE("under no difference, probabilities are spread as they say", "[rank_test]") {
  std::mt19937 random(7);
  for (const std::size_t n : {std::size_t{9}, max_counted}) {  // exact, and by the normal curve
    int below = 0;
    constexpr int runs = 1000;
    for (int run = 0; run < runs; ++run) {
      Samples a(n), b(n);
      for (double& x : a) x = random();
      for (double& x : b) x = random();
      below += rank_test(a, b) <= 0.05 ? 1 : 0;
    }
    CHECK(below < 0.07 * runs);  // 0.05, and three times what chance makes of it
    CHECK(below > 0.02 * runs);
  }
}

TEST_CASE("Holm's correction multiplies the smallest by all, and never turns two around", "[rank_test]") {
  // 4 · 0.01, 3 · 0.02 and 2 · 0.04, and 1 · 0.05, which is not less than what comes before it.
  const std::vector<double> found = corrected({0.05, 0.01, 0.04, 0.02});
  const double expected[] = {2 * 0.04, 4 * 0.01, 2 * 0.04, 3 * 0.02};
  for (std::size_t i = 0; i < found.size(); ++i) CHECK_THAT(found[i], WithinRel(expected[i], 1e-12));
  CHECK(corrected({0.6, 0.7}) == std::vector<double>{1, 1});
  CHECK(corrected({}).empty());
}

}  // namespace
}  // namespace rooftile::perf
