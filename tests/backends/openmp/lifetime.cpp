// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Calls before Kokkos is initialized and after it is finalized.
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "rooftile/gemm.hpp"
#include "tests/support/refused.hpp"

namespace rooftile::testing {
namespace {

TEST_CASE("without Kokkos, products are refused", "[lifetime]") {
  const std::vector<float> a(4, 1), b(4, 1);
  std::vector<float> c(4, 7);
  const auto multiply = [&](const auto&... exec) {
    gemm(exec..., 1, row_major(a.data(), 2, 2), row_major(b.data(), 2, 2), 0, row_major(c.data(), 2, 2));
  };
  CHECK(refused(multiply) == "Kokkos is not running (not yet initialized): call Kokkos::initialize first");
  Kokkos::initialize();
  // Never destroyed, because Kokkos requires the destruction before its finalization.
  static const auto& exec = *new Kokkos::OpenMP();
  CHECK(refused(multiply).empty());
  CHECK(c == std::vector<float>(4, 2));
  CHECK(refused([&] { multiply(exec); }).empty());
  Kokkos::finalize();

  const std::string ended = "Kokkos is not running (already finalized): compute before Kokkos::finalize";
  c.assign(4, 7);
  CHECK(refused(multiply) == ended);
  CHECK(refused([&] { multiply(exec); }) == ended);
  CHECK(refused([&] { static_cast<void>(explain<float>(exec, {2, 2, 2})); }) == ended);
  CHECK(c == std::vector<float>(4, 7));
}

}  // namespace
}  // namespace rooftile::testing
