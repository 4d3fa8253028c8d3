// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include "../ceilings.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {
namespace {

std::string processor_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "processor";
}

/// The processor. What runs on it returns when it is done.
class Host : public Device {
 public:
  Host() : Device("host", processor_name()) {}

  void* allocate(std::size_t bytes) override {
    require_host_memory(static_cast<double>(bytes));
    const std::size_t alignment = 64;  // a cache line, and the widest vector register
    void* memory = std::aligned_alloc(alignment, (bytes / alignment + 1) * alignment);
    if (memory == nullptr) {
      throw Error(detail::text("out of memory (", bytes, " bytes): take a smaller product"));
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
};

/// Runs f(thread) on every core.
template <class F>
void on_all_cores(unsigned cores, const F& f) {
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < cores; ++t) threads.emplace_back([&f, t] { f(t); });
}

#ifdef __AVX512F__
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif
template <class T>
using Vector [[gnu::vector_size(vector_bytes)]] = T;

template <class T>
double measure_fma_gflops(Device& device, unsigned cores) {
  constexpr int chains = 10;  // 4 cycles of latency times 2 units, and two to spare
  constexpr int lanes = vector_bytes / sizeof(T);
  constexpr int repeats = 2000;
  std::vector<T> sums(cores, T(1));
  const double seconds = best_seconds(device, [&] {
    on_all_cores(cores, [&](unsigned t) {
      for (int r = 0; r < repeats; ++r) {
        const Vector<T> seed = Vector<T>{} + T(1e-6) * sums[t];
        sums[t] += fma_chains<chains>(seed)[0];
      }
    });
  });
  return 2e-9 * chains * lanes * fma_steps * repeats * cores / seconds;
}

Ceilings measure(Device& device) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  Ceilings ceilings;
  ceilings.fp32_gflops = measure_fma_gflops<float>(device, cores);
  ceilings.fp64_gflops = measure_fma_gflops<double>(device, cores);

  Buffer<char> from(device, copy_bytes), to(device, copy_bytes);
  std::memset(from.data(), 1, copy_bytes);
  const std::size_t part = copy_bytes / cores;
  const double seconds = best_seconds(device, [&] {
    on_all_cores(cores, [&](unsigned t) { std::memcpy(to.data() + t * part, from.data() + t * part, part); });
  });
  ceilings.bandwidth_gbs = 2e-9 * static_cast<double>(part * cores) / seconds;
  return ceilings;
}

const Provider provider{Provider::devices, [](Machine& machine) {
                          machine.devices.push_back(std::make_unique<Host>());
                          machine.devices.back()->measure_ceilings = measure;
                        }};

}  // namespace
}  // namespace rooftile::perf
