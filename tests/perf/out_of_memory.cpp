// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
//
// Who is blamed where memory does not suffice: what asked for it.
#include <catch2/catch_test_macros.hpp>

#include "fake_device.hpp"
#include "perf/measure/operands.hpp"

namespace rooftile::perf {
namespace {

using testing::refused;

/// A device with little memory.
class SmallDevice : public testing::FakeDevice {
 public:
  void* allocate(std::size_t bytes) override {
    if (bytes > 1000) throw OutOfMemory(rooftile::detail::text(bytes, " bytes on the small one"));
    return FakeDevice::allocate(bytes);
  }
};

TEST_CASE("a product that the device has no memory for is too large", "[memory]") {
  SmallDevice device;
  CHECK(refused([&] {
          Operands<float>(device, {100, 100, 100}, {}, 1, 0, 1);
        }) == "out of memory (40000 bytes on the small one): take a smaller product");
}

TEST_CASE("no product is blamed where the ceilings take too much", "[memory]") {
  SmallDevice device;
  device.measure_ceilings = [](Device& of) {
    const Buffer<float> copied(of, 5000);
    return Ceilings{1, 1, 1};
  };
  CHECK(refused([&] { measured_ceilings(device); }) ==
        "out of memory to measure the ceilings of a test's device (20000 bytes on the small one): free some");
}

}  // namespace
}  // namespace rooftile::perf
