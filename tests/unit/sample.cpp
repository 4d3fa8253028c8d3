// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_template_test_macros.hpp>

#include "fake_device.hpp"
#include "perf/sampler.hpp"

namespace rooftile::perf {
namespace {

using testing::FakeDevice;
using testing::FakeKernel;
using testing::seed;

template <class T>
void right(const GemmArgs<T>& args) {
  testing::multiply(args);
}

/// Leaves out the last k.
template <class T>
void short_by_one(GemmArgs<T> args) {
  args.A.cols -= 1, args.B.rows -= 1;
  testing::multiply(args);
}

template <class T>
void nothing(const GemmArgs<T>&) {}

/// Writes all of C but its last element.
template <class T>
void incomplete(const GemmArgs<T>& args) {
  T& last = args.C(args.C.rows - 1, args.C.cols - 1);
  const T before = last;
  testing::multiply(args);
  last = before;
}

/// One product, measured with some kernels.
template <class T>
struct Bench {
  FakeDevice device;
  GemmShape shape{20, 12, 9};
  T beta = 0;
  Sampling sampling{};
  std::vector<std::string> said;

  std::vector<Result> run(std::vector<FakeKernel<T>*> kernels) {
    Operands<T> operands(device, shape, {"rcr"}, 1, beta, seed);
    std::vector<Candidate<T>> candidates;
    for (FakeKernel<T>* kernel : kernels) candidates.push_back(kernel->on(device));
    std::vector<const Candidate<T>*> pointers;
    for (const Candidate<T>& candidate : candidates) pointers.push_back(&candidate);
    return sample(pointers, operands, sampling, [this](const std::string& text) { said.push_back(text); });
  }
  Result run(FakeKernel<T>& kernel) { return run(std::vector{&kernel})[0]; }
};

TEMPLATE_TEST_CASE("a right kernel is ok and timed as often as asked", "[sample]", float, double) {
  Bench<TestType> bench;
  for (const std::size_t samples : {1, 4, 15}) {
    bench.sampling.samples = samples;
    FakeKernel<TestType> kernel{"right", right<TestType>};
    const Result r = bench.run(kernel);
    CHECK(r.status == "ok");
    CHECK(r.reason == "");
    CHECK(r.error_ratio <= 1);
    CHECK(r.rows_checked == 20);
    CHECK(r.seconds.samples == samples);
    CHECK(kernel.launches == samples + 1);  // once to be verified
  }
}

TEST_CASE("a result says what it is of", "[sample]") {
  Bench<float> bench;
  FakeKernel<float> kernel{"right", right<float>};
  const Result r = bench.run(kernel);
  CHECK(r.path == "test");
  CHECK(r.backend == "fake");
  CHECK(r.kernel == "right");
  CHECK(r.tile == "4x4");
  CHECK(r.shape == GemmShape{20, 12, 9});
  CHECK(r.request_intensity == 0.5);
}

TEMPLATE_TEST_CASE("a wrong kernel fails, with a reason, and is not timed", "[sample]", float, double) {
  Bench<TestType> bench;
  for (const TestType beta : {TestType(0), TestType(0.5)}) {
    bench.beta = beta;
    for (const auto& [name, compute] : {std::pair{"short by one", &short_by_one<TestType>},
                                        {"incomplete", [](GemmArgs<TestType> args) { incomplete(args); }}}) {
      INFO(name << ", beta " << beta);
      FakeKernel<TestType> kernel{name, compute};
      const Result r = bench.run(kernel);
      CHECK(r.status == "failed");
      CHECK(r.reason.starts_with("wrong result (row "));
      CHECK(r.reason.ends_with(" times its error bound): report this kernel"));
      CHECK(r.error_ratio > 1);
      CHECK(r.seconds.samples == 0);
      CHECK(kernel.launches == 1);
    }
  }
}

TEST_CASE("the reason names the place", "[sample]") {
  Bench<float> bench;
  FakeKernel<float> kernel{"incomplete", incomplete<float>};
  CHECK(bench.run(kernel).reason ==
        "wrong result (row 19, column 11, inf times its error bound): report this kernel");
}

TEMPLATE_TEST_CASE("a kernel that writes nothing fails, also after one that was right", "[sample]", float,
                   double) {
  for (const TestType beta : {TestType(0), TestType(1)}) {
    Bench<TestType> bench;
    bench.beta = beta;
    FakeKernel<TestType> first{"right", right<TestType>}, second{"nothing", nothing<TestType>};
    const auto results = bench.run({&first, &second});
    CHECK(results[0].status == "ok");
    CHECK(results[1].status == "failed");
  }
}

TEMPLATE_TEST_CASE("a kernel is right also after one that was wrong", "[sample]", float, double) {
  Bench<TestType> bench;
  bench.beta = 1;
  FakeKernel<TestType> first{"wrong", short_by_one<TestType>}, second{"right", right<TestType>};
  const auto results = bench.run({&first, &second});
  CHECK(results[0].status == "failed");
  CHECK(results[1].status == "ok");
}

TEST_CASE("a kernel that refuses is unsupported, with its reason, and not launched", "[sample]") {
  Bench<double> bench;
  FakeKernel<double> kernel{"refusing", right<double>, {1e-3}, "tile too large (64): take a smaller one"};
  const Result r = bench.run(kernel);
  CHECK(r.status == "unsupported");
  CHECK(r.reason == "tile too large (64): take a smaller one");
  CHECK(r.seconds.samples == 0);
  CHECK(kernel.launches == 0);
}

TEST_CASE("samples are what the device's clock said", "[sample]") {
  Bench<float> bench;
  bench.sampling.samples = 4;
  // The first launch is the verification, whose time is that of a cold kernel: not a sample.
  FakeKernel<float> kernel{"right", right<float>, {1e6, 1e-3, 4e-3, 2e-3, 8e-3}};
  const Result r = bench.run(kernel);
  CHECK(r.seconds.median == 3e-3);
  CHECK(r.seconds.min == 1e-3);
  CHECK(r.seconds.max == 8e-3);
}

TEST_CASE("kernels are timed in turn", "[sample]") {
  Bench<float> bench;
  bench.sampling.samples = 3;
  std::vector<std::string> log;
  FakeKernel<float> a{"a", right<float>, {1e-3}, "", 0, &log},
      wrong{"w", nothing<float>, {1e-3}, "", 0, &log}, b{"b", right<float>, {1e-3}, "", 0, &log};
  bench.run({&a, &wrong, &b});
  CHECK(log == std::vector<std::string>{"a", "w", "b", "a", "b", "a", "b", "a", "b"});
}

TEST_CASE("a slow kernel is timed less often, and never less than the least", "[sample]") {
  Bench<float> bench;
  bench.sampling = {15, 1, 3};
  FakeKernel<float> fast{"fast", right<float>, {1e-3}}, slow{"slow", right<float>, {0.3}},
      slowest{"slowest", right<float>, {100}};
  const auto results = bench.run({&fast, &slow, &slowest});
  CHECK(results[0].seconds.samples == 15);
  CHECK(results[1].seconds.samples == 4);  // 1.2 s is the first sum beyond 1 s
  CHECK(results[2].seconds.samples == 3);
}

TEST_CASE("progress is told", "[sample]") {
  Bench<float> bench;
  bench.sampling.samples = 1;
  FakeKernel<float> kernel{"right", right<float>};
  bench.run(kernel);
  CHECK(bench.said == std::vector<std::string>{"reference", "verify test right 4x4", "time test right 4x4"});
}

TEST_CASE("nothing to measure is no error", "[sample]") {
  Bench<float> bench;
  CHECK(bench.run(std::vector<FakeKernel<float>*>{}).empty());
}

}  // namespace
}  // namespace rooftile::perf
