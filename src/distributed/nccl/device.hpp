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

/// Memory of the device, which grows. What it was before stays until `forget`, since others may have it open.
class DeviceMemory {
 public:
  std::byte* data() const { return memory_.get(); }
  /// At least so many bytes, of unknown contents. @throws Error where there is no memory
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

/// A stream whose work goes first.
class UrgentStream {
 public:
  UrgentStream() {
    int last = 0, first = 0;
    cuda_native::check(cudaDeviceGetStreamPriorityRange(&last, &first), "ask for streams' priorities");
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

/// What a context has on its device. A product's panels take turns in two slots.
class CudaContext::Device {
 public:
  /// @throws Error where there is no device
  Device();

  /// Brings a product's lists of runs to the device. @throws Error where there is no memory
  void upload(const RunLists& lists);
  const Run* runs_there() const { return reinterpret_cast<const Run*>(runs.data()); }

  /// Panels that are put on streams before one of them has been computed.
  static constexpr int max_ahead = 4;

  int number = 0;
  CudaEngine engine = CudaEngine::automatic;
  UrgentStream sends;                     ///< packs, messages and unpacks, in one order
  Event ready;                            ///< operands, and at last messages
  std::array<Event, 2> arrived;           ///< a slot's panels
  std::array<Event, max_ahead> computed;  ///< with a panel, in turn
  DeviceMemory workspace, runs;
  std::unique_ptr<DeviceMessages> messages;
  bool multiplies = true;  ///< false: messages alone, for who measures them
  bool exchanges = true;   ///< false: products alone, of panels of unknown contents
};

}  // namespace rooftile::distributed
