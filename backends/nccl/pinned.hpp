// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include <cuda_runtime_api.h>

#include "cuda_native/check.hpp"

namespace rooftile::distributed {

/// Memory of the host that a device copies from and to by itself.
class Pinned {
 public:
  std::byte* data() const { return memory_.get(); }
  /// At least so many bytes, of unknown contents. @throws Error where there is no memory
  void reserve(std::size_t bytes) {
    if (bytes <= reserved_) return;
    memory_.reset(), reserved_ = 0;
    void* memory = nullptr;
    cuda_native::check(cudaMallocHost(&memory, bytes), "allocate pinned memory for messages");
    memory_.reset(static_cast<std::byte*>(memory)), reserved_ = bytes;
  }
  /// Keeps it for ever: MPI may still write to it.
  void leave() noexcept { static_cast<void>(memory_.release()); }

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept { cudaFreeHost(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t reserved_ = 0;
};

}  // namespace rooftile::distributed
