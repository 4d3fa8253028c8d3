// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Memory that gives out: each allocation of a call fails in turn, and the status says so, or the product is
// right.
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
