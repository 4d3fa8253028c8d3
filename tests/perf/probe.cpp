// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "perf/probes/probe.hpp"

#include <chrono>
#include <thread>

#include <catch2/catch_test_macros.hpp>
#include <sys/mman.h>
#include <unistd.h>

#include "fake_device.hpp"

namespace rooftile::perf {
namespace {

/// The metrics of a tag: other probes of the build may have more to say.
std::vector<Metric> tagged(const std::string& tag, std::vector<Metric> metrics) {
  std::erase_if(metrics, [&](const Metric& m) { return m.tag != tag; });
  return metrics;
}

TEST_CASE("the host's part of a call is measured on GPUs alone", "[probe]") {
  testing::FakeDevice device;
  int calls = 0;
  const auto launch = [&] {
    ++calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  device.backend = "cuda";
  const auto metrics = tagged("host_time", probed(device, launch));
  REQUIRE(metrics.size() == 1);
  CHECK(metrics[0].unit == "us");
  CHECK(metrics[0].value >= 2000);
  CHECK(calls >= 3);
  CHECK(tagged("page_faults", probed(device, launch)).empty());
  device.backend = "openmp";
  CHECK(tagged("host_time", probed(device, launch)).empty());
}

TEST_CASE("on a CPU the pages that a product touches first are counted", "[probe]") {
  testing::FakeDevice device;
  const auto count = [&](std::size_t pages) {
    const auto metrics = tagged("page_faults", probed(device, [&] {
                                  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE)),
                                                    bytes = (pages + 1) * page;
                                  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                                  REQUIRE(memory != MAP_FAILED);
                                  madvise(memory, bytes, MADV_NOHUGEPAGE);
                                  for (std::size_t i = 0; i < pages; ++i)
                                    static_cast<volatile char*>(memory)[i * page] = 1;
                                  munmap(memory, bytes);
                                }));
    REQUIRE(metrics.size() == 1);
    CHECK(metrics[0].unit.empty());
    return metrics[0].value;
  };
  count(1);  // what only the first call touches
  CHECK(count(100) >= 100);
  CHECK(count(0) < 100);
}

}  // namespace
}  // namespace rooftile::perf
