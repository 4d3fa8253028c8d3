// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>

#include <cxxabi.h>

#include "cpu/caches.hpp"
#include "cpu/large_pages.hpp"
#include "rooftile/matrix.hpp"

namespace rooftile::portable {

extern "C" void* __dso_handle;  // of the library or program that contains this code

/// Memory that a thread keeps for its next products, because the system clears every new page. There is no
/// destructor: a program may multiply in an `atexit` handler, or after its thread-local objects are
/// destroyed.
class KeptWorkspace {
 public:
  constexpr KeptWorkspace() = default;
  KeptWorkspace(const KeptWorkspace&) = delete;
  KeptWorkspace& operator=(const KeptWorkspace&) = delete;

  /// Returns `bytes` bytes, aligned to a cache line. Previous contents are lost.
  /// @throws std::bad_alloc
  void* of(std::size_t bytes) {
    if (bytes > bytes_) {
      release();
      memory_ = ::operator new (bytes, std::align_val_t{cache_line});
      bytes_ = bytes;
      release_at_thread_exit();
      if (bytes >= 2 * large_page) want_large_pages(memory_, bytes);
    }
    return memory_;
  }
  /// Frees the memory until the next product.
  void release() {
    ::operator delete (memory_, std::align_val_t{cache_line});
    memory_ = nullptr, bytes_ = 0;
  }

 private:
  /// Registers again if memory is requested after the thread's destructors have released it.
  void release_at_thread_exit() {
    if (registered_) return;
    const auto release_at_exit = [](void* self) {
      auto* const kept = static_cast<KeptWorkspace*>(self);
      kept->registered_ = false;
      kept->release();
    };
    registered_ = abi::__cxa_thread_atexit(release_at_exit, this, &__dso_handle) == 0;
  }

  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  bool registered_ = false;
};

/// The calling thread's workspace.
inline KeptWorkspace& kept_workspace() {
  thread_local constinit KeptWorkspace kept;
  return kept;
}

}  // namespace rooftile::portable
