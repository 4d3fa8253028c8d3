// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "../machine.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {

/// A GPU, timed by events on its own stream. `Api` maps the names of CUDA or HIP.
template <class Api>
class GpuDevice : public Device {
 public:
  GpuDevice(std::string backend_, std::string name_) : Device(std::move(backend_), std::move(name_)) {
    check(Api::stream_create(&stream_), "create a stream");
    check(Api::event_create(&begin_), "create an event");
    check(Api::event_create(&end_), "create an event");
  }
  ~GpuDevice() override {
    flushed_.reset();
    for (const auto& [size, memory] : spare_) static_cast<void>(Api::free_host(memory));
    static_cast<void>(Api::event_destroy(end_));
    static_cast<void>(Api::event_destroy(begin_));
    static_cast<void>(Api::stream_destroy(stream_));
  }
  GpuDevice(const GpuDevice&) = delete;
  GpuDevice& operator=(const GpuDevice&) = delete;

  void* allocate(std::size_t bytes) override {
    void* memory = nullptr;
    if (const auto status = Api::malloc(&memory, bytes); status != Api::success) {
      static_cast<void>(Api::last_error());  // clears the error, which the next launch would report
      throw OutOfMemory(detail::text(bytes, " bytes on ", name, ", ", Api::error_name(status)));
    }
    return memory;
  }
  void release(void* memory) noexcept override { static_cast<void>(Api::free(memory)); }
  /// Allocates pinned memory, which the GPU copies without staging. Pinning is slow, so blocks are reused for
  /// later products.
  void* allocate_host(std::size_t bytes) override {
    const std::size_t size = pinned_size(bytes);
    if (size > largest_pinned) return Device::allocate_host(bytes);
    if (const auto spare = spare_.find(size); spare != spare_.end()) return spare_.extract(spare).mapped();
    void* memory = nullptr;
    if (const auto status = Api::malloc_host(&memory, size); status != Api::success) {
      static_cast<void>(Api::last_error());
      throw OutOfMemory(detail::text(size, " bytes of pinned memory, ", Api::error_name(status)));
    }
    return memory;
  }
  void release_host(void* memory, std::size_t bytes) noexcept override {
    const std::size_t size = pinned_size(bytes);
    if (size > largest_pinned) return Device::release_host(memory, bytes);
    spare_.emplace(size, memory);
  }
  void upload(void* to, const void* from, std::size_t bytes) override {
    check(Api::upload(to, from, bytes, stream_), "copy to the device");
    check(Api::stream_synchronize(stream_), "copy to the device");
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    check(Api::download(to, from, bytes, stream_), "copy from the device");
    check(Api::stream_synchronize(stream_), "copy from the device");
  }

  void copy(void* to, const void* from, std::size_t bytes) override {
    check(Api::copy(to, from, bytes, stream_), "copy within the device");
    check(Api::stream_synchronize(stream_), "copy within the device");
  }

  double seconds(const std::function<void()>& work) override {
    return timed(work, [] {});
  }

  double seconds_behind(const std::function<void()>& before, const std::function<void()>& work) override {
    if constexpr (requires { &Api::call_host; }) {
      Gate gate(stream_);
      before();
      return timed(work, [&] { gate.open(); });
    } else {
      return Device::seconds_behind(before, work);
    }
  }

  /// Writes several times the size of current GPUs' L2.
  void flush_caches() override {
    constexpr std::size_t bytes = std::size_t{1} << 29;
    if (!flushed_) flushed_.emplace(*this, bytes);
    check(Api::set(flushed_->data(), bytes, stream_), "write more than the caches hold");
  }

  typename Api::Stream stream() const { return stream_; }

 private:
  /// Blocks the stream until it is opened. It opens after 10 ms at the latest, since a call may wait for the
  /// stream.
  class Gate {
   public:
    explicit Gate(typename Api::Stream stream) : stream_(stream) {
      check(Api::call_host(stream, wait, this), "hold a stream");
    }
    ~Gate() {
      open();
      static_cast<void>(Api::stream_synchronize(stream_));
    }
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;

    void open() { is_open_ = true; }

   private:
    static void wait(void* gate) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(10);
      while (!static_cast<Gate*>(gate)->is_open_ && std::chrono::steady_clock::now() < end) {
      }
    }

    typename Api::Stream stream_;
    std::atomic<bool> is_open_ = false;
  };

  /// @param queued  called after all work is enqueued
  template <class F>
  double timed(const std::function<void()>& work, const F& queued) {
    float milliseconds = 0;
    check(Api::event_record(begin_, stream_), "record an event");
    work();
    check(Api::event_record(end_, stream_), "record an event");
    queued();
    check(Api::event_synchronize(end_), "run a kernel");
    check(Api::event_elapsed(&milliseconds, begin_, end_), "read an event");
    return 1e-3 * static_cast<double>(milliseconds);
  }

  static void check(typename Api::Status status, const char* doing) {
    if (status == Api::success) return;
    throw Error(detail::text("could not ", doing, " (", Api::error_name(status), "): see the driver's log"));
  }

  static constexpr std::size_t largest_pinned = std::size_t{1} << 29;

  /// Rounds the size of a block up to a power of two, so that blocks can be reused for more products.
  static std::size_t pinned_size(std::size_t bytes) {
    return std::bit_ceil(std::max(bytes, std::size_t{1} << 12));
  }

  typename Api::Stream stream_;
  typename Api::Event begin_;
  typename Api::Event end_;
  std::optional<Buffer<char>> flushed_;
  std::multimap<std::size_t, void*> spare_;  ///< free pinned blocks, by size
};

}  // namespace rooftile::perf
