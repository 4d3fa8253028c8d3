// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <new>

#include <unistd.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "rooftile/error.hpp"

namespace rooftile::perf {
double available_memory() {
  std::ifstream meminfo("/proc/meminfo");
  std::string name;
  for (double kilobytes = 0; meminfo >> name >> kilobytes; meminfo.ignore(64, '\n')) {
    if (name == "MemAvailable:") return 1024 * kilobytes;  // includes page cache that Linux can reclaim
  }
  return static_cast<double>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

void require_host_memory(double bytes) {
  const double available = available_memory();
  if (bytes > available) {
    throw OutOfMemory(detail::text(1e-9 * bytes, " GB, ", 1e-9 * available, " available"));
  }
}

void* Device::allocate_host(std::size_t bytes) {
  constexpr std::size_t page = std::size_t{1} << 21;
  const std::size_t whole = (bytes + page - 1) / page * page;
  void* const memory = bytes < page ? std::malloc(bytes) : std::aligned_alloc(page, whole);
  if (memory == nullptr) throw std::bad_alloc();
#if defined(__linux__)
  if (bytes >= page) static_cast<void>(madvise(memory, whole, MADV_HUGEPAGE));
#endif
  return memory;
}

void Device::release_host(void* memory, std::size_t) noexcept {
  std::free(memory);
}

Provider::Provider(Order order_, std::function<void(Machine&)> add_) : order(order_), add(std::move(add_)) {
  auto& all = registered<const Provider*>();
  all.insert(std::upper_bound(all.begin(), all.end(), this,
                              [](const Provider* a, const Provider* b) { return a->order < b->order; }),
             this);
}

void Machine::require_gpu(int count) const {
  if (gpu < count) return;
  throw Error(detail::text("no such GPU (--gpu ", gpu, ", ", count, " here): see `rooftile devices`"));
}

Device* Machine::device(const std::string& backend) const {
  const auto found = std::find_if(devices.begin(), devices.end(),
                                  [&](const auto& device) { return device->backend == backend; });
  return found == devices.end() ? nullptr : found->get();
}

Machine find_machine(const TuningTable* tuning, int gpu) {
  Machine machine;
  machine.tuning = tuning, machine.gpu = gpu;
  for (const Provider* provider : registered<const Provider*>()) provider->add(machine);
  if (gpu > 0 && std::none_of(machine.devices.begin(), machine.devices.end(),
                              [](const auto& device) { return is_gpu(*device); })) {
    machine.require_gpu(0);
  }
  return machine;
}

}  // namespace rooftile::perf
