// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/workspace.hpp"

#include <cstdint>
#include <map>
#include <mutex>

#include "cuda_native/check.hpp"

namespace rooftile::cuda_native {
namespace {

/// While it lives, this thread may do what could disturb a capture in general, and here does not.
struct DuringCapture {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;

  DuringCapture() { cudaThreadExchangeStreamCaptureMode(&mode); }
  ~DuringCapture() { cudaThreadExchangeStreamCaptureMode(&mode); }
  DuringCapture(const DuringCapture&) = delete;
  DuringCapture& operator=(const DuringCapture&) = delete;
};

/// The current device's pool, made at its first use and left to the end of the process: kernels may still run
/// when static objects go.
cudaMemPool_t pool() {
  static std::mutex mutex;
  static std::map<int, cudaMemPool_t> pools;
  int device = 0;
  check(cudaGetDevice(&device), "find a CUDA device");
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

}  // namespace

Workspace::Workspace(cudaStream_t stream, std::size_t bytes) : stream_(stream) {
  if (bytes == 0) return;
  void* data = nullptr;
  check(cudaMallocFromPoolAsync(&data, bytes, pool(), stream), "take workspace for a product");
  data_ = next_ = static_cast<char*>(data);
}

Workspace::~Workspace() {
  if (data_ != nullptr) cudaFreeAsync(data_, stream_);
}

}  // namespace rooftile::cuda_native
