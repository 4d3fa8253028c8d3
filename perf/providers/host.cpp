// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sched.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "cpuinfo.hpp"
#include "host_peak.hpp"
#include "rapl.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {
namespace {

class Host : public Device {
 public:
  explicit Host(const CpuInfo& cpu) : Device("host", name_of(cpu)) { hardware = hardware_of(cpu); }

  void* allocate(std::size_t bytes) override {
    require_host_memory(static_cast<double>(bytes));
    const std::size_t alignment = 64;  // a cache line and the widest vector register
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
    energy_.begin();
    const auto begin = std::chrono::steady_clock::now();
    work();
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    power_w_ = energy_.watts(took);
    return took;
  }

  /// The clock of the CPU on which the calling thread runs.
  double clock_after_sample_mhz() override {
    std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(sched_getcpu()) +
                       "/cpufreq/scaling_cur_freq");
    double khz = 0;
    return file >> khz ? 1e-3 * khz : 0;
  }

  double power_after_sample_w() override { return power_w_; }

  /// All threads read a part of the buffer, to evict the caches of every core.
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
  Rapl energy_;
  double power_w_ = 0;  ///< power during the last timed work
};

/// Threads per product. Without OpenMP, the only backend is serial.
int max_threads() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

/// Runs f(thread) on all OpenMP threads with their core binding. New std::threads would inherit the binding
/// of the calling thread, one core.
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

/// GFLOP/s of all threads, each calling `work()` repeatedly.
/// @param operations  FLOP of one call
/// @param wanted      result of one call
template <class Work>
double measure_gflops(Device& device, int threads, const char* ceiling, double operations, double wanted,
                      double tolerance, const Work& work) {
  constexpr int repeats = 2000;
  std::vector<double> results(static_cast<std::size_t>(threads));
  const double seconds = best_seconds(device, [&] {
    on_all_threads(threads, [&](int t) {
      for (int r = 0; r < repeats; ++r) results[static_cast<std::size_t>(t)] = static_cast<double>(work());
    });
  });
  for (const double found : results) require_result(ceiling, found, wanted, tolerance);
  return 1e-9 * operations * repeats * threads / seconds;
}

template <class T>
double measure_fma_gflops(Device& device, int threads, T (*chains)(T)) {
  const T seed = T(1e-6);
  const int lanes = peak().vector_bytes / static_cast<int>(sizeof(T));
  return measure_gflops(device, threads, "chains of multiply-adds", 2.0 * host_chains * lanes * fma_steps,
                        sum_of_fma_chains(host_chains, static_cast<double>(seed)), chain_tolerance,
                        [&] { return chains(seed); });
}

/// @param products  products that the instruction adds to each 32-bit lane
template <class T>
double measure_product_gflops(Device& device, int threads, T (*chains)(), int products) {
  const double multiply_adds = 1.0 * host_chains * fma_steps * products;
  return measure_gflops(device, threads, "chains of sums of products",
                        2 * multiply_adds * peak().vector_bytes / 4,
                        host_chains * (host_chains - 1) / 2 + multiply_adds, 0, chains);
}

/// GB/s of all threads together. Each thread reads its own buffer of `bytes` repeatedly.
double measure_read_gbs(Device& device, int threads, std::size_t bytes) {
  const std::size_t step = host_sums * static_cast<std::size_t>(peak().vector_bytes);
  const std::size_t part = bytes / step * step, count = part / sizeof(float);
  const int times = static_cast<int>((std::size_t{1} << 26) / part + 1);  // exact up to 2^24 per lane
  std::vector<Buffer<float>> ones;
  for (int t = 0; t < threads; ++t) {
    ones.emplace_back(device, count);
    std::fill_n(ones.back().data(), count, 1.0F);
  }
  std::vector<double> sums(static_cast<std::size_t>(threads));
  const double seconds = best_seconds(device, [&] {
    on_all_threads(threads, [&](int t) {
      const auto i = static_cast<std::size_t>(t);
      sums[i] = static_cast<double>(peak().read(ones[i].data(), count, times));
    });
  });
  const double read = static_cast<double>(count) * times;
  for (const double sum : sums) require_result("reads of a cache", sum, read, 1e-6);
  return 1e-9 * read * sizeof(float) * threads / seconds;
}

/// Measures each cache that Linux reports, using half its size, divided among threads and processes for L3. A
/// level is skipped if this part is not larger than the next inner cache.
std::vector<NamedRate> measure_caches(Device& device, int threads) {
  constexpr Index most = Index{1} << 25;
  std::vector<NamedRate> levels;
  Index inner = 0;
  for (const auto& [level, name] : {std::pair{1, "L1"}, {2, "L2"}, {3, "L3"}}) {
    const Index cache = cache_bytes(level);
    const Index part = std::min(most, level == 3 ? cache / 2 / threads / device.processes : cache / 2);
    if (part <= inner) continue;
    levels.insert(levels.begin(), {name, measure_read_gbs(device, threads, static_cast<std::size_t>(part))});
    inner = cache;
  }
  return levels;
}

double measure_copy_gbs(Device& device, int threads) {
  const std::size_t bytes = copy_bytes / static_cast<std::size_t>(device.processes);
  Buffer<char> from(device, bytes), to(device, bytes);
  std::memset(from.data(), 1, bytes);
  const std::size_t part = bytes / static_cast<std::size_t>(threads);
  const double seconds = best_seconds(device, [&] {
    on_all_threads(threads, [&](int t) {
      const std::size_t begin = static_cast<std::size_t>(t) * part;
      std::memcpy(to.data() + begin, from.data() + begin, part);
    });
  });
  return 2e-9 * static_cast<double>(part) * threads / seconds;
}

Ceilings measure(Device& device) {
  require_host_memory(2.0 * static_cast<double>(copy_bytes));
  const int threads = max_threads();
  Ceilings ceilings;
  ceilings.fp32_gflops = measure_fma_gflops(device, threads, peak().fp32);
  ceilings.clock_mhz = device.clock_after_sample_mhz();
  ceilings.fp64_gflops = measure_fma_gflops(device, threads, peak().fp64);
  // Without a dot-product instruction, 16-bit types are multiplied as fp32.
  const double bf16 = peak().bf16 ? measure_product_gflops(device, threads, peak().bf16, 2) : 0;
  ceilings.matrix_gflops = {{"bf16", std::max(bf16, ceilings.fp32_gflops)}, {"fp16", ceilings.fp32_gflops}};
  if (peak().int8) {
    ceilings.matrix_gflops.push_back({"int8", measure_product_gflops(device, threads, peak().int8, 4)});
  }
  ceilings.bandwidth_gbs = measure_copy_gbs(device, threads);
  ceilings.levels_gbs = measure_caches(device, threads);
  ceilings.launch_us = 1e6 * best_seconds(device, [&] { on_all_threads(threads, [](int) {}); });
  return ceilings;
}

const Provider provider{Provider::host, [](Machine& machine) { machine.devices.push_back(host_device()); }};

}  // namespace

std::unique_ptr<Device> host_device() {
  auto host = std::make_unique<Host>(cpu_info());
  host->measure_ceilings = measure, host->threads = max_threads();
  return host;
}

}  // namespace rooftile::perf
