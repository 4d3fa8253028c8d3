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

/// A place in a stream that others wait for.
class Event {
 public:
  Event() {
    cuda_native::check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "create a CUDA event");
  }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(cudaStream_t stream) { cuda_native::check(cudaEventRecord(event_, stream), "record an event"); }
  /// Later work on the stream begins after it.
  void hold(cudaStream_t stream) const {
    cuda_native::check(cudaStreamWaitEvent(stream, event_, 0), "let a stream wait for an event");
  }
  /// Whether it has been reached. @throws Error where something on the device has failed
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

/// How messages get from one GPU's memory into another's. Messages of one process to another arrive in the
/// order in which they were sent. Those that are posted between two calls of `start` travel together.
class DeviceMessages {
 public:
  virtual ~DeviceMessages() = default;
  /// Before a product. @param bytes  that are sent, or received, together, at most
  /// @throws Error where there is no memory
  virtual void reserve(std::size_t bytes) = 0;
  /// Collective, before a product that sends. @param workspace  where messages arrive
  virtual void meet(std::byte* workspace) { static_cast<void>(workspace); }
  virtual void send(const void* data, std::size_t bytes, int rank) = 0;
  virtual void receive(void* data, std::size_t bytes, int rank) = 0;
  /// Sends and receives what was posted, after what was put on the stream before.
  virtual void start(cudaStream_t stream) = 0;
  /// What is put on the stream after this comes after their arrival.
  virtual void finish(cudaStream_t stream) = 0;
  /// Whether something failed that is still under way. @throws Error then
  virtual void check() {}
  /// Ends what is under way, and never will arrive: the context is lost.
  virtual void abort() noexcept = 0;
};

/// Collective. @throws Error on all processes where NCCL fails
std::unique_ptr<DeviceMessages> nccl_messages(const Context& context, const CudaOptions& options);
/// Null on all processes where one of the grid cannot copy to another.
std::unique_ptr<DeviceMessages> copied_messages(const Context& context);
std::unique_ptr<DeviceMessages> staged_messages(const Context& context);

}  // namespace rooftile::distributed
