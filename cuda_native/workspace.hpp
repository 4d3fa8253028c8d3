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

/// While it lives, this thread may do what could disturb a capture in general, and here does not.
struct DuringCapture {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;

  DuringCapture() { cudaThreadExchangeStreamCaptureMode(&mode); }
  ~DuringCapture() { cudaThreadExchangeStreamCaptureMode(&mode); }
  DuringCapture(const DuringCapture&) = delete;
  DuringCapture& operator=(const DuringCapture&) = delete;
};

/// A device's pool, made at its first use and left to the end of the process: kernels may still run when
/// static objects go.
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
      check(status, "make a pool of device memory");
    }
    check(cudaMemPoolSetAttribute(entry->second, cudaMemPoolAttrReleaseThreshold, &keep_all),
          "set up a pool of device memory");
  }
  return entry->second;
}

/// Gives back what a device's pool keeps and no work uses that is still to be done.
inline void release_pool(int device) {
  check(cudaMemPoolTrimTo(pool_of(device), 0), "give back workspace");
}

/// Device memory for the work that is put on a stream while the object lives. It is taken and given back in
/// the stream's order, from a pool of the library's own that keeps what it once had: after the first product
/// of a size, nothing synchronises or asks the driver for memory, and a stream that is being captured
/// captures it, too. Or the caller's memory. The portable path has it from here, whether or not this one is
/// built.
class Workspace : public detail::WorkspaceParts {
 public:
  /// @param memory  the caller's, with room for as many bytes; null: from the pool
  /// @param device  the stream's
  /// @throws OutOfMemory where the device has not so much memory, Error where CUDA refuses for another reason
  Workspace(cudaStream_t stream, std::size_t bytes, void* memory, int device) : stream_(stream) {
    hold(memory);
    if (memory != nullptr || bytes == 0) return;
    const cudaError_t status = cudaMallocFromPoolAsync(&taken_, bytes, pool_of(device), stream);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();  // so that nothing reports it once more
      throw OutOfMemory(detail::text("too little device memory for a product's workspace (", bytes,
                                     " bytes): free memory, or take a kernel that needs none"));
    }
    check(status, "take workspace for a product");
    hold(taken_);
  }
  /// The same on the current device.
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
