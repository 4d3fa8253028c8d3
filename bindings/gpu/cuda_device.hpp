// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "bindings/gpu/pipeline.hpp"
#include "cuda_native/check.hpp"
#include "cuda_native/workspace.hpp"
#include "rooftile/cuda_native.hpp"

namespace rooftile::gpu {

/// Streams, events and pinned buffers of a CUDA device for one call at a time, as a `Pipeline` uses them.
/// Products run in the per-thread default stream, so that they follow earlier work in the program's default
/// stream.
class CudaDevice {
 public:
  static constexpr std::size_t buffer_bytes = std::size_t{8} << 20;
  using Mark = cudaEvent_t;

  /// @param number  of the current device
  explicit CudaDevice(int number) : number_(number) {
    using cuda_native::check;
    for (cudaStream_t* stream : {&in_, &out_})
      check(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking), "make a stream for transfers");
  }
  ~CudaDevice() {
    for (const Mark mark : marks_) cudaEventDestroy(mark);
    for (void* const buffer : buffers_) cudaFreeHost(buffer);
    for (const cudaStream_t stream : {in_, out_}) cudaStreamDestroy(stream);
  }
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  int number() const { return number_; }

  /// Starts a call, which may reuse the events of the previous call.
  void begin_call() { marks_used_ = 0; }
  /// Sets the options for the products of a call.
  void compute_in(const GemmOptions& options) { options_ = options; }

  Mark mark(Queue queue) {
    using cuda_native::check;
    if (marks_used_ == marks_.size()) {
      Mark made = nullptr;
      check(cudaEventCreateWithFlags(&made, cudaEventDisableTiming), "make an event");
      marks_.push_back(made);
    }
    const Mark mark = marks_[marks_used_++];
    check(cudaEventRecord(mark, stream(queue)), "record an event");
    return mark;
  }
  void order(Queue queue, Mark mark) {
    cuda_native::check(cudaStreamWaitEvent(stream(queue), mark, 0), "order transfers and products");
  }
  static bool is_done(Mark mark) {
    const cudaError_t status = cudaEventQuery(mark);
    if (status == cudaErrorNotReady) return cudaGetLastError(), false;
    cuda_native::check(status, "transfer and multiply");
    return true;
  }
  static void finish(Mark mark) { cuda_native::check(cudaEventSynchronize(mark), "transfer and multiply"); }

  /// @throws OutOfMemory if the host cannot pin enough memory
  void* buffer(Queue queue, int i) {
    void*& buffer = buffers_[static_cast<std::size_t>(queue == Queue::in ? i : buffers_per_queue + i)];
    if (buffer == nullptr && cudaMallocHost(&buffer, buffer_bytes) != cudaSuccess) {
      cudaGetLastError();
      buffer = nullptr;
      throw OutOfMemory("too little memory to pin for transfers: free some");
    }
    return buffer;
  }

  template <class T>
  void send(const Lines<const T>& from, const Lines<T>& to) {
    copy(from, to, cudaMemcpyHostToDevice, in_);
  }
  template <class T>
  void receive(const Lines<const T>& from, const Lines<T>& to) {
    copy(from, to, cudaMemcpyDeviceToHost, out_);
  }
  template <class T>
  void multiply(const GemmArgs<T>& args) {
    cuda_native::gemm(stream(Queue::multiply), args.alpha, args.A, args.B, args.beta, args.C, options_);
  }

  /// Allocates from the ladder's own memory pool, in stream order with `multiply`. @return null without
  /// memory
  void* allocate(std::size_t bytes) const {
    void* memory = nullptr;
    const auto take = [&] {
      return cudaMallocFromPoolAsync(&memory, bytes, cuda_native::pool_of(number_), stream(Queue::multiply));
    };
    cudaError_t status = take();
    if (status == cudaErrorMemoryAllocation) {  // the pool's cached memory may be fragmented
      cudaGetLastError();
      cuda_native::release_pool(number_);
      status = take();
    }
    if (status == cudaErrorMemoryAllocation) return cudaGetLastError(), nullptr;
    cuda_native::check(status, "allocate device memory for a product");
    return memory;
  }
  void release(void* memory) const { cudaFreeAsync(memory, stream(Queue::multiply)); }

  void abandon() const noexcept {
    for (const Queue queue : {Queue::in, Queue::multiply, Queue::out}) cudaStreamSynchronize(stream(queue));
    cudaGetLastError();
  }

 private:
  cudaStream_t stream(Queue queue) const {
    return queue == Queue::multiply ? cudaStreamPerThread : queue == Queue::in ? in_ : out_;
  }
  template <class T>
  static void copy(const Lines<const T>& from, const Lines<T>& to, cudaMemcpyKind kind, cudaStream_t stream) {
    const auto bytes = [](Index elements) { return static_cast<std::size_t>(elements) * sizeof(T); };
    const bool dense = from.pitch == from.length && to.pitch == to.length;
    cuda_native::check(
        dense ? cudaMemcpyAsync(to.data, from.data, bytes(from.count * from.length), kind, stream)
              : cudaMemcpy2DAsync(to.data, bytes(to.pitch), from.data, bytes(from.pitch), bytes(from.length),
                                  static_cast<std::size_t>(from.count), kind, stream),
        "transfer a block");
  }

  int number_;
  GemmOptions options_{};
  cudaStream_t in_ = nullptr, out_ = nullptr;
  std::vector<Mark> marks_;
  std::size_t marks_used_ = 0;
  std::array<void*, 2 * buffers_per_queue> buffers_{};
};

/// The `CudaDevice`s of a process; each call reserves one. They are kept, because pinning memory is slow, and
/// never destroyed, because CUDA may already be unloaded when the process ends.
class CudaDevices {
 public:
  /// Reserves a device during its lifetime.
  class Taken {
   public:
    Taken(CudaDevices& from, int number) : from_(from), device_(from.take(number)) {}
    ~Taken() { from_.give_back(std::move(device_)); }
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;
    CudaDevice& operator*() const { return *device_; }

   private:
    CudaDevices& from_;
    std::unique_ptr<CudaDevice> device_;
  };

 private:
  static constexpr int max_at_once = 4;  // calls that share the link, each with pinned buffers

  std::unique_ptr<CudaDevice> take(int number) {
    std::unique_lock lock(mutex_);
    given_back_.wait(lock, [&] { return in_use_ < max_at_once; });
    for (auto& free : free_) {
      if (free->number() != number) continue;
      std::unique_ptr<CudaDevice> found = std::move(free);
      free = std::move(free_.back());
      free_.pop_back();
      ++in_use_;
      found->begin_call();
      return found;
    }
    auto made = std::make_unique<CudaDevice>(number);
    free_.reserve(free_.size() + max_at_once);  // `give_back` must not allocate
    ++in_use_;
    return made;
  }
  void give_back(std::unique_ptr<CudaDevice> device) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(device));
    --in_use_;
    given_back_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable given_back_;
  std::vector<std::unique_ptr<CudaDevice>> free_;
  int in_use_ = 0;
};

}  // namespace rooftile::gpu
