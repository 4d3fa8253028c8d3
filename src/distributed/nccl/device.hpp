// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "distributed/nccl/device_messages.hpp"
#include "distributed/nccl/run_lists.hpp"

namespace rooftile::distributed {

/// Growing device memory. Earlier allocations stay until `forget`, because other processes may have them
/// open.
class DeviceMemory {
 public:
  std::byte* data() const { return memory_.get(); }
  /// Provides at least `bytes` bytes, uninitialized. @throws Error without memory
  void reserve(std::size_t bytes, const char* doing) {
    if (bytes <= reserved_) return;
    release();
    void* memory = nullptr;
    cuda_native::check(cudaMalloc(&memory, bytes), doing);
    memory_.reset(static_cast<std::byte*>(memory)), reserved_ = bytes;
  }
  void release() noexcept {
    if (memory_) before_.push_back(std::move(memory_));
    reserved_ = 0;
  }
  void forget() noexcept { before_.clear(); }

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept { cudaFree(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::vector<std::unique_ptr<std::byte, Free>> before_;
  std::size_t reserved_ = 0;
};

/// A stream with the highest priority.
class UrgentStream {
 public:
  UrgentStream() {
    int last = 0, first = 0;
    cuda_native::check(cudaDeviceGetStreamPriorityRange(&last, &first), "query stream priorities");
    cuda_native::check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, first),
                       "create a CUDA stream");
  }
  ~UrgentStream() { cudaStreamDestroy(stream_); }
  UrgentStream(const UrgentStream&) = delete;
  UrgentStream& operator=(const UrgentStream&) = delete;

  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// The resources of a context on its device. The panels of a product alternate between two slots.
class CudaContext::Device {
 public:
  /// @throws Error without a device
  Device();

  /// Copies the lists of runs of a product to the device. @throws Error without memory
  void upload(const RunLists& lists);
  const Run* runs_there() const { return reinterpret_cast<const Run*>(runs.data()); }

  /// Maximum number of panels that are enqueued before the first of them is computed.
  static constexpr int max_ahead = 4;

  int number = 0;
  CudaEngine engine = CudaEngine::automatic;
  UrgentStream sends;                     ///< packing, messages and unpacking, in order
  Event ready;                            ///< the operands are ready; at the end: the messages are
  std::array<Event, 2> arrived;           ///< the panels of a slot have arrived
  std::array<Event, max_ahead> computed;  ///< a panel is multiplied; used in turn
  DeviceMemory workspace, runs;
  std::unique_ptr<DeviceMessages> messages;
  bool multiplies = true;  ///< false: messages only, for measurements
  bool exchanges = true;   ///< false: products only, of uninitialized panels
};

}  // namespace rooftile::distributed
