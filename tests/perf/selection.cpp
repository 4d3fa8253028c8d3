// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "perf/selection.hpp"

#include <catch2/catch_test_macros.hpp>

#include "fake_device.hpp"
#include "tests/support/refused.hpp"

namespace rooftile::perf {
namespace {

using testing::FakeDevice;
using testing::refused;

std::string products_of(const std::string& backend) {
  FakeDevice device;
  device.backend = backend;
  std::string all;
  for (const GemmShape& shape : default_shapes(device)) all += to_string(shape) + ' ';
  return all;
}

TEST_CASE("a plain run takes the products that results were published of", "[selection]") {
  for (const char* gpu : {"cuda", "hip"}) {
    CHECK(products_of(gpu) ==
          "512x512x512 1000x1000x1000 1024x1024x1024 2048x2048x2048 4096x4096x4096 2000x3000x2500 "
          "4095x4097x4093 16384x64x4096 64x64x65536 8192x8192x64 ");
  }
  for (const char* cpu : {"openmp", "serial"}) {
    CHECK(products_of(cpu) == "256x256x256 512x512x512 500x500x500 4096x64x512 64x64x16384 ");
  }
}

TEST_CASE("an empty list restricts nothing", "[selection]") {
  CHECK(contains({}, "naive"));
  CHECK(contains({"tiled", "naive"}, "naive"));
  CHECK_FALSE(contains({"tiled"}, "naive"));
}

TEST_CASE("a layout is three letters, each of a row-major or a column-major operand", "[selection]") {
  for (const char* layout : {"rrr", "ccc", "rcr"}) CHECK(refused([&] { require_layout(layout); }) == "");
  for (const char* layout : {"", "rr", "rrrr", "rxr", "RRR"}) {
    CHECK(refused([&] { require_layout(layout); }) ==
          detail::text("not a layout (--layout ", layout,
                       "): write r (row-major) or c (column-major) for A, B and C, such as rcr"));
  }
}

}  // namespace
}  // namespace rooftile::perf
