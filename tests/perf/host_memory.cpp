// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "perf/measure/host_memory.hpp"

#include <catch2/catch_test_macros.hpp>

namespace rooftile::perf {
namespace {

TEST_CASE("a product on a GPU takes host memory for its operands, its result and the reference", "[host]") {
  const GemmShape shape{10, 200, 3000};  // A 30,000 elements, B 600,000, C 2,000
  const double operands = 30'000 + 600'000 + 2'000;
  // The reference keeps B in 4 bytes or more, and of each row that is checked C and its bounds in 8.
  CHECK(host_bytes(shape, 1, 8, 0, false) == 8 * operands + 8 * 2'000 + 8 * 600'000);
  CHECK(host_bytes(shape, 1, 4, 0, false) == 4 * operands + 4 * 2'000 + 4 * 600'000);
  CHECK(host_bytes(shape, 1, 2, 0, false) == 2 * operands + 2 * 2'000 + 4 * 600'000);
  CHECK(host_bytes(shape, 1, 4, 7, false) - host_bytes(shape, 1, 4, 0, false) == 7 * 8 * (200 + 200 + 1));
}

TEST_CASE("a device that is the host has operands of its own", "[host]") {
  const GemmShape shape{10, 200, 3000};
  CHECK(host_bytes(shape, 1, 4, 5, true) - host_bytes(shape, 1, 4, 5, false) == 4 * 632'000);
}

TEST_CASE("each product of a batch takes as much, but all have one reference at a time", "[host]") {
  const GemmShape shape{10, 200, 3000};
  const double one = host_bytes(shape, 1, 4, 10, false), two = host_bytes(shape, 2, 4, 10, false);
  CHECK(two - one == 4 * 632'000 + 4 * 2'000);
}

TEST_CASE("sizes beyond 64 bits are bytes like any other", "[host]") {
  const Index large = Index{1} << 40;
  CHECK(host_bytes({large, large, large}, 1, 8, 1, true) > 0x1p83);
}

TEST_CASE("the machine has some memory, and less than 2^60 bytes", "[host]") {
  CHECK(available_memory() > 0x1p20);
  CHECK(available_memory() < 0x1p60);
}

}  // namespace
}  // namespace rooftile::perf
