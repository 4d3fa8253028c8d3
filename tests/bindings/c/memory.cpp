// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Memory that gives out: each allocation of a call fails in turn, and the status says so, or the product is
// right.
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "rooftile/reference.hpp"
#include "tests/bindings/c/call.hpp"
#include "tests/bindings/failing_new.hpp"
#include "tests/support/random_values.hpp"

namespace rooftile::testing {
namespace {

TEST_CASE("a C interface without memory says so, and leaves C as it was", "[c]") {
  for (const GemmShape& shape : {GemmShape{150, 150, 150}, {2, 3000, 700}, {700, 5, 300}}) {
    const auto& [m, n, k] = shape;
    INFO(to_string(shape));
    const std::vector<double> a = random<double>(m * k, 1), b = random<double>(k * n, 2),
                              c = random<double>(m * n, 3);
    const auto args = [&](double* data) {
      return GemmArgs<double>{1, row_major(a.data(), m, k), row_major(b.data(), k, n), 1,
                              row_major(data, m, n)};
    };
    std::vector<double> before = c;
    const Reference<double> expected(args(before.data()));
    const Handle handle;
    bool failed = true;
    int failing = 0, refused = 0;
    for (; failed; ++failing) {
      std::vector<double> found = c;
      rooftile_status status = ROOFTILE_INTERNAL_ERROR;
      std::jthread([&] {  // which has no workspace yet
        until_failure = failing;
        status = call<double>(handle, args(found.data()));
        failed = until_failure < 0;
        until_failure = -1;
      })
          .join();
      if (status == ROOFTILE_OUT_OF_MEMORY) {
        ++refused;
        CHECK(failed);
        CHECK(found == c);
        CHECK(handle.message() == "no memory for a workspace (of at most 20 MiB): free some");
      } else {
        CHECK(status == ROOFTILE_SUCCESS);
        CHECK(expected.compare(row_major(found.data(), m, n)).passed());
      }
    }
    CHECK(failing > 1);
    CHECK(refused > 0);
  }
}

TEST_CASE("a group in C without memory says so, and leaves all C as they were", "[c]") {
  const std::vector<GemmShape> shapes{{150, 150, 150}, {300, 200, 100}, {4, 900, 900}, {160, 150, 140},
                                      {20, 20, 20},    {400, 300, 300}, {2, 600, 700}};
  std::vector<complex<double>> a = random<complex<double>>(810000, 1), c = random<complex<double>>(120000, 3);
  const auto products = [&](complex<double>* data) {
    std::vector<GemmArgs<complex<double>>> group;
    for (const auto& [m, n, k] : shapes) {
      group.push_back({1, row_major<const complex<double>>(a.data(), m, k),
                       row_major<const complex<double>>(a.data(), k, n), 1, row_major(data, m, n)});
      data += m * n;
    }
    return group;
  };
  c.resize(300000);
  std::vector<complex<double>> before = c;
  std::vector<Reference<complex<double>>> expected;
  for (const auto& product : products(before.data())) expected.emplace_back(product);
  const Handle handle;
  bool failed = true;
  int failing = 0, refused = 0;
  for (; failed; ++failing) {
    std::vector<complex<double>> found = c;
    rooftile_status status = ROOFTILE_INTERNAL_ERROR;
    const auto group = products(found.data());
    std::vector<rooftile_product> calls;
    for (const auto& [alpha, A, B, beta, C] : group)
      calls.push_back({&alpha, A.data, layout_of(A), B.data, layout_of(B), &beta, C.data, layout_of(C)});
    std::jthread([&] {
      until_failure = failing;
      status =
          rooftile_gemm_grouped(handle, ROOFTILE_CFP64, calls.data(), static_cast<int64_t>(calls.size()));
      failed = until_failure < 0;
      until_failure = -1;
    }).join();
    INFO("allocation " << failing);
    if (status == ROOFTILE_OUT_OF_MEMORY) {
      ++refused;
      CHECK(failed);
      CHECK((found == c));
    } else {
      CHECK(status == ROOFTILE_SUCCESS);
      for (std::size_t i = 0; i < group.size(); ++i) CHECK(expected[i].compare(group[i].C).passed());
    }
  }
  CHECK(refused > 3);
}

TEST_CASE("a group of more products than memory holds is out of memory", "[c]") {
  rooftile_handle handle = nullptr;
  REQUIRE(rooftile_create(&handle) == ROOFTILE_SUCCESS);
  const rooftile_product product{};
  CHECK(rooftile_gemm_grouped(handle, ROOFTILE_FP32, &product, std::numeric_limits<int64_t>::max()) ==
        ROOFTILE_OUT_OF_MEMORY);
  rooftile_destroy(handle);
}

TEST_CASE("a handle for which there is no memory is not made", "[c]") {
  rooftile_handle handle = nullptr;
  until_failure = 0;
  const rooftile_status status = rooftile_create(&handle);
  until_failure = -1;
  CHECK(status == ROOFTILE_OUT_OF_MEMORY);
  CHECK(handle == nullptr);
}

}  // namespace
}  // namespace rooftile::testing
