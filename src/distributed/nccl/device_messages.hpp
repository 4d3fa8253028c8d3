// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include <cuda_runtime_api.h>

#include "cuda_native/check.hpp"
#include "rooftile/distributed/context.hpp"
#include "rooftile/distributed/cuda.hpp"

namespace rooftile::distributed {

/// A point in a stream that other streams or the host wait for.
class Event {
 public:
  Event() {
    cuda_native::check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "create a CUDA event");
  }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(cudaStream_t stream) { cuda_native::check(cudaEventRecord(event_, stream), "record an event"); }
  /// Makes later work on the stream wait for the event.
  void hold(cudaStream_t stream) const {
    cuda_native::check(cudaStreamWaitEvent(stream, event_, 0), "let a stream wait for an event");
  }
  /// Whether the event has completed. @throws Error if work on the device failed
  bool is_reached() const {
    const cudaError_t state = cudaEventQuery(event_);
    if (state == cudaErrorNotReady) {
      cudaGetLastError();
      return false;
    }
    cuda_native::check(state, "compute or send on the device");
    return true;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Transport of messages between the memories of GPUs. Messages from one process to another arrive in the
/// order in which they were sent. All messages that are posted between two calls of `start` form one group.
class DeviceMessages {
 public:
  virtual ~DeviceMessages() = default;
  /// Reserves memory before a product.
  /// @param bytes  maximum total size of the messages of a group, sent or received
  /// @throws Error without memory
  virtual void reserve(std::size_t bytes) = 0;
  /// Exchanges the addresses of workspaces before a product that sends. Collective.
  /// @param workspace  the memory that receives messages
  virtual void meet(std::byte* workspace) { static_cast<void>(workspace); }
  virtual void send(const void* data, std::size_t bytes, int rank) = 0;
  virtual void receive(void* data, std::size_t bytes, int rank) = 0;
  /// Starts the posted messages, after earlier work on the stream.
  virtual void start(cudaStream_t stream) = 0;
  /// Makes later work on the stream wait for the arrival of the messages.
  virtual void finish(cudaStream_t stream) = 0;
  /// Checks pending messages for failures. @throws Error on a failure
  virtual void check() {}
  /// Ends pending messages, which will never arrive, because the context is lost.
  virtual void abort() noexcept = 0;
};

/// Collective. @throws Error, on all processes, if NCCL fails
std::unique_ptr<DeviceMessages> nccl_messages(const Context& context, const CudaOptions& options);
/// Null on all processes if a process of the grid cannot copy to another. Collective.
std::unique_ptr<DeviceMessages> copied_messages(const Context& context);
std::unique_ptr<DeviceMessages> staged_messages(const Context& context);

}  // namespace rooftile::distributed
