// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Which devices a machine has first.
#include <memory>

#include <catch2/catch_test_macros.hpp>

#include "fake_device.hpp"
#include "perf/machine.hpp"

namespace rooftile::testing {
namespace {

bool has_gpu = false;

/// Registered before the host is, since tests are linked before the harness.
const perf::Provider gpu{perf::Provider::gpus, [](perf::Machine& machine) {
                           if (has_gpu) machine.devices.push_back(std::make_unique<FakeDevice>());
                         }};

TEST_CASE("the host is a machine's first device, whatever was linked before it") {
  has_gpu = true;
  const perf::Machine machine = perf::find_machine();
  has_gpu = false;
  REQUIRE(machine.devices.size() >= 2);
  CHECK(machine.devices.front()->backend == perf::host_device()->backend);
  CHECK(machine.device("fake") != nullptr);
}

}  // namespace
}  // namespace rooftile::testing
