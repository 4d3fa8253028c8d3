// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>

#include <sched.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "host_peak.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {
namespace {

std::string cpu_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "CPU";
}

/// The CPU. What runs on it returns when it is done.
class Host : public Device {
 public:
  Host() : Device("host", cpu_name()) {}

  void* allocate(std::size_t bytes) override {
    require_host_memory(static_cast<double>(bytes));
    const std::size_t alignment = 64;  // a cache line, and the widest vector register
    void* memory = std::aligned_alloc(alignment, (bytes / alignment + 1) * alignment);
    if (memory == nullptr) {
      throw OutOfMemory(detail::text(bytes, " bytes on the host"));
    }
    return memory;
  }
  void release(void* memory) noexcept override { std::free(memory); }
  void upload(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }

  double seconds(const std::function<void()>& work) override {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  /// That of the CPU on which the thread is.
  double clock_after_sample_mhz() override {
    std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(sched_getcpu()) +
                       "/cpufreq/scaling_cur_freq");
    double khz = 0;
    return file >> khz ? 1e-3 * khz : 0;
  }

  /// Each thread reads a part, since other cores' caches would else keep theirs.
  void flush_caches() override {
    if (!flushed_) {
      flushed_.emplace(*this, copy_bytes);
      std::memset(flushed_->data(), 1, copy_bytes);
    }
    read_on_all_threads(flushed_->data());
  }

 private:
  static void read_on_all_threads(const char* data);

  std::optional<Buffer<char>> flushed_;
};

/// The threads that products get. Without OpenMP there is no backend that has more than one.
int max_threads() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

/// Runs f(thread) on all of them, on the cores where OpenMP keeps them: threads of our own would all be on
/// the one that it gave the first one.
template <class F>
void on_all_threads(int threads, const F& f) {
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static, 1)
#endif
  for (int t = 0; t < threads; ++t) f(t);
}

void Host::read_on_all_threads(const char* data) {
  constexpr std::size_t line = 64;
  const int threads = max_threads();
  const std::size_t part = copy_bytes / static_cast<std::size_t>(threads);
  on_all_threads(threads, [&](int t) {
    const volatile char* const begin = data + static_cast<std::size_t>(t) * part;
    for (std::size_t i = 0; i < part; i += line) static_cast<void>(begin[i]);
  });
}

const HostPeak& peak() {
  static constexpr const HostPeak* of_sets[] = {
#define INSTRUCTION_SET(name) &rooftile_host_peak_##name,
#include "instruction_sets.inc"
#undef INSTRUCTION_SET
  };
  return *of_sets[portable::chosen_set()];
}

template <class T>
double measure_fma_gflops(Device& device, int threads, T (*chains)(T)) {
  constexpr int repeats = 2000;
  const int lanes = peak().vector_bytes / static_cast<int>(sizeof(T));
  std::vector<T> sums(static_cast<std::size_t>(threads), T(1));
  const double seconds = best_seconds(device, [&] {
    on_all_threads(threads, [&](int t) {
      T& sum = sums[static_cast<std::size_t>(t)];
      for (int r = 0; r < repeats; ++r) sum += chains(T(1e-6) * sum);
    });
  });
  return 2e-9 * host_chains * lanes * fma_steps * repeats * threads / seconds;
}

Ceilings measure(Device& device) {
  require_host_memory(2.0 * static_cast<double>(copy_bytes));
  const int threads = max_threads();
  Ceilings ceilings;
  ceilings.fp32_gflops = measure_fma_gflops(device, threads, peak().fp32);
  ceilings.fp64_gflops = measure_fma_gflops(device, threads, peak().fp64);

  Buffer<char> from(device, copy_bytes), to(device, copy_bytes);
  std::memset(from.data(), 1, copy_bytes);
  const std::size_t part = copy_bytes / static_cast<std::size_t>(threads);
  const double seconds = best_seconds(device, [&] {
    on_all_threads(threads, [&](int t) {
      const std::size_t begin = static_cast<std::size_t>(t) * part;
      std::memcpy(to.data() + begin, from.data() + begin, part);
    });
  });
  ceilings.bandwidth_gbs = 2e-9 * static_cast<double>(part) * threads / seconds;
  return ceilings;
}

const Provider provider{Provider::devices, [](Machine& machine) {
                          machine.devices.push_back(std::make_unique<Host>());
                          machine.devices.back()->measure_ceilings = measure;
                          machine.devices.back()->threads = max_threads();
                        }};

}  // namespace
}  // namespace rooftile::perf
