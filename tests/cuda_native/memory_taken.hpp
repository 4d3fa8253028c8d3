// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <cuda_runtime_api.h>

namespace rooftile::testing {

/// All of the device's memory but so many bytes.
class MemoryTaken {
 public:
  explicit MemoryTaken(std::size_t left) {
    std::size_t free = 0, total = 0;
    REQUIRE(cudaMemGetInfo(&free, &total) == cudaSuccess);
    for (std::size_t bytes = free; bytes >= left; bytes /= 2) {
      void* memory = nullptr;
      while (cudaMemGetInfo(&free, &total) == cudaSuccess && free >= bytes + left &&
             cudaMalloc(&memory, bytes) == cudaSuccess) {
        taken_.push_back(memory);
      }
      cudaGetLastError();
    }
  }
  ~MemoryTaken() {
    for (void* memory : taken_) cudaFree(memory);
  }
  MemoryTaken(const MemoryTaken&) = delete;
  MemoryTaken& operator=(const MemoryTaken&) = delete;

 private:
  std::vector<void*> taken_;
};

}  // namespace rooftile::testing
