// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "cuda_native/check.hpp"

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
  /// What is put on the stream later begins after it.
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

}  // namespace rooftile::distributed
