// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "perf/machine.hpp"
#include "tests/support/multiply.hpp"

namespace rooftile::testing {

/// The host as a device with a clock that a test sets, so that measured times are known.
class FakeDevice : public perf::Device {
 public:
  FakeDevice() : Device("fake", "a test's device") {}

  void* allocate(std::size_t bytes) override {
    ++buffers;
    return std::malloc(bytes + 1);
  }
  void release(void* memory) noexcept override {
    --buffers;
    std::free(memory);
  }
  // Empty vectors have null data, which memcpy does not allow.
  void upload(void* to, const void* from, std::size_t bytes) override {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }

  /// The sum of the times that the launches reported.
  double seconds(const std::function<void()>& work) override {
    took = 0;
    work();
    return took;
  }

  double seconds_behind(const std::function<void()>& before, const std::function<void()>& work) override {
    ++queued_together;
    return Device::seconds_behind(before, work);
  }

  void flush_caches() override { ++flushes; }
  double clock_after_sample_mhz() override { return clock; }
  double power_after_sample_w() override { return power; }

  int flushes = 0;
  int queued_together = 0;  ///< pairs of calls
  double clock = 0, power = 0;
  int buffers = 0;  ///< allocated and not released
  double took = 0;
};

/// A kernel made from a function. Launches take the times in `costs` in turn, repeatedly.
template <class T>
struct FakeKernel {
  std::string name;
  std::function<void(const GemmArgs<T>&)> compute;
  std::vector<double> costs{1e-3};
  std::string refusal = {};
  std::size_t launches = 0;
  std::vector<std::string>* log = nullptr;

  perf::Candidate<T> on(FakeDevice& device) {
    const auto launch = [this, &device](const BatchArgs<T>& args) {
      for (Index i = 0; i < args.batch.count; ++i) compute(args.product(i));
      device.took += costs[launches++ % costs.size()];
      if (log != nullptr) log->push_back(name);
    };
    return {&device,
            own_mode<T>(),
            "test",
            name,
            "4x4",
            0.5,
            [this](const BatchArgs<T>&) {
              return refusal.empty() ? Refusal{} : Refusal{Reason::tile, refusal};
            },
            perf::call_of<T>(launch)};
  }
};

}  // namespace rooftile::testing
