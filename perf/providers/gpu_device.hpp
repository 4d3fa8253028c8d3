// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "../machine.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {

/// A GPU, timed by events on its own stream. CUDA and HIP differ in nothing but the names that `Api` gives.
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
    static_cast<void>(Api::event_destroy(end_));
    static_cast<void>(Api::event_destroy(begin_));
    static_cast<void>(Api::stream_destroy(stream_));
  }
  GpuDevice(const GpuDevice&) = delete;
  GpuDevice& operator=(const GpuDevice&) = delete;

  void* allocate(std::size_t bytes) override {
    void* memory = nullptr;
    if (const auto status = Api::malloc(&memory, bytes); status != Api::success) {
      static_cast<void>(Api::last_error());  // clears it, so that the next launch is not blamed
      throw OutOfMemory(detail::text(bytes, " bytes on ", name, ", ", Api::error_name(status)));
    }
    return memory;
  }
  void release(void* memory) noexcept override { static_cast<void>(Api::free(memory)); }
  void upload(void* to, const void* from, std::size_t bytes) override {
    check(Api::upload(to, from, bytes, stream_), "copy to the device");
    check(Api::stream_synchronize(stream_), "copy to the device");
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    check(Api::download(to, from, bytes, stream_), "copy from the device");
    check(Api::stream_synchronize(stream_), "copy from the device");
  }

  double seconds(const std::function<void()>& work) override {
    float milliseconds = 0;
    check(Api::event_record(begin_, stream_), "record an event");
    work();
    check(Api::event_record(end_, stream_), "record an event");
    check(Api::event_synchronize(end_), "run a kernel");
    check(Api::event_elapsed(&milliseconds, begin_, end_), "read an event");
    return 1e-3 * static_cast<double>(milliseconds);
  }

  /// Writes several times what the L2 of today's GPUs holds.
  void flush_caches() override {
    constexpr std::size_t bytes = std::size_t{1} << 29;
    if (!flushed_) flushed_.emplace(*this, bytes);
    check(Api::set(flushed_->data(), bytes, stream_), "write more than the caches hold");
  }

  typename Api::Stream stream() const { return stream_; }

 private:
  static void check(typename Api::Status status, const char* doing) {
    if (status == Api::success) return;
    throw Error(detail::text("could not ", doing, " (", Api::error_name(status), "): see the driver's log"));
  }

  typename Api::Stream stream_;
  typename Api::Event begin_;
  typename Api::Event end_;
  std::optional<Buffer<char>> flushed_;
};

}  // namespace rooftile::perf
