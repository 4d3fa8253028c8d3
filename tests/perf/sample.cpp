// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Sampling of kernels: sample() as a whole, the number of samples, and its parts.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "fake_device.hpp"
#include "numerics/reference.hpp"
#include "perf/measure/sampler.hpp"
#include "perf/progress.hpp"

namespace rooftile::testing {

template <class T>
void right(const GemmArgs<T>& args) {
  multiply(args);
}

template <class T>
void nothing(const GemmArgs<T>&) {}

/// One product, measured with several kernels.
template <class T>
struct Bench {
  FakeDevice device;
  GemmShape shape{20, 12, 9};
  Scalar<T> beta = 0;
  Index batch = 1;
  perf::Places places = perf::Places::at_distances;
  perf::Sampling sampling{};
  std::vector<std::string> said;

  std::vector<perf::Result> run(std::vector<FakeKernel<T>*> kernels) {
    perf::Operands<T> operands(device, shape, {"rcr"}, 1, beta, seed, batch, places);
    std::vector<perf::Candidate<T>> candidates;
    for (FakeKernel<T>* kernel : kernels) candidates.push_back(kernel->on(device));
    std::vector<const perf::Candidate<T>*> pointers;
    for (const perf::Candidate<T>& candidate : candidates) pointers.push_back(&candidate);
    return perf::sample(pointers, operands, sampling,
                        [this](const std::string& text) { said.push_back(text); });
  }
  perf::Result run(FakeKernel<T>& kernel) { return run(std::vector{&kernel})[0]; }
};

}  // namespace rooftile::testing

namespace rooftile::perf {
namespace {

using testing::Bench, testing::FakeDevice, testing::FakeKernel, testing::nothing, testing::right,
    testing::seed;

/// Omits the last step along K.
template <class T>
void short_by_one(GemmArgs<T> args) {
  args.A.cols -= 1, args.B.rows -= 1;
  testing::multiply(args);
}

/// Writes all elements of C except the last.
template <class T>
void incomplete(const GemmArgs<T>& args) {
  T& last = args.C(args.C.rows - 1, args.C.cols - 1);
  const T before = last;
  testing::multiply(args);
  last = before;
}

/// Rounds the operands to the precision of bf16, which is exact for small integers.
template <class T>
void in_bfloat16(const GemmArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args;
  for (Index i = 0; i < C.rows; ++i) {
    for (Index j = 0; j < C.cols; ++j) {
      float sum = 0;
      for (Index k = 0; k < A.cols; ++k) {
        sum += bfloat16(static_cast<float>(A(i, k))) * bfloat16(static_cast<float>(B(k, j)));
      }
      C(i, j) = sum;
    }
  }
}

TEMPLATE_TEST_CASE("a correct kernel is ok and timed as often as asked", "[sample]", float, double) {
  Bench<TestType> bench;
  for (const std::size_t samples : {1, 4, 15}) {
    bench.sampling.samples = samples;
    FakeKernel<TestType> kernel{"right", right<TestType>};
    const Result r = bench.run(kernel);
    CHECK((r.status == "ok" && r.reason.empty() && r.error_ratio <= 1 && r.rows_checked == 20));
    CHECK(r.seconds.count == samples);
    CHECK(kernel.launches == 2 + 2 * samples);  // verified twice; an untimed call per sample
    CHECK((r.path == "test" && r.backend == "fake" && r.kernel == "right" && r.tile == "4x4"));
    CHECK((r.shape == bench.shape && r.dtype == to_string(type_of(own_mode<TestType>())) && !r.automatic));
    CHECK((r.batch == 1 && r.request_intensity == 0.5));
    CHECK(bench.said.back() == "time test right 4x4");
  }
}

TEST_CASE("every product of a batch is verified", "[sample]") {
  Bench<float> bench;
  bench.batch = 5, bench.places = GENERATE(Places::at_distances, Places::by_pointers);
  FakeKernel<float> kernel{"right", right<float>};
  const Result r = bench.run(kernel);
  CHECK((r.status == "ok" && r.batch == 5 && r.rows_checked == 100));
  CHECK(r.pointers == (bench.places == Places::by_pointers));
  int products = 0;
  FakeKernel<float> wrong_in_one{"wrong in one", [&](const GemmArgs<float>& args) {
                                   if (products++ % 5 != 3) right(args);
                                 }};
  const Result wrong = bench.run(wrong_in_one);
  CHECK(wrong.status == "failed");
  CHECK(wrong.reason ==
        "wrong result of integers (product 3, row 0, column 0, not exact): report this kernel");
}

TEST_CASE("a batch has the error of its worst product, and its reason names the first wrong one",
          "[sample]") {
  Bench<float> bench;
  bench.batch = 4;
  /// Right with integers, then off by `off` in each product.
  const auto run = [&](std::array<float, 4> off) {
    std::size_t products = 0;
    FakeKernel<float> kernel{"off", [&](const GemmArgs<float>& args) {
                               right(args);
                               for (Index i = 0; i < args.C.rows && products >= 4; ++i) {
                                 for (Index j = 0; j < args.C.cols; ++j)
                                   args.C(i, j) *= 1 + off[products % 4];
                               }
                               ++products;
                             }};
    return bench.run(kernel);
  };
  const double much = run({0, 1e-2F, 0, 0}).error_ratio, little = run({0, 0, 1e-3F, 0}).error_ratio;
  CHECK((much > little && little > 1));
  const Result first = run({0, 1e-2F, 1e-3F, 0}), second = run({0, 1e-3F, 1e-2F, 0});
  CHECK(first.error_ratio == much);
  CHECK((second.error_ratio > 5 * little && second.error_ratio == run({0, 0, 1e-2F, 0}).error_ratio));
  const double of_first_wrong = run({0, 1e-3F, 0, 0}).error_ratio;
  for (const auto& [r, ratio] : {std::pair{first, much}, {second, of_first_wrong}}) {
    CHECK(r.status == "failed");
    CHECK(r.reason == rooftile::detail::text("wrong result (product 1, row 3, column 6, ", ratio,
                                             " times its error bound): report this kernel"));
    CHECK(r.rows_checked == 80);
  }
}

TEST_CASE("evenly spread products of a large batch are verified", "[sample]") {
  CHECK(products_to_check({4, 4, 4}, 3) == std::vector<Index>{0, 1, 2});
  const std::vector<Index> many = products_to_check({4, 4, 4}, 100'000);
  CHECK((many.size() == 1000 && many.front() == 0 && many.back() == 99'999));
  CHECK(products_to_check({100, 100, 100}, 100, 4e6) == std::vector<Index>{0, 33, 66, 99});
  CHECK(products_to_check({100, 100, 100}, 100, 1) == std::vector<Index>{0, 99});
  CHECK(products_to_check({0, 4, 4}, 1) == std::vector<Index>{0});
}

TEMPLATE_TEST_CASE("a wrong kernel fails, with a reason, and is not timed", "[sample]", float, double) {
  Bench<TestType> bench;
  for (const TestType beta : {TestType(0), TestType(0.5)}) {
    bench.beta = beta;
    for (const auto& [name, worst, compute] :
         {std::tuple{"short by one", "row 0, column 0", &short_by_one<TestType>},
          {"incomplete", "row 19, column 11", [](GemmArgs<TestType> args) { incomplete(args); }}}) {
      INFO(name << ", beta " << beta);
      FakeKernel<TestType> kernel{name, compute};
      const Result r = bench.run(kernel);
      CHECK(r.status == "failed");
      CHECK(r.reason ==
            rooftile::detail::text("wrong result of integers (", worst, ", not exact): report this kernel"));
      CHECK(r.error_ratio > 1);
      CHECK(r.seconds.count == 0);
      CHECK(kernel.launches == 1);
    }
  }
}

TEMPLATE_TEST_CASE("a kernel that is right for integers alone fails, and the reason names the place",
                   "[sample]", float, double) {
  Bench<TestType> bench;
  FakeKernel<TestType> kernel{"inaccurate", in_bfloat16<TestType>};
  const Result r = bench.run(kernel);
  CHECK((r.status == "failed" && r.error_ratio > 1 && std::isfinite(r.error_ratio)));
  CHECK((r.seconds.count == 0 && kernel.launches == 2));
  if constexpr (std::is_same_v<TestType, float>) {
    CHECK(r.reason == rooftile::detail::text("wrong result (row 19, column 0, ", r.error_ratio,
                                             " times its error bound): report this kernel"));
  }
}

TEMPLATE_TEST_CASE("a lost product among 65,536 is found, although it is within the error bound", "[sample]",
                   float, float16, bfloat16) {
  Bench<TestType> bench;
  bench.shape = {4, 5, 65536};
  FakeKernel<TestType> kernel{"short by one", short_by_one<TestType>};
  CHECK(bench.run(kernel).status == "failed");

  Operands<TestType> operands(bench.device, bench.shape, {}, 1, 0, seed);
  operands.fill(Values::uniform);
  operands.reset();
  kernel.compute(operands.on_device().first);
  CHECK(Reference<TestType>(operands.on_host().first).compare(operands.result().first).passed());
  FakeKernel<TestType> whole{"right", right<TestType>};
  CHECK(bench.run(whole).status == "ok");
}

TEST_CASE("the library's choice is named as on the product", "[sample]") {
  Bench<float> bench;
  FakeKernel<float> kernel{"automatic", right<float>};
  Candidate<float> candidate = kernel.on(bench.device);
  candidate.chosen = [](const BatchArgs<float>& args) -> KernelName {
    return {"kernel", std::to_string(args.first.C.rows)};
  };
  Operands<float> operands(bench.device, bench.shape, {}, 1, 0, seed);
  const std::vector<const Candidate<float>*> candidates{&candidate};
  const Result r = sample(candidates, operands, {}, [](const std::string&) {}).front();
  CHECK((r.automatic && r.kernel == "kernel" && r.tile == "20" && r.status == "ok"));
  kernel.refusal = "no kernel computes so (bf16): take another";
  const Result refused = sample(candidates, operands, {}, [](const std::string&) {}).front();
  CHECK((refused.automatic && refused.kernel == "automatic" && refused.status == "unsupported"));
}

TEMPLATE_TEST_CASE("a kernel's verdict does not depend on the kernel before it", "[sample]", float, double) {
  for (const TestType beta : {TestType(0), TestType(1)}) {
    Bench<TestType> bench;
    bench.beta = beta;
    FakeKernel<TestType> first{"right", right<TestType>}, idle{"nothing", nothing<TestType>},
        wrong{"wrong", short_by_one<TestType>}, last = first;
    std::vector<std::string> verdicts;
    for (const Result& r : bench.run({&first, &idle, &wrong, &last})) verdicts.push_back(r.status);
    CHECK(verdicts == std::vector<std::string>{"ok", "failed", "failed", "ok"});
  }
}

TEST_CASE("a kernel that refuses is unsupported, with its reason, and not launched", "[sample]") {
  Bench<double> bench;
  FakeKernel<double> kernel{"refusing", right<double>, {1e-3}, "tile too large (64): take a smaller one"};
  const Result r = bench.run(kernel);
  CHECK((r.status == "unsupported" && r.reason == kernel.refusal));
  CHECK((r.seconds.count == 0 && kernel.launches == 0));
}

TEST_CASE("padded and misaligned operands are verified and left alone between their rows", "[sample]") {
  FakeDevice device;
  FakeKernel<float> kernel{"right", right<float>};
  const Candidate<float> candidate = kernel.on(device);
  const std::vector<const Candidate<float>*> candidates{&candidate};
  for (const char* layout : {"rrr", "ccc", "rcr"}) {
    Operands<float> operands(device, {5, 6, 7}, {layout, 3, 1}, 1, 0, seed, 2);
    CHECK(sample(candidates, operands, {.samples = 1}, [](const std::string&) {})[0].status == "ok");
    const auto there = operands.on_device();
    const bool rows = layout[2] == 'r';
    CHECK((rows ? there.first.C.row_stride : there.first.C.col_stride) == (rows ? 6 : 5) + 3);
    CHECK(there.batch.stride_c == (rows ? 5 * 9 : 6 * 8));
    CHECK(std::isnan(there.first.C.data[-1]));
    CHECK(std::isnan(there.first.C.data[rows ? 6 : 5]));
  }
  CHECK(device.buffers == 0);
}

TEST_CASE("samples are the times of the device's clock", "[sample]") {
  Bench<float> bench;
  bench.sampling.samples = 4;
  // The launches for verification and the untimed ones are not samples.
  FakeKernel<float> kernel{"right", right<float>, {1e6, 1e6, 9, 1e-3, 9, 4e-3, 9, 2e-3, 9, 8e-3}};
  const Result r = bench.run(kernel);
  CHECK((r.seconds.median == 3e-3 && r.seconds.min == 1e-3 && r.seconds.max == 8e-3));
}

TEST_CASE("a sample of a short product on a CPU has several calls", "[sample]") {
  Bench<float> bench;
  bench.sampling.samples = 2;
  FakeKernel<float> on_host{"short", right<float>, {1e-6}}, on_gpu = on_host;
  const Result several = bench.run(on_host);
  CHECK(std::abs(several.seconds.median - 1e-6) < 1e-12);
  CHECK(several.seconds.count == 2);
  CHECK(on_host.launches == 2 + 1 + (1 + 2 + 4 + 8 + 16) + 1 + 16);  // verified, calibrated, timed
  bench.device.backend = "cuda";
  bench.run(on_gpu);
  CHECK(on_gpu.launches == 2 + 2 * 2);
}

TEST_CASE("a sample of a burst is the mean of its calls, behind an untimed one", "[sample]") {
  Bench<float> bench;
  bench.device.backend = "cuda";
  bench.sampling.samples = 2, bench.sampling.burst = 4;
  FakeKernel<float> kernel{
      "right", right<float>, {1e6, 1e6, 9, 1e-3, 2e-3, 3e-3, 2e-3, 9, 4e-3, 4e-3, 4e-3, 4e-3}};
  const Result r = bench.run(kernel);
  CHECK(kernel.launches == 2 + 2 * (1 + 4));
  CHECK((std::abs(r.seconds.min - 2e-3) < 1e-12 && std::abs(r.seconds.max - 4e-3) < 1e-12));
  CHECK((r.burst == 4 && product_of(r).ends_with(" burst 4")));
  CHECK(in_words(bench.sampling).find("each sample of 4 calls in a row") != std::string::npos);
  bench.sampling.cold = true;
  CHECK(in_words(bench.sampling).starts_with("cold: one untimed call, then flushed caches"));
}

TEST_CASE("a GPU's hot sample and the call before it are queued together", "[sample]") {
  for (const bool cold : {false, true}) {
    Bench<float> bench;
    bench.device.backend = "cuda";
    bench.sampling.samples = 3, bench.sampling.cold = cold;
    FakeKernel<float> kernel{"right", right<float>};
    bench.run(kernel);
    CHECK(bench.device.queued_together == (cold ? 0 : 3));
  }
}

TEST_CASE("a kernel gets its arguments once, before the clock runs", "[sample]") {
  FakeDevice device;
  FakeKernel<float> kernel{"short", right<float>, {1e-6}};
  Candidate<float> candidate = kernel.on(device);
  int handed_over = 0;
  candidate.call = [call = candidate.call, &handed_over](const BatchArgs<float>& args) {
    ++handed_over;
    return call(args);
  };
  Operands<float> operands(device, {2, 3, 4}, {"rrr"}, 1, 0, seed, 1);
  Index runs = 1;
  seconds_of(device, candidate.call(operands.on_device()), runs);
  CHECK(runs == 16);
  CHECK(kernel.launches == 1 + (1 + 2 + 4 + 8 + 16));
  CHECK(handed_over == 1);
}

TEST_CASE("kernels are timed in turn", "[sample]") {
  Bench<float> bench;
  bench.sampling.samples = 3;
  std::vector<std::string> log;
  FakeKernel<float> a{"a", right<float>, {1e-3}, "", 0, &log},
      wrong{"w", nothing<float>, {1e-3}, "", 0, &log}, b{"b", right<float>, {1e-3}, "", 0, &log};
  bench.run({&a, &wrong, &b});
  CHECK(log == std::vector<std::string>{"a", "w", "b", "a", "b", "a", "a", "b", "b", "a", "a", "b", "b", "a",
                                        "a", "b", "b"});
  CHECK(bench.run(std::vector<FakeKernel<float>*>{}).empty());
}

TEST_CASE("a slow kernel is timed less often, and never less than the least", "[sample]") {
  Bench<float> bench;
  bench.sampling = {15, 1, 3};
  FakeKernel<float> fast{"fast", right<float>, {1e-3}}, slow{"slow", right<float>, {0.3}},
      slowest{"slowest", right<float>, {100}};
  const auto results = bench.run({&fast, &slow, &slowest});
  CHECK(results[0].seconds.count == 15);
  CHECK(results[1].seconds.count == 4);  // 1.2 s is the first total beyond 1 s
  CHECK(results[2].seconds.count == 3);
}

TEST_CASE("sampling ends where the median is known well enough", "[sample]") {
  Bench<float> bench;
  bench.sampling.samples = 200, bench.sampling.error = 0.01;
  FakeKernel<float> steady{"steady", right<float>, {1e-3}},
      noisy{"noisy", right<float>, {1e-3, 1.1e-3, 0.9e-3, 1.2e-3, 1e-3}};  // every second one is timed
  const auto results = bench.run({&steady, &noisy});
  CHECK(results[0].seconds.count == 6);  // fewer give no interval
  CHECK((results[1].seconds.count > 6 && results[1].seconds.count < 200));
  CHECK(results[1].seconds.high - results[1].seconds.low <= 0.02 * results[1].seconds.median);
  bench.sampling.samples = 9;
  FakeKernel<float> random{"random", right<float>, {1e-3, 2e-3, 4e-3, 3e-3}};
  CHECK(bench.run(random).seconds.count == 9);
  bench.sampling = {.samples = 200, .seconds = 1, .error = 0.01};
  FakeKernel<float> slow{"slow", right<float>, {0.3, 0.3, 0.6, 0.6}};
  CHECK(bench.run(slow).seconds.count == 3);
}

TEST_CASE("caches are flushed before each sample of a cold run, which is one call", "[sample]") {
  Bench<float> bench;
  bench.sampling.samples = 4, bench.sampling.cold = true;
  FakeKernel<float> kernel{"short", right<float>, {1e-6}};
  const Result r = bench.run(kernel);
  CHECK((r.cold && r.seconds.count == 4 && bench.device.flushes == 4));
  CHECK(kernel.launches == 2 + 2 * 4);
  bench.sampling.cold = false;
  CHECK_FALSE(bench.run(kernel).cold);
  CHECK(bench.device.flushes == 4);
}

TEST_CASE("the clock and the power are asked after each sample, where the system tells them", "[sample]") {
  Bench<float> bench;
  bench.sampling.samples = 2;
  FakeKernel<float> kernel{"right", right<float>};
  CHECK(bench.run(kernel).seconds.clocks_mhz.empty());
  bench.device.clock = 2500;
  CHECK(bench.run(kernel).seconds.clocks_mhz == std::vector<double>{2500, 2500});
  CHECK(bench.run(kernel).seconds.power_w.empty());
  bench.device.power = 87.5;
  CHECK(bench.run(kernel).seconds.power_w == std::vector<double>{87.5, 87.5});
}

TEST_CASE("an ended run keeps the samples that it has", "[sample]") {
  Bench<float> bench;
  FakeKernel<float> a{"a", right<float>}, b{"b", right<float>};
  bench.sampling.ended = [&] { return a.launches == 2 + 2 * 3; };  // verified, timed
  const auto results = bench.run({&a, &b});
  CHECK((results[0].seconds.count == 3 && results[1].seconds.count == 2));
  a.launches = b.launches = 0;
  bench.sampling.ended = [&] { return a.launches > 0; };
  CHECK_THROWS_AS(bench.run({&a, &b}), Interrupted);
  CHECK(bench.device.buffers == 0);
}

TEST_CASE("each row of a small product is checked", "[sampler]") {
  for (const GemmShape shape : {GemmShape{1, 1, 1},
                                {2, 9, 9},
                                {1000, 1000, 1000},
                                {4096, 4096, 4096},
                                {50, 0, 3},
                                {50, 3, 0},
                                {0, 5, 5}}) {
    std::vector<Index> all(static_cast<std::size_t>(shape.m));
    std::iota(all.begin(), all.end(), 0);
    CHECK(rows_to_check(shape) == all);
  }
}

TEST_CASE("a large product is checked in as many rows as can be afforded", "[sampler]") {
  for (const GemmShape shape :
       {GemmShape{8192, 8192, 8192}, {1'000'000, 1000, 1000}, {250'001, 1000, 1000}, {300'000, 1000, 997}}) {
    const auto rows = rows_to_check(shape);
    const double affordable = full_reference / static_cast<double>(shape.n * shape.k);
    INFO(to_string(shape));
    const auto count = static_cast<double>(rows.size());
    CHECK((count <= affordable && count > affordable - 1));
    CHECK((rows.front() == 0 && rows.back() == shape.m - 1));
    // Evenly: all gaps differ by at most one row.
    Index least = shape.m, most = 0;
    for (std::size_t r = 1; r < rows.size(); ++r) {
      least = std::min(least, rows[r] - rows[r - 1]), most = std::max(most, rows[r] - rows[r - 1]);
    }
    CHECK((least > 0 && most - least <= 1));
  }
}

TEST_CASE("the first and the last row are checked at any price", "[sampler]") {
  const Index large = 10'000'000;
  CHECK(rows_to_check({3, large, large}) == std::vector<Index>{0, 2});
  CHECK(rows_to_check({2, large, large}) == std::vector<Index>{0, 1});
  CHECK(rows_to_check({1, large, large}) == std::vector<Index>{0});
  CHECK(rows_to_check({large, large, large}) == std::vector<Index>{0, large - 1});
}

TEST_CASE("samples are summed up by their median", "[sampler]") {
  for (const auto& [samples, median, min, max] :
       {std::tuple{std::vector<double>{5, 1, 9}, 5, 1, 9}, {{8, 1, 4, 100}, 6, 1, 100}, {{3}, 3, 3, 3}}) {
    const Seconds s = summarise(samples);
    CHECK((s.samples == samples && s.count == samples.size()));  // in the order of measurement
    CHECK((s.median == median && s.min == min && s.max == max));
  }
}

TEST_CASE("an interval of the median is of samples that binomial odds choose", "[sampler]") {
  // By the table of the sign test: 6 is the first count whose extremes enclose 95 %. For 15, it is the 4th
  // and the 12th.
  for (std::size_t few = 0; few < 6; ++few) CHECK(median_ranks(few) == std::pair<std::size_t, std::size_t>{});
  CHECK(median_ranks(6) == std::pair<std::size_t, std::size_t>{0, 5});
  CHECK(median_ranks(8) == std::pair<std::size_t, std::size_t>{0, 7});
  CHECK(median_ranks(9) == std::pair<std::size_t, std::size_t>{1, 7});
  CHECK(median_ranks(15) == std::pair<std::size_t, std::size_t>{3, 11});
  CHECK(median_ranks(100) == std::pair<std::size_t, std::size_t>{39, 60});
  CHECK(median_interval({1, 2, 3, 4, 5}) == std::pair{0.0, 0.0});
  CHECK(median_interval({1, 2, 3, 4, 5, 9}) == std::pair{1.0, 9.0});
  const Seconds s = summarise({9, 1, 5, 3, 4, 2});
  CHECK((s.low == 1 && s.high == 9));
}

TEST_CASE("outliers are beyond Tukey's fences", "[sampler]") {
  // Quartiles 2 and 4 give fences at -1 and 7.
  CHECK(summarise({1, 2, 3, 4, 7}).outliers.empty());
  CHECK(summarise({7.5, 2, 3, 4, 1}).outliers == std::vector<std::size_t>{0});
  CHECK(summarise({3, 2, 4, -1.5, 3, 2, 4, 8}).outliers == std::vector<std::size_t>{3, 7});
  CHECK(summarise({5}).outliers.empty());
  CHECK(summarise({5, 5, 5, 5, 6}).outliers == std::vector<std::size_t>{4});
}

TEST_CASE("a clock that falls between samples is throttled", "[sampler]") {
  Seconds s;
  CHECK_FALSE(is_throttled(s));
  CHECK(clock_and_power(s) == "-, -");
  s.clocks_mhz = {3000, 2900, 3000};
  CHECK_FALSE(is_throttled(s));
  s.clocks_mhz = {3000, 2800};
  CHECK(is_throttled(s));
  s.clocks_mhz = {1200, 2800, 2900};  // leaving the idle state
  CHECK_FALSE(is_throttled(s));
  CHECK(clock_and_power(s) == "2800 MHz, -");
  s.power_w = {90, 60.4, 80};
  CHECK(clock_and_power(s) == "2800 MHz, 80 W");
  s.clocks_mhz = {1200, 2800, 2600};
  CHECK(is_throttled(s));
}

TEST_CASE("the time left is by the work left", "[sampler]") {
  TimeLeft left({1, 3, 4});
  CHECK((left.seconds() < 0 && left.text() == "1 of 3: "));
  left.done(10);
  CHECK((left.seconds() == 70 && left.text() == "2 of 3, 1:10 left: "));
  left.done(10);
  CHECK(left.seconds() == 20);
  left.done(1);
  CHECK((left.seconds() == 0 && left.text().empty()));
  CHECK(TimeLeft({5}).text().empty());
}

TEST_CASE("evenly spread numbers include the first and the last", "[sampler]") {
  CHECK(evenly_spread(0, 5).empty());
  CHECK(evenly_spread(5, 2) == std::vector<Index>{0, 4});
  CHECK(evenly_spread(5, 4) == std::vector<Index>{0, 1, 2, 4});
  CHECK(evenly_spread(5, 5) == std::vector<Index>{0, 1, 2, 3, 4});
  CHECK(evenly_spread(5, 6) == std::vector<Index>{0, 1, 2, 3, 4});
}

}  // namespace
}  // namespace rooftile::perf
