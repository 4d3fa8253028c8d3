// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Comparison of two runs with samples from fixed seeds. The rank test is compared with an enumeration of all
// assignments.
#include "perf/measure/comparison.hpp"

#include <cstdint>
#include <random>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "perf/measure/rank_test.hpp"
#include "perf/measure/sampler.hpp"
#include "tests/support/refused.hpp"

namespace rooftile::perf {
namespace {

using rooftile::testing::refused;

/// A result of one kernel on n³. Samples are in seconds.
Result result(Index n, std::vector<double> samples, const std::string& path = "portable") {
  Result r;
  r.device = "a CPU", r.backend = "openmp", r.path = path, r.kernel = "tiled", r.tile = "8x8x8";
  r.dtype = r.math = "fp32", r.layout = "rrr", r.shape = {n, n, n}, r.status = "ok";
  r.seconds = summarise(std::move(samples));
  return r;
}

Run run_of(std::vector<Result> results) {
  Run run;
  run.devices = {{"a CPU", "openmp", 0, 2, {}, {}}};
  run.results = std::move(results);
  return run;
}

Comparison compared(const Run& before, const Run& after, const Sensitivity& sensitivity = {}) {
  return compare(before, "old.json", after, "new.json", sensitivity);
}

/// Realistic samples: most are near the time, and some are late.
std::vector<double> noisy(std::mt19937_64& random, double seconds, std::size_t count) {
  std::normal_distribution<double> bell(0, 0.01);
  std::vector<double> samples(count);
  for (double& sample : samples) {
    sample = seconds * std::exp(bell(random));
    if (random() % 20 == 0) sample *= 1.3;
  }
  return samples;
}

constexpr int kernels = 60, changed_kernel = 17;

/// A run of many kernels. One of them takes `factor` times as long.
Run noisy_run(std::mt19937_64& random, double factor) {
  std::vector<Result> results;
  for (int i = 0; i < kernels; ++i) {
    results.push_back(result(i + 1, noisy(random, 1e-3 * (i + 1) * (i == changed_kernel ? factor : 1), 15)));
  }
  return run_of(results);
}

TEST_CASE("a change of 5 % of one kernel is found in 20 of 20 runs, and nothing else", "[comparison]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const double factor : {1.05, 1 / 1.05, 1.0}) {
      std::mt19937_64 random(seed);
      const Run before = noisy_run(random, 1), after = noisy_run(random, factor);
      const Comparison found = compared(before, after);
      CAPTURE(seed, factor);
      CHECK(found.pairs.size() == kernels);
      CHECK(found.count(Verdict::slower) + found.count(Verdict::faster) == (factor == 1 ? 0 : 1));
      CHECK(found.any_slower() == (factor > 1));
      if (factor == 1) continue;
      CHECK(found.pairs[changed_kernel].verdict == (factor > 1 ? Verdict::slower : Verdict::faster));
    }
  }
}

TEST_CASE("Holm's correction alone bounds the false alarms", "[comparison]") {
  int runs_with_alarm = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    std::mt19937_64 random(seed);
    const Run before = noisy_run(random, 1), after = noisy_run(random, 1);
    const Comparison found = compared(before, after, {.threshold = 0});
    if (found.count(Verdict::slower) + found.count(Verdict::faster) > 0) ++runs_with_alarm;
  }
  CHECK(runs_with_alarm <= 11);  // 5 expected, plus three standard deviations
}

TEST_CASE("medians differ beyond the threshold, on either side alike", "[comparison]") {
  const std::vector<double> at_1(15, 1), at_2(15, 2);
  for (const auto& [a, b, threshold, verdict] : {std::tuple{at_1, at_2, 0.99, Verdict::slower},
                                                 {at_2, at_1, 0.99, Verdict::faster},
                                                 {at_1, at_2, 1, Verdict::same},
                                                 {at_2, at_1, 1, Verdict::same},
                                                 {at_1, at_1, 0, Verdict::same}}) {
    const Run before = run_of({result(8, a)}), after = run_of({result(8, b)});
    CHECK(compared(before, after, {.threshold = threshold}).pairs[0].verdict == verdict);
  }
}

TEST_CASE("different medians that the rank test does not confirm are ambiguous, or too few", "[comparison]") {
  const Run before = run_of({result(8, {1, 1, 1})}), after = run_of({result(8, {2, 2, 2})});
  const Comparison few = compared(before, after);  // of 20 assignments, two are as extreme
  CHECK((few.pairs[0].verdict == Verdict::ambiguous && few.pairs[0].too_few));
  CHECK_FALSE(few.any_slower());
  CHECK(compared(before, after, {.false_alarms = 0.1}).pairs[0].verdict == Verdict::slower);
  const std::vector<double> wide = {1, 1, 1, 1, 1, 3, 3, 3, 3}, other = {1, 1, 1, 1, 3, 3, 3, 3, 3};
  const Run one = run_of({result(8, wide)}), two = run_of({result(8, other)});
  const Comparison mixed = compared(one, two);
  CHECK((mixed.pairs[0].verdict == Verdict::ambiguous && !mixed.pairs[0].too_few));
}

TEST_CASE("the library's own choice is compared, whichever kernel it took", "[comparison]") {
  Result before = result(8, std::vector<double>(15, 1)), after = result(8, std::vector<double>(15, 2));
  before.automatic = after.automatic = true, after.kernel = "packed", after.tile = "";
  const Run one = run_of({before, result(8, std::vector<double>(15, 1))}), two = run_of({after});
  const Comparison found = compared(one, two);
  CHECK((found.pairs.size() == 1 && found.any_slower() && found.only_before == 1 && found.only_after == 0));
}

TEST_CASE("other libraries do not decide", "[comparison]") {
  const Run before = run_of({result(8, std::vector<double>(15, 1), "vendor")}),
            after = run_of({result(8, std::vector<double>(15, 2), "vendor")});
  const Comparison found = compared(before, after);
  CHECK((found.count(Verdict::slower) == 1 && !found.any_slower()));
}

TEST_CASE("results of one run alone are counted, and wrong ones of the later run named", "[comparison]") {
  const std::vector<double> time(9, 1);
  Result unsupported = result(8, time), failed = result(9, time);
  unsupported.status = "unsupported", failed.status = "failed";
  const Run before = run_of({result(7, time), result(8, time), result(9, time), result(10, time)});
  const Run after = run_of({result(7, time), unsupported, failed, result(11, time)});
  const Comparison found = compared(before, after);
  CHECK((found.pairs.size() == 1 && found.only_before == 2 && found.only_after == 1));
  REQUIRE(found.broken.size() == 1);
  CHECK(found.broken[0]->shape.m == 9);
}

TEST_CASE("runs that cannot be compared are refused", "[comparison]") {
  const std::vector<double> time(9, 1);
  const Run good = run_of({result(8, time)});
  Run bare = good, threads = good;
  bare.results[0].seconds.samples.clear(), threads.devices[0].threads = 16;
  const auto on = [&](const Hardware& hardware) {
    Run run = good;
    run.devices[0].hardware = hardware;
    return run;
  };
  const auto refusal = [](const Run& before, const Run& after) {
    return refused([&] { compared(before, after); });
  };
  const Run zen4 = on({25, 17, 0}), zen5 = on({26, 2, 0});
  for (const auto& [before, after, problem] :
       {std::tuple{bare, good, "no samples (old.json, a CPU, openmp, portable tiled 8x8x8, fp32 8x8x8 rrr)"},
        {good, bare, "no samples (new.json, "},
        {good, run_of({result(8, {1, 0, 1})}), "a sample that is not a positive time (new.json, "},
        {good, run_of({result(8, {1, -1, 1})}), "a sample that is not a positive time (new.json, "},
        {run_of({result(8, time), result(8, time)}), good, "result twice (old.json, "},
        {good, run_of({result(9, time)}), "no product with a time in both files (old.json, new.json)"},
        {good, threads, "not the same number of threads (a CPU, openmp, 2 before, 16 now)"},
        {zen4, zen5,
         "not the same device (openmp, before a CPU, family 25, model 17; now a CPU, family 26, model 2)"},
        {zen4, on({25, 1, 0}), "not the same device (openmp, "},
        {on({0, 0, 40}), on({0, 0, 80}), "not the same device (openmp, "}}) {
    CAPTURE(problem);
    CHECK(refusal(before, after).starts_with(problem));
  }
  for (const auto& [before, after] : {std::pair{zen4, zen4}, {good, zen5}, {zen4, good}})
    CHECK(compared(before, after).pairs.size() == 1);
}

using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;
using Samples = std::vector<double>;

/// Twice Mann and Whitney's U: a pair in which a's value is larger counts 2, an equal pair 1.
int doubled_u(const Samples& a, const Samples& b) {
  int u = 0;
  for (const double x : a) {
    for (const double y : b) u += x > y ? 2 : x == y ? 1 : 0;
  }
  return u;
}

/// The definition: among all assignments of the samples to a, the share whose U is as far from its mean.
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

TEST_CASE("a rank test of few samples is exact, with and without equal ones", "[rank_test]") {
  std::mt19937 random(20261124);
  for (int run = 0; run < 200; ++run) {
    const std::size_t m = 1 + random() % 6, n = 1 + random() % 6;
    const unsigned values = run % 2 == 0 ? 1000000 : 4;  // with four values, most samples have ties
    Samples a(m), b(n);
    for (double& x : a) x = random() % values + (run % 3 == 0 ? values / 4 : 0);
    for (double& x : b) x = random() % values;
    CAPTURE(run, a, b);
    CHECK_THAT(rank_test(a, b), WithinAbs(enumerated(a, b), 1e-12));
    CHECK_THAT(rank_test(b, a), WithinAbs(rank_test(a, b), 1e-12));
  }
}

TEST_CASE("disjoint samples have the least possible probability", "[rank_test]") {
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
  CHECK(rank_test(Samples(50, 2), Samples(50, 2)) == 1);  // normal approximation with variance 0
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

TEST_CASE("probabilities of equal distributions are uniform", "[rank_test]") {
  std::mt19937 random(7);
  for (const std::size_t n : {std::size_t{9}, max_counted}) {  // exact, and with the normal approximation
    int below = 0;
    constexpr int runs = 1000;
    for (int run = 0; run < runs; ++run) {
      Samples a(n), b(n);
      for (double& x : a) x = random();
      for (double& x : b) x = random();
      below += rank_test(a, b) <= 0.05 ? 1 : 0;
    }
    CHECK(below < 0.07 * runs);  // 0.05, plus three standard deviations
    CHECK(below > 0.02 * runs);
  }
}

TEST_CASE("Holm's correction multiplies the smallest by the count, and keeps the order", "[rank_test]") {
  // 4 · 0.01, 3 · 0.02 and 2 · 0.04. Then 1 · 0.05, raised to the previous value.
  const std::vector<double> found = corrected({0.05, 0.01, 0.04, 0.02});
  const double expected[] = {2 * 0.04, 4 * 0.01, 2 * 0.04, 3 * 0.02};
  for (std::size_t i = 0; i < found.size(); ++i) CHECK_THAT(found[i], WithinRel(expected[i], 1e-12));
  CHECK(corrected({0.6, 0.7}) == std::vector<double>{1, 1});
  CHECK(corrected({}).empty());
}

}  // namespace
}  // namespace rooftile::perf
