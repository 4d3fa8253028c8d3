// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Calls from parallel regions, host threads and forked processes give the bits of a call outside of them.
#include <cstring>
#include <thread>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>
#include <omp.h>

#include "rooftile/gemm.hpp"
#include "rooftile/ladder.hpp"
#include "tests/backends/openmp/openmp_instance.hpp"
#include "tests/bindings/process.hpp"
#include "tests/support/random_values.hpp"

namespace rooftile::testing {
namespace {

constexpr int callers = 8;

/// Products for every algorithm of the CPU plan.
constexpr GemmShape shapes[] = {{5, 6, 7},       {80, 80, 80},    {100, 100, 100}, {301, 303, 307},
                                {1023, 1, 2048}, {37, 2, 5000},   {3, 1001, 700},  {64, 64, 9000},
                                {2, 9001, 45},   {1, 9001, 1025}, {17, 900, 40}};

/// A product or a batch: small products, which threads would divide among themselves, and larger ones.
template <class T>
struct Call {
  GemmShape shape;
  bool b_by_rows;
  GemmOptions options;
  Index count;
  std::vector<T> a, b;
  std::vector<T> alone;  ///< C of a call outside of any parallel region

  Call(const GemmShape& shape_, bool b_by_rows_, const GemmOptions& options_ = {}, Index count_ = 1)
      : shape(shape_), b_by_rows(b_by_rows_), options(options_), count(count_) {
    a = random<T>(count * shape.m * shape.k, 1), b = random<T>(count * shape.k * shape.n, 2);
    alone = result(Kokkos::OpenMP());
  }

  template <class Exec>
  std::vector<T> result(const Exec& exec) const {
    const auto [m, n, k] = shape;
    std::vector<T> c(static_cast<std::size_t>(count * m * n));
    gemm_strided_batched(exec, 1, row_major(a.data(), m, k), m * k,
                         b_by_rows ? row_major(b.data(), k, n) : column_major(b.data(), k, n), k * n, 0,
                         row_major(c.data(), m, n), m * n, count, options);
    return c;
  }

  friend std::ostream& operator<<(std::ostream& out, const Call& call) {
    return out << to_string(call.shape) << (call.b_by_rows ? " rr" : " rc") << " x " << call.count
               << " kernel " << static_cast<int>(call.options.kernel);
  }

  bool has_bits(const std::vector<T>& c) const {
    return std::memcmp(c.data(), alone.data(), alone.size() * sizeof(T)) == 0;
  }
};

template <class T>
std::vector<Call<T>> calls() {
  std::vector<Call<T>> all;
  for (const bool b_by_rows : {true, false}) {
    for (const GemmShape& shape : shapes) all.emplace_back(shape, b_by_rows);
    all.emplace_back(GemmShape{9, 10, 11}, b_by_rows, GemmOptions{}, 300);
    all.emplace_back(GemmShape{90, 100, 110}, b_by_rows, GemmOptions{}, 5);
  }
  for (const Kernel kernel : {Kernel::naive, Kernel::tiled, Kernel::tiled_checked, Kernel::tiled_dynamic}) {
    if (rung_of(kernel).supports(own_mode<T>(), Path::portable))
      all.emplace_back(GemmShape{128, 64, 96}, true, GemmOptions{.kernel = kernel}, 2);
  }
  return all;
}

/// Makes each call from all callers concurrently.
/// @param at_once  calls f(i) for each caller i
template <class T, class F>
void check_calls(const F& at_once) {
  instance();
  for (const Call<T>& call : calls<T>()) {
    INFO(call);
    std::vector<char> right(callers, false);
    at_once(
        [&](int i) { right[static_cast<std::size_t>(i)] = call.has_bits(call.result(Kokkos::OpenMP())); });
    CHECK(right == std::vector<char>(callers, true));
  }
}

TEMPLATE_TEST_CASE("each thread of an OpenMP region computes its own product", "[nested]", float, double,
                   float16, bfloat16, complex<float>, complex<double>) {
  check_calls<TestType>([](const auto& call) {
#pragma omp parallel for num_threads(4) schedule(static)
    for (int i = 0; i < callers; ++i) call(i);
  });
}

TEST_CASE("each thread of a region of one thread, and of nested regions, computes its own product",
          "[nested]") {
  check_calls<float>([](const auto& call) {
#pragma omp parallel num_threads(1)
    for (int i = 0; i < callers; ++i) call(i);
  });
  const int levels = omp_get_max_active_levels();
  omp_set_max_active_levels(3);
  check_calls<float>([](const auto& call) {
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < 2; ++i) {
#pragma omp parallel for num_threads(2) schedule(static)
      for (int j = 0; j < callers / 2; ++j) call(i * callers / 2 + j);
    }
  });
  omp_set_max_active_levels(levels);
}

// This case tests the caller, not the product, so the smallest and the largest type suffice.
TEMPLATE_TEST_CASE("each thread of a Kokkos loop computes its own product", "[nested]", bfloat16,
                   complex<double>) {
  check_calls<TestType>([](const auto& call) {
    Kokkos::parallel_for(Kokkos::RangePolicy<Kokkos::OpenMP>(0, callers), [&](const int i) { call(i); });
  });
  check_calls<TestType>([](const auto& call) {
    using Policy = Kokkos::TeamPolicy<Kokkos::OpenMP>;
    Kokkos::parallel_for(Policy(callers, 1),
                         [&](const Policy::member_type& member) { call(member.league_rank()); });
  });
}

TEST_CASE("a refusal in a parallel region is thrown in the thread that called", "[nested]") {
  instance();
  std::vector<float> c(16, 7);
  int refused = 0;
#pragma omp parallel num_threads(4) reduction(+ : refused)
  {
    try {
      gemm(1, row_major<const float>(c.data(), 4, 4), row_major<const float>(c.data(), 4, 4), 0,
           row_major(c.data(), 4, 4));
    } catch (const Error&) {
      ++refused;
    }
  }
  CHECK(refused == 4);
  CHECK(c == std::vector<float>(16, 7));
}

TEST_CASE("explain says that the caller computes inside a parallel region", "[nested]") {
  instance();
  std::vector<float> memory(3 * 128 * 128);
  const auto single_threaded = [&](Kernel kernel) {
    float* const x = memory.data();
    return explain(Kokkos::OpenMP(), 1, row_major<const float>(x, 128, 128),
                   row_major<const float>(x + 128 * 128, 128, 128), 0, row_major(x + 2 * 128 * 128, 128, 128),
                   GemmOptions{.kernel = kernel})
        .single_threaded;
  };
  for (const Kernel kernel : {Kernel::tiled, Kernel::packed}) {
    CHECK_FALSE(single_threaded(kernel));
    bool in_region = false;
#pragma omp parallel num_threads(1) reduction(|| : in_region)
    in_region = single_threaded(kernel);
    CHECK(in_region);
  }
}

/// Runs host threads, each with its own team of OpenMP threads.
template <class F>
void on_host_threads(const F& call) {
  std::vector<std::thread> threads;
  for (int i = 0; i < callers; ++i) threads.emplace_back([&call, i] { call(i); });
  for (std::thread& thread : threads) thread.join();
}

TEMPLATE_TEST_CASE("eight host threads share an instance", "[nested]", float, double, float16, bfloat16,
                   complex<float>, complex<double>) {
  check_calls<TestType>([](const auto& call) { on_host_threads(call); });
}

TEMPLATE_TEST_CASE("eight host threads have an instance each", "[nested]", bfloat16, complex<double>) {
  instance();
  std::vector<Kokkos::OpenMP> instances;
  for (int i = 0; i < callers; ++i) instances.emplace_back(1 + i % 4);
  for (const Call<TestType>& call : calls<TestType>()) {
    INFO(call);
    std::vector<char> right(callers, false);
    on_host_threads([&](int i) {
      const auto here = static_cast<std::size_t>(i);
      right[here] = call.has_bits(call.result(instances[here]));
    });
    CHECK(right == std::vector<char>(callers, true));
  }
}

TEMPLATE_TEST_CASE("a forked process computes alone", "[nested]", float, bfloat16, complex<double>) {
  instance();
  for (const Call<TestType>& call : calls<TestType>()) {
    INFO(call);
    CHECK(holds_in_fork([&] { return call.has_bits(call.result(Kokkos::OpenMP())); }));
  }
}

TEST_CASE("fewer threads than the instance has leave the bits as they are", "[nested]") {
  instance();
  const Call<float> call({301, 303, 307}, true), sliced({64, 64, 9000}, true);
  const int dynamic = omp_get_dynamic();
  omp_set_dynamic(1);  // OpenMP starts fewer threads if the machine is loaded
  for (int i = 0; i < 20; ++i) {
    CHECK(call.has_bits(call.result(Kokkos::OpenMP(64))));
    CHECK(sliced.has_bits(sliced.result(Kokkos::OpenMP(64))));
  }
  omp_set_dynamic(dynamic);
}

}  // namespace
}  // namespace rooftile::testing
