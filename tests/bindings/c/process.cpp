// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// What the C interface promises of threads and processes. OMP_NUM_THREADS is 3
// (tests/bindings/c/CMakeLists.txt).
#include "tests/bindings/process.hpp"

#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <omp.h>

#include "tests/bindings/c/call.hpp"
#include "tests/support/random_values.hpp"

namespace rooftile::testing {
namespace {

/// A·B of matrices (300,300), with a handle of its own; empty where the call fails.
class Square {
 public:
  std::vector<double> operator()() const {
    const Handle handle;
    std::vector<double> c(n * n);
    const GemmArgs<double> args{1, row_major(a_.data(), n, n), row_major(b_.data(), n, n), 0,
                                row_major(c.data(), n, n)};
    if (call<double>(handle, args) != ROOFTILE_SUCCESS) c.clear();  // Catch2 would take no word of a thread
    return c;
  }

 private:
  static constexpr Index n = 300;
  std::vector<double> a_ = random<double>(n * n, 1), b_ = random<double>(n * n, 2);
};

TEST_CASE("bits of the C interface do not depend on the number of threads", "[c]") {
  const Square square;
  const std::vector<double> by_three = square();
  REQUIRE_FALSE(by_three.empty());
  CHECK(threads() == 3);
  for (const int number : {1, 2}) {
    omp_set_num_threads(number);
    CHECK(square() == by_three);
  }
  omp_set_num_threads(3);
}

TEST_CASE("host threads call at once, each with a handle", "[c]") {
  const Square square;
  const std::vector<double> expected = square();
  REQUIRE_FALSE(expected.empty());
  std::vector<std::vector<double>> found(4);
  {
    std::vector<std::jthread> callers;
    for (auto& c : found) callers.emplace_back([&] { c = square(); });
  }
  CHECK(found == std::vector(4, expected));
}

TEST_CASE("threads of a parallel region compute by themselves in C", "[c]") {
  const Square square;
  const std::vector<double> expected = square();
  REQUIRE_FALSE(expected.empty());
  std::vector<std::vector<double>> found(3);
#pragma omp parallel for num_threads(3) schedule(static)
  for (int i = 0; i < 3; ++i) found[static_cast<std::size_t>(i)] = square();
  CHECK(found == std::vector(3, expected));
}

TEST_CASE("a forked process computes alone in C", "[c]") {
  const Square square;
  const std::vector<double> expected = square();
  REQUIRE_FALSE(expected.empty());
  CHECK(holds_in_fork([&] { return square() == expected && threads() == 1; }));
}

}  // namespace
}  // namespace rooftile::testing
