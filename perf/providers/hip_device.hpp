// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hip/hip_runtime.h>

#include "gpu_device.hpp"

namespace rooftile::perf {

struct HipApi {
  using Status = hipError_t;
  using Stream = hipStream_t;
  using Event = hipEvent_t;
  static constexpr Status success = hipSuccess;
  static const char* error_name(Status status) { return hipGetErrorName(status); }
  static Status last_error() { return hipGetLastError(); }
  static Status malloc(void** memory, std::size_t bytes) { return hipMalloc(memory, bytes); }
  static Status free(void* memory) { return hipFree(memory); }
  static Status malloc_host(void** memory, std::size_t bytes) {
    return hipHostMalloc(memory, bytes, hipHostMallocDefault);
  }
  static Status free_host(void* memory) { return hipHostFree(memory); }
  static Status upload(void* to, const void* from, std::size_t bytes, Stream stream) {
    return hipMemcpyAsync(to, from, bytes, hipMemcpyHostToDevice, stream);
  }
  static Status download(void* to, const void* from, std::size_t bytes, Stream stream) {
    return hipMemcpyAsync(to, from, bytes, hipMemcpyDeviceToHost, stream);
  }
  static Status copy(void* to, const void* from, std::size_t bytes, Stream stream) {
    return hipMemcpyAsync(to, from, bytes, hipMemcpyDeviceToDevice, stream);
  }
  static Status set(void* memory, std::size_t bytes, Stream stream) {
    return hipMemsetAsync(memory, 0, bytes, stream);
  }
  static Status stream_create(Stream* stream) {
    return hipStreamCreateWithFlags(stream, hipStreamNonBlocking);
  }
  static Status stream_destroy(Stream stream) { return hipStreamDestroy(stream); }
  static Status stream_synchronize(Stream stream) { return hipStreamSynchronize(stream); }
  static Status event_create(Event* event) { return hipEventCreate(event); }
  static Status event_destroy(Event event) { return hipEventDestroy(event); }
  static Status event_record(Event event, Stream stream) { return hipEventRecord(event, stream); }
  static Status event_synchronize(Event event) { return hipEventSynchronize(event); }
  static Status event_elapsed(float* ms, Event begin, Event end) {
    return hipEventElapsedTime(ms, begin, end);
  }
};

using HipDevice = GpuDevice<HipApi>;

}  // namespace rooftile::perf
