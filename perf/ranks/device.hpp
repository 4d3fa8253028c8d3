// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "../machine.hpp"
#include "ranks.hpp"

namespace rooftile::perf {

/// Calls f on all processes. @throws Error on all if f throws on one; the message is the first process's
template <class F>
void together(Ranks& ranks, const F& f) {
  std::string problem;
  try {
    f();
  } catch (const Error& error) {
    problem = error.what();
  }
  ranks.agree(problem);
}

/// The CPUs of all processes as one device. All processes make identical calls. An allocation succeeds on all
/// or on none; the time is the slowest process's.
class DeviceOfRanks : public Device {
 public:
  DeviceOfRanks(Device& own, Ranks& ranks) : Device("openmp", own.name), own_(own), ranks_(ranks) {
    threads = own.threads, processes = ranks.here();
    measure_ceilings = own.measure_ceilings;
  }

  void* allocate(std::size_t bytes) override {
    void* memory = nullptr;
    try {
      together(ranks_, [&] {
        require_host_memory(static_cast<double>(bytes) * ranks_.here());
        memory = own_.allocate(bytes);
      });
    } catch (...) {
      own_.release(memory);
      throw;
    }
    return memory;
  }
  void release(void* memory) noexcept override { own_.release(memory); }
  void upload(void* to, const void* from, std::size_t bytes) override { own_.upload(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { own_.download(to, from, bytes); }

  double seconds(const std::function<void()>& work) override {
    ranks_.max(0);  // a barrier
    const auto begin = std::chrono::steady_clock::now();
    work();
    return ranks_.max(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  double clock_after_sample_mhz() override { return own_.clock_after_sample_mhz(); }
  void flush_caches() override { own_.flush_caches(); }

 private:
  Device& own_;
  Ranks& ranks_;
};

}  // namespace rooftile::perf
