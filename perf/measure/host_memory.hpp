// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

/// Host memory of operands, and work on it by all threads.
namespace rooftile::perf {

/// Takes large vectors from huge pages: the first touch of 4 KiB pages takes longer than a product does.
template <class T>
struct HugePages {
  using value_type = T;
  static constexpr std::size_t page = std::size_t{1} << 21;

  HugePages() = default;
  template <class U>
  HugePages(const HugePages<U>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T), whole = (bytes + page - 1) / page * page;
    void* const memory = bytes < page ? std::malloc(bytes) : std::aligned_alloc(page, whole);
    if (memory == nullptr) throw std::bad_alloc();
#if defined(__linux__)
    if (bytes >= page) static_cast<void>(madvise(memory, whole, MADV_HUGEPAGE));
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) {
    std::free(memory);
  }

  friend bool operator==(const HugePages&, const HugePages&) = default;
};

template <class T>
using HostVector = std::vector<T, HugePages<T>>;

/// Calls `work(i)` for i < count, on this thread and as many others as the CPU has.
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
