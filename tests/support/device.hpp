// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plan/refusal.hpp"
#include "rooftile/options.hpp"

namespace rooftile::testing {

/// A device with one path of the library: memory, a queue and gemm, by device_{portable,native}.cpp.
class Device {
 public:
  virtual ~Device() = default;

  /// @throws Error where the memory does not suffice
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
  virtual void download(void* to, const void* from, std::size_t bytes) = 0;

  /// Waits for what the library has put into the queue.
  virtual void wait() = 0;

  virtual Target target(Math math) const = 0;

  /// The path's public entries: of one product or a batch, and of a group.
  virtual void gemm(const BatchArgs<float>& args, const GemmOptions& options) = 0;
  virtual void gemm(const BatchArgs<double>& args, const GemmOptions& options) = 0;
  virtual void gemm(const BatchArgs<float16>& args, const GemmOptions& options) = 0;
  virtual void gemm(const BatchArgs<bfloat16>& args, const GemmOptions& options) = 0;
  virtual void gemm(const BatchArgs<complex<float>>& args, const GemmOptions& options) = 0;
  virtual void gemm(const BatchArgs<complex<double>>& args, const GemmOptions& options) = 0;
  virtual void gemm(std::span<const GemmArgs<float>> group, const GemmOptions& options) = 0;
  virtual void gemm(std::span<const GemmArgs<double>> group, const GemmOptions& options) = 0;
  virtual void gemm(std::span<const GemmArgs<float16>> group, const GemmOptions& options) = 0;
  virtual void gemm(std::span<const GemmArgs<bfloat16>> group, const GemmOptions& options) = 0;
  virtual void gemm(std::span<const GemmArgs<complex<float>>> group, const GemmOptions& options) = 0;
  virtual void gemm(std::span<const GemmArgs<complex<double>>> group, const GemmOptions& options) = 0;
};

/// Null where the machine has no such device.
/// @param lack  says why
std::unique_ptr<Device> find_device(std::string& lack);

/// Memory of a device for `count` elements.
template <class T>
class Buffer {
 public:
  Buffer(Device& device, std::size_t count)
      : device_(&device), count_(count), data_(static_cast<T*>(device.allocate(count * sizeof(T)))) {}
  Buffer(Buffer&& other) noexcept
      : device_(other.device_), count_(other.count_), data_(std::exchange(other.data_, nullptr)) {}
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer() {
    if (data_ != nullptr) device_->release(data_);
  }

  T* data() const { return data_; }
  void upload(const std::vector<T>& from) { device_->upload(data_, from.data(), count_ * sizeof(T)); }
  void download(std::vector<T>& to) const { device_->download(to.data(), data_, count_ * sizeof(T)); }

 private:
  Device* device_;
  std::size_t count_;
  T* data_;
};

}  // namespace rooftile::testing
