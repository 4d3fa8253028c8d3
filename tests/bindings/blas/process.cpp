// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Threads and processes with the BLAS. CMakeLists.txt sets OMP_NUM_THREADS to 3.
#include "tests/bindings/process.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>
#include <omp.h>

#include "tests/bindings/blas/product.hpp"

namespace rooftile::testing {
namespace {

TEST_CASE("as many threads as OMP_NUM_THREADS says share a product", "[blas]") {
  const Product<double> product(square(400));
  CHECK(product.is(product()));
  CHECK(threads() == 3);
}

TEMPLATE_TEST_CASE("bits do not depend on the number of threads", "[blas]", float, double, complex<float>,
                   complex<double>) {
  const Product<TestType> product(square(300));
  const std::vector<TestType> by_three = product();
  for (const int number : {1, 2}) {
    omp_set_num_threads(number);
    CHECK((product() == by_three));
  }
  omp_set_num_threads(3);
}

TEST_CASE("threads of a parallel region compute by themselves", "[blas]") {
  const Product<double> product(square(400));
  const std::vector<double> expected = product();
  CHECK(product.is(expected));
  omp_set_max_active_levels(2);  // else OpenMP would start no nested team
  int most = 0, equal = 0;
  {
    const std::jthread counts([&](const std::stop_token& stop) {  // this thread counts, too
      while (!stop.stop_requested()) most = std::max(most, threads() - 1);
    });
#pragma omp parallel num_threads(3) reduction(+ : equal)
    for (int i = 0; i < 10; ++i) equal += product() == expected ? 1 : 0;
  }
  CHECK(equal == 30);
  CHECK(most == 3);
}

TEST_CASE("a forked process computes alone", "[blas]") {
  const Product<double> product(square(300));
  const std::vector<double> expected = product();
  CHECK(product.is(expected));
  const auto computes = [&] { return product() == expected && threads() == 1; };
  CHECK(holds_in_fork(computes));
  CHECK(holds_in_fork([&] { return computes() && holds_in_fork(computes); }));
  CHECK(product() == expected);
}

TEST_CASE("host threads call at once", "[blas]") {
  const Product<double> product(square(200));
  const std::vector<double> expected = product();
  std::vector<int> equal(4);
  {
    std::vector<std::jthread> callers;
    for (int& is_equal : equal) callers.emplace_back([&] { is_equal = product() == expected ? 1 : 0; });
  }
  CHECK(equal == std::vector<int>(4, 1));
}

}  // namespace
}  // namespace rooftile::testing
