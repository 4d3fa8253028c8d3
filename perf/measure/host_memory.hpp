// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

#include "../machine.hpp"

/// Host memory for operands, and parallel loops over it.
namespace rooftile::perf {

/// Allocates by a device's `allocate_host` and leaves new elements uninitialised.
template <class T>
struct HostAllocator {
  using value_type = T;

  Device* device;

  explicit HostAllocator(Device& of) : device(&of) {}
  template <class U>
  HostAllocator(const HostAllocator<U>& other) : device(other.device) {}

  T* allocate(std::size_t count) { return static_cast<T*>(device->allocate_host(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) noexcept { device->release_host(memory, count * sizeof(T)); }
  template <class U>
  void construct(U*) {}

  friend bool operator==(const HostAllocator&, const HostAllocator&) = default;
};

template <class T>
using HostVector = std::vector<T, HostAllocator<T>>;

/// Calls `work(i)` for i < count on all hardware threads, including the calling thread.
template <class F>
void on_all_threads(std::size_t count, const F& work) {
  const std::size_t workers =
      std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, std::max<std::size_t>(count, 1));
  const auto strided = [&](std::size_t first) {
    for (std::size_t i = first; i < count; i += workers) work(i);
  };
  std::vector<std::jthread> others;
  for (std::size_t w = 1; w < workers; ++w) others.emplace_back(strided, w);
  if (count > 0) strided(0);
}

}  // namespace rooftile::perf
