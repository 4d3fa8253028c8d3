// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Which samples of a kernel are taken, and when no more.
#include <catch2/catch_test_macros.hpp>

#include "sampled.hpp"

namespace rooftile::perf {
namespace {

using testing::Bench, testing::FakeDevice, testing::FakeKernel, testing::nothing, testing::right,
    testing::seed;

TEST_CASE("samples are what the device's clock said", "[sample]") {
  Bench<float> bench;
  bench.sampling.samples = 4;
  // The first launches are the verification, whose time is that of a cold kernel: not a sample.
  FakeKernel<float> kernel{"right", right<float>, {1e6, 1e6, 1e-3, 4e-3, 2e-3, 8e-3}};
  const Result r = bench.run(kernel);
  CHECK(r.seconds.median == 3e-3);
  CHECK(r.seconds.min == 1e-3);
  CHECK(r.seconds.max == 8e-3);
}

TEST_CASE("of a CPU's short products several make a sample", "[sample]") {
  Bench<float> bench;
  bench.sampling.samples = 2;
  FakeKernel<float> on_host{"short", right<float>, {1e-6}}, on_gpu = on_host;
  const Result several = bench.run(on_host);
  CHECK(std::abs(several.seconds.median - 1e-6) < 1e-12);
  CHECK(several.seconds.count == 2);
  CHECK(on_host.launches == 2 + (1 + 2 + 4 + 8 + 16) + 16);  // verified, tried, timed
  bench.device.backend = "cuda";
  bench.run(on_gpu);
  CHECK(on_gpu.launches == 2 + 2);
}

TEST_CASE("a kernel has its arguments before the clock runs", "[sample]") {
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
  seconds_of(candidate, operands, runs);
  CHECK(runs == 16);
  CHECK(kernel.launches == 1 + 2 + 4 + 8 + 16);
  CHECK(handed_over == 1);
}

TEST_CASE("kernels are timed in turn", "[sample]") {
  Bench<float> bench;
  bench.sampling.samples = 3;
  std::vector<std::string> log;
  FakeKernel<float> a{"a", right<float>, {1e-3}, "", 0, &log},
      wrong{"w", nothing<float>, {1e-3}, "", 0, &log}, b{"b", right<float>, {1e-3}, "", 0, &log};
  bench.run({&a, &wrong, &b});
  CHECK(log == std::vector<std::string>{"a", "w", "b", "a", "b", "a", "b", "a", "b", "a", "b"});
}

TEST_CASE("a slow kernel is timed less often, and never less than the least", "[sample]") {
  Bench<float> bench;
  bench.sampling = {15, 1, 3};
  FakeKernel<float> fast{"fast", right<float>, {1e-3}}, slow{"slow", right<float>, {0.3}},
      slowest{"slowest", right<float>, {100}};
  const auto results = bench.run({&fast, &slow, &slowest});
  CHECK(results[0].seconds.count == 15);
  CHECK(results[1].seconds.count == 4);  // 1.2 s is the first sum beyond 1 s
  CHECK(results[2].seconds.count == 3);
}

TEST_CASE("a kernel whose median is known well enough is timed no more", "[sample]") {
  Bench<float> bench;
  bench.sampling.samples = 200, bench.sampling.error = 0.01;
  FakeKernel<float> steady{"steady", right<float>, {1e-3}},
      noisy{"noisy", right<float>, {1e-3, 1.1e-3, 0.9e-3, 1.2e-3, 1e-3}};
  const auto results = bench.run({&steady, &noisy});
  CHECK(results[0].seconds.count == 6);  // fewer hold no interval
  CHECK((results[1].seconds.count > 6 && results[1].seconds.count < 200));
  CHECK(results[1].seconds.high - results[1].seconds.low <= 0.02 * results[1].seconds.median);
  bench.sampling.samples = 9;
  FakeKernel<float> random{"random", right<float>, {1e-3, 2e-3, 4e-3, 3e-3}};
  CHECK(bench.run(random).seconds.count == 9);
  bench.sampling = {.samples = 200, .seconds = 1, .error = 0.01};
  FakeKernel<float> slow{"slow", right<float>, {0.3, 0.6}};
  CHECK(bench.run(slow).seconds.count == 3);
}

TEST_CASE("with cold caches, other data is in them before each sample, which is one run", "[sample]") {
  Bench<float> bench;
  bench.sampling.samples = 4, bench.sampling.cold = true;
  FakeKernel<float> kernel{"short", right<float>, {1e-6}};
  const Result r = bench.run(kernel);
  CHECK((r.cold && r.seconds.count == 4 && bench.device.flushes == 4));
  CHECK(kernel.launches == 2 + 4);
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

TEST_CASE("a run that is to end keeps the samples that it has", "[sample]") {
  Bench<float> bench;
  FakeKernel<float> a{"a", right<float>}, b{"b", right<float>};
  bench.sampling.ended = [&] { return a.launches == 2 + 3; };  // verified, timed
  const auto results = bench.run({&a, &b});
  CHECK((results[0].seconds.count == 3 && results[1].seconds.count == 2));
  a.launches = b.launches = 0;
  bench.sampling.ended = [&] { return a.launches > 0; };
  CHECK_THROWS_AS(bench.run({&a, &b}), Interrupted);
  CHECK(bench.device.buffers == 0);
}

}  // namespace
}  // namespace rooftile::perf
