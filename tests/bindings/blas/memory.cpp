// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Allocation failures: each allocation of a call fails in turn, and the products are right nevertheless.
#include <thread>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>

#include "tests/bindings/blas/product.hpp"
#include "tests/bindings/failing_new.hpp"

namespace rooftile::testing {
namespace {

/// Computes a product whose allocation number `failing` fails, on a thread without a workspace. Allocation 0
/// is that of C, and allocation 1 is the BLAS' first.
/// @return whether an allocation failed
template <class T>
bool fails(const Product<T>& product, int failing) {
  bool has_failed = false;
  std::vector<T> found;
  std::jthread([&] {
    until_failure = failing;
    found = product();
    has_failed = until_failure < 0;
    until_failure = -1;
  }).join();
  CHECK(product.is(found));
  return has_failed;
}

TEMPLATE_TEST_CASE("products are right whatever allocation fails", "[blas]", float, double, complex<float>,
                   complex<double>) {
  for (const GemmShape& shape : {square(150), GemmShape{2, 3000, 700}, GemmShape{700, 50, 300}}) {
    const Product<TestType> product(shape);
    CHECK(product.is(product()));  // this call has read the cache sizes
    int failing = 1;
    while (fails(product, failing)) ++failing;
    INFO(to_string(shape));
    CHECK(failing > 1);
  }
}

}  // namespace
}  // namespace rooftile::testing
