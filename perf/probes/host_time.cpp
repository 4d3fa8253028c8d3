// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Measures the host time of a call until the product is enqueued on the GPU.
#include <algorithm>
#include <array>
#include <chrono>

#include "probe.hpp"

namespace rooftile::perf {
namespace {

const Probe host_time{[](Device& device, const std::function<void()>& launch) -> std::vector<Metric> {
  using Clock = std::chrono::steady_clock;
  if (!is_gpu(device)) return {};
  std::array<double, 3> micros;
  for (double& took : micros) {
    device.seconds([&] {
      const auto begin = Clock::now();
      launch();
      took = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
    });
  }
  std::sort(micros.begin(), micros.end());
  return {{"host_time", micros[1], "us"}};
}};

}  // namespace
}  // namespace rooftile::perf
