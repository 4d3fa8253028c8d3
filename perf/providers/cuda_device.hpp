// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "gpu_device.hpp"

namespace rooftile::perf {

struct CudaApi {
  using Status = cudaError_t;
  using Stream = cudaStream_t;
  using Event = cudaEvent_t;
  static constexpr Status success = cudaSuccess;
  static const char* error_name(Status status) { return cudaGetErrorName(status); }
  static Status last_error() { return cudaGetLastError(); }
  static Status malloc(void** memory, std::size_t bytes) { return cudaMalloc(memory, bytes); }
  static Status free(void* memory) { return cudaFree(memory); }
  static Status malloc_host(void** memory, std::size_t bytes) { return cudaMallocHost(memory, bytes); }
  static Status free_host(void* memory) { return cudaFreeHost(memory); }
  static Status upload(void* to, const void* from, std::size_t bytes, Stream stream) {
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream);
  }
  static Status download(void* to, const void* from, std::size_t bytes, Stream stream) {
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream);
  }
  static Status copy(void* to, const void* from, std::size_t bytes, Stream stream) {
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
  }
  static Status set(void* memory, std::size_t bytes, Stream stream) {
    return cudaMemsetAsync(memory, 0, bytes, stream);
  }
  static Status stream_create(Stream* stream) {
    return cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
  }
  static Status stream_destroy(Stream stream) { return cudaStreamDestroy(stream); }
  static Status stream_synchronize(Stream stream) { return cudaStreamSynchronize(stream); }
  static Status call_host(Stream stream, void (*function)(void*), void* argument) {
    return cudaLaunchHostFunc(stream, function, argument);
  }
  static Status event_create(Event* event) { return cudaEventCreate(event); }
  static Status event_destroy(Event event) { return cudaEventDestroy(event); }
  static Status event_record(Event event, Stream stream) { return cudaEventRecord(event, stream); }
  static Status event_synchronize(Event event) { return cudaEventSynchronize(event); }
  static Status event_elapsed(float* ms, Event begin, Event end) {
    return cudaEventElapsedTime(ms, begin, end);
  }
};

using CudaDevice = GpuDevice<CudaApi>;

}  // namespace rooftile::perf
