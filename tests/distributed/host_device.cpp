// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// CUDA's runtime on a device that is made of the host's memory.
#include "tests/distributed/host_device.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>
#include <vector>

#include <cuda_runtime_api.h>
#include <mpi.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

// What CUDA declares without a definition.
struct CUstream_st {
  std::deque<std::function<bool()>> work;  ///< each returns whether it is done; else it is asked again
};
struct CUevent_st {
  int recorded = 0, reached = 0;
};

namespace {

std::vector<CUstream_st*>& streams() {
  static std::vector<CUstream_st*> all{new CUstream_st};  // the first one stands for null
  return all;
}
CUstream_st& stream_of(cudaStream_t stream) {
  return stream == nullptr ? *streams().front() : *stream;
}
bool step(CUstream_st& stream) {
  if (stream.work.empty() || !stream.work.front()()) return false;
  stream.work.pop_front();
  return true;
}
/// Does some work of some stream.
void go_on() {
  static std::mt19937 draw(1);
  CUstream_st& stream = *streams()[draw() % streams().size()];
  for (auto some = draw() % 3; some > 0 && step(stream);) --some;
}
/// Until no stream has work.
void finish_all() {
  const auto busy = [](CUstream_st* stream) { return !stream->work.empty(); };
  while (std::any_of(streams().begin(), streams().end(), busy)) go_on();
}

/// Memory of some process.
struct Memory {
  std::byte* data;
  pid_t process;
};
/// That of another, and addresses that stand for it, of which nothing can be read.
struct Opened {
  std::byte* place;
  Memory memory;
};
constexpr std::size_t bytes_of_opened = std::size_t{1} << 32;
std::vector<Opened>& opened() {
  static std::vector<Opened> all;
  return all;
}

}  // namespace

void put(cudaStream_t stream, std::function<bool()> work) {
  stream_of(stream).work.push_back(std::move(work));
}
void put_done(cudaStream_t stream, const std::function<void()>& work) {
  put(stream, [work] { return work(), true; });
}

extern "C" {
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 8;  // of which each process takes the one of its rank
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) {
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  properties->uuid.bytes[0] = static_cast<char>(rank);
  properties->totalGlobalMem = static_cast<std::size_t>(20 - rank) << 30;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* last, int* first) {
  *last = 0, *first = -1;
  return cudaSuccess;
}
const char* cudaGetErrorName(cudaError_t) {
  return "cudaError";
}
const char* cudaGetErrorString(cudaError_t) {
  return "an error";
}
cudaError_t cudaGetLastError() {
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* told, const void*) {
  told->type = cudaMemoryTypeDevice;
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return cudaSuccess;
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  return cudaMalloc(memory, bytes);
}
cudaError_t cudaFree(void* memory) {
  finish_all();
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) {
  return cudaFree(memory);
}
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  put_done(nullptr, [=] { std::memset(memory, value, bytes); });
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  finish_all();
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  const auto other = std::find_if(opened().begin(), opened().end(), [&](const Opened& x) {
    return to >= x.place && to < x.place + bytes_of_opened;
  });
  if (other == opened().end()) {
    put_done(stream, [=] { std::memcpy(to, from, bytes); });
    return cudaSuccess;
  }
  put_done(stream, [=, memory = other->memory, offset = static_cast<std::byte*>(to) - other->place] {
    iovec here{const_cast<void*>(from), bytes}, there{memory.data + offset, bytes};
    const ssize_t written = process_vm_writev(memory.process, &here, 1, &there, 1, 0);
    if (written != static_cast<ssize_t>(bytes) && errno != ESRCH) std::abort();  // unless that has died
  });
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  cudaMemcpyAsync(to, from, bytes, kind, nullptr);
  return cudaDeviceSynchronize();
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaDeviceSynchronize();
}
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* memory) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1 && std::getenv("ROOFTILE_TEST_NO_IPC") != nullptr) return cudaErrorNotSupported;
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);  // others may write
  const Memory mine{static_cast<std::byte*>(memory), getpid()};
  std::memcpy(handle->reserved, &mine, sizeof mine);
  return cudaSuccess;
}
cudaError_t cudaIpcOpenMemHandle(void** memory, cudaIpcMemHandle_t handle, unsigned) {
  *memory = mmap(nullptr, bytes_of_opened, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  opened().push_back({static_cast<std::byte*>(*memory), {}});
  std::memcpy(&opened().back().memory, handle.reserved, sizeof(Memory));
  return cudaSuccess;
}
cudaError_t cudaIpcCloseMemHandle(void* memory) {
  finish_all();
  munmap(memory, bytes_of_opened);
  std::erase_if(opened(), [&](const Opened& x) { return x.place == memory; });
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  streams().push_back(*stream = new CUstream_st);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  finish_all();
  std::erase(streams(), stream);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamGetDevice(cudaStream_t, int* device) {
  return cudaGetDevice(device);
}
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  put(stream, [event, number = event->recorded] { return event->reached >= number; });
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  finish_all();
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  put_done(stream,
           [event, number = ++event->recorded] { event->reached = std::max(event->reached, number); });
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  go_on();
  return event->reached >= event->recorded ? cudaSuccess : cudaErrorNotReady;
}
}
