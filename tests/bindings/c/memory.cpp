// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Each allocation of a call fails in turn: the status reports it, or the product is right.
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "numerics/reference.hpp"
#include "tests/bindings/c/call.hpp"
#include "tests/bindings/failing_new.hpp"
#include "tests/support/random_values.hpp"

namespace rooftile::testing {
namespace {

/// Calls from threads without a workspace; each time a later allocation fails, until none does. C is right,
/// or unchanged if the status is too little memory.
/// @return how often the status is too little memory
template <class T, class Call, class IsRight>
int refusals(const std::vector<T>& c, const Call& call, const IsRight& is_right) {
  bool failed = true;
  int refused = 0;
  for (int failing = 0; failed; ++failing) {
    std::vector<T> found = c;
    rooftile_status status = ROOFTILE_INTERNAL_ERROR;
    const auto compute = call(found.data());
    std::jthread([&] {
      until_failure = failing;
      status = compute();
      failed = until_failure < 0;
      until_failure = -1;
    }).join();
    INFO("allocation " << failing);
    if (status == ROOFTILE_OUT_OF_MEMORY) {
      ++refused;
      CHECK((failed && found == c));
    } else {
      CHECK((status == ROOFTILE_SUCCESS && is_right(found.data())));
    }
  }
  return refused;
}

TEST_CASE("a C interface without memory says so, and leaves C as it was", "[c]") {
  for (const GemmShape& shape : {GemmShape{150, 150, 150}, {2, 3000, 700}, {700, 50, 300}}) {
    INFO(to_string(shape));
    const std::vector<double> a = random<double>(shape.m * shape.k, 1),
                              b = random<double>(shape.k * shape.n, 2),
                              c = random<double>(shape.m * shape.n, 3);
    const auto args = [&, m = shape.m, n = shape.n, k = shape.k](double* data) {
      return GemmArgs<double>{1, row_major(a.data(), m, k), row_major(b.data(), k, n), 1,
                              row_major(data, m, n)};
    };
    std::vector<double> before = c;
    const Reference<double> expected(args(before.data()));
    const Handle handle;
    const auto call_on = [&](double* data) { return [&, data] { return call<double>(handle, args(data)); }; };
    CHECK(refusals(c, call_on, [&](double* data) { return expected.compare(args(data).C).passed(); }) > 0);
    CHECK(handle.message() == "no memory for a workspace (of at most 20 MiB): free some");
  }
}

TEST_CASE("a group in C without memory says so, and leaves all C as they were", "[c]") {
  using T = complex<double>;
  const std::vector<GemmShape> shapes{{150, 150, 150}, {300, 200, 100}, {4, 900, 900}, {160, 150, 140},
                                      {20, 20, 20},    {400, 300, 300}, {2, 600, 700}};
  std::vector<T> a = random<T>(810000, 1), c = random<T>(120000, 3);
  const auto products = [&](T* data) {
    std::vector<GemmArgs<T>> group;
    for (const auto& [m, n, k] : shapes) {
      group.push_back({1, row_major<const T>(a.data(), m, k), row_major<const T>(a.data(), k, n), 1,
                       row_major(data, m, n)});
      data += m * n;
    }
    return group;
  };
  c.resize(300000);
  std::vector<T> before = c;
  std::vector<Reference<T>> expected;
  for (const auto& product : products(before.data())) expected.emplace_back(product);
  const Handle handle;
  const T one = 1;
  const auto call_on = [&](T* data) {
    std::vector<rooftile_product> calls;  // constructed before allocations fail
    for (const auto& [alpha, A, B, beta, C] : products(data))
      calls.push_back({&one, A.data, layout_of(A), B.data, layout_of(B), &one, C.data, layout_of(C)});
    return [&handle, calls] {
      return rooftile_gemm_grouped(handle, ROOFTILE_CFP64, calls.data(), static_cast<int64_t>(calls.size()));
    };
  };
  const auto are_right = [&](T* data) {
    bool right = true;
    const auto group = products(data);
    for (std::size_t i = 0; i < group.size(); ++i) right = right && expected[i].compare(group[i].C).passed();
    return right;
  };
  CHECK(refusals(c, call_on, are_right) > 3);
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
