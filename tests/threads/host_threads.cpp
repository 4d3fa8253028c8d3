// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Several host threads call gemm concurrently, with shared operands and tables. Each instance has one thread:
// the thread sanitizer does not see how OpenMP's threads wait for each other, so more threads would give
// false reports.
#include <latch>
#include <thread>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "backends/kokkos/target.hpp"
#include "rooftile/gemm.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/tuning_file.hpp"
#include "tests/support/random_values.hpp"

namespace rooftile::testing {
namespace {

constexpr int host_threads = 8;

/// Calls f(thread) on all host threads, which start together.
template <class F>
void at_once(const F& f) {
  std::latch start(host_threads);
  std::vector<std::jthread> threads;
  for (int t = 0; t < host_threads; ++t) {
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      f(t);
    });
  }
}

/// One-thread instances: one per host thread, and one for the test itself.
struct Instances {
  Kokkos::ScopeGuard kokkos;
  std::vector<Kokkos::OpenMP> of_one_thread;

  Instances() {
    for (int t = 0; t <= host_threads; ++t) of_one_thread.emplace_back(1);
  }
};

const Instances& instances() {
  static const Instances found;
  return found;
}

TEMPLATE_TEST_CASE("eight host threads compute on instances of their own", "[threads]", float, double,
                   float16, bfloat16) {
  const Instances& exec = instances();
  const Kernel kernel = GENERATE(Kernel::automatic, Kernel::naive, Kernel::tiled_checked,
                                 Kernel::tiled_dynamic, Kernel::packed);
  if (kernel != Kernel::automatic && !rung_of(kernel).supports(own_mode<TestType>(), Path::portable)) return;
  for (const auto& [m, n, k] : {GemmShape{9, 10, 11}, {130, 131, 132}, {3, 900, 70}, {700, 2, 300}}) {
    INFO(m << 'x' << n << 'x' << k << ", kernel " << static_cast<int>(kernel));
    const std::vector<TestType> a = random<TestType>(m * k, 1), b = random<TestType>(k * n, 2);
    std::vector<std::vector<TestType>> c(host_threads + 1,
                                         std::vector<TestType>(static_cast<std::size_t>(m * n)));
    const auto compute = [&, m = m, n = n, k = k](int t) {
      const auto number = static_cast<std::size_t>(t);
      gemm(exec.of_one_thread[number], 1, row_major(a.data(), m, k), column_major(b.data(), k, n), 0,
           row_major(c[number].data(), m, n), {.kernel = kernel});
    };
    at_once(compute);
    compute(host_threads);
    for (const auto& result : c) CHECK(result == c.back());
  }
}

TEST_CASE("eight host threads read one tuning table, and each gets its own refusal", "[threads]") {
  const Instances& exec = instances();
  const GemmShape shape{64, 64, 64};
  const std::string device(detail::portable_target(exec.of_one_thread.front(), ComputeMode::fp32).device);
  const TuningTable table = parse_tuning("rooftile tuning 3\ndevice " + device +
                                             "\nportable fp32 64x64x64 rrr aligned tiled 32x32x32 1 2\nend\n",
                                         "");
  std::vector<int> right(host_threads);
  at_once([&](int t) {
    const auto number = static_cast<std::size_t>(t);
    const Choice choice = explain<float>(exec.of_one_thread[number], shape, {.tuning = &table});
    float element = 0;
    try {
      gemm(exec.of_one_thread[number], 1, row_major<const float>(nullptr, 2, 2),
           row_major<const float>(nullptr, 2, 2), 0, row_major(&element, 2, 2));
    } catch (const Error&) {
      right[number] = choice.tuned && choice.kernel == Kernel::tiled;
    }
  });
  CHECK(right == std::vector<int>(host_threads, 1));
}

}  // namespace
}  // namespace rooftile::testing
