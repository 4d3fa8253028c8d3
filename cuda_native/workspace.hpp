// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include <cuda_runtime_api.h>

#include "cuda_native/check.hpp"
#include "plan/workspace_parts.hpp"
#include "rooftile/matrix.hpp"

namespace rooftile::cuda_native {

/// Allows calls that CUDA forbids during a capture, until the end of the scope. The calls made here do not
/// disturb the capture.
struct DuringCapture {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;

  DuringCapture() { cudaThreadExchangeStreamCaptureMode(&mode); }
  ~DuringCapture() { cudaThreadExchangeStreamCaptureMode(&mode); }
  DuringCapture(const DuringCapture&) = delete;
  DuringCapture& operator=(const DuringCapture&) = delete;
};

/// Returns a device's pool, which is created at its first use. It is never destroyed, because kernels may
/// still run when static objects are destroyed.
inline cudaMemPool_t pool_of(int device) {
  static std::mutex mutex;
  static std::map<int, cudaMemPool_t> pools;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = pools.try_emplace(device);
  if (is_new) {
    const DuringCapture allow;  // the first product may be captured
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, device};
    std::uint64_t keep_all = UINT64_MAX;
    if (const cudaError_t status = cudaMemPoolCreate(&entry->second, &properties); status != cudaSuccess) {
      pools.erase(entry);
      check(status, "create a pool of device memory");
    }
    check(cudaMemPoolSetAttribute(entry->second, cudaMemPoolAttrReleaseThreshold, &keep_all),
          "set up a pool of device memory");
  }
  return entry->second;
}

/// Releases the memory of a device's pool that no pending work uses.
inline void release_pool(int device) {
  check(cudaMemPoolTrimTo(pool_of(device), 0), "release unused workspace");
}

/// Device memory for work that is put on a stream while the object lives: the caller's memory or memory of
/// the library's pool. Pool memory is allocated and freed in stream order, and the pool keeps it. After the
/// first product of a size, nothing synchronizes or calls the driver for memory. A capture contains the
/// allocation. The portable path uses this header even if the native ladder is not built.
class Workspace : public detail::WorkspaceParts {
 public:
  /// @param memory  the caller's memory of at least `bytes`; null: memory of the pool
  /// @param device  the device of the stream
  /// @throws OutOfMemory  if the device lacks memory; Error  if CUDA reports another error
  Workspace(cudaStream_t stream, std::size_t bytes, void* memory, int device) : stream_(stream) {
    hold(memory);
    if (memory != nullptr || bytes == 0) return;
    const cudaError_t status = cudaMallocFromPoolAsync(&taken_, bytes, pool_of(device), stream);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();  // so that no later call reports it
      throw OutOfMemory(detail::text("too little device memory for a product's workspace (", bytes,
                                     " bytes): free memory, or take a kernel that needs none"));
    }
    check(status, "allocate workspace for a product");
    hold(taken_);
  }
  /// Allocates on the current device.
  Workspace(cudaStream_t stream, std::size_t bytes, void* memory)
      : Workspace(stream, bytes, memory, device_now()) {}
  ~Workspace() {
    if (taken_ != nullptr) cudaFreeAsync(taken_, stream_);
  }

 private:
  static int device_now() {
    int device = 0;
    check(cudaGetDevice(&device), "find a CUDA device");
    return device;
  }

  cudaStream_t stream_;
  void* taken_ = nullptr;  // from the pool
};

}  // namespace rooftile::cuda_native
