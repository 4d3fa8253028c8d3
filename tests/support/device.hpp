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

/// The path's public functions for some element types: for one product or a batch, and for a group.
template <class... T>
struct Entries : Entries<T>... {
  using Entries<T>::gemm...;
};
template <class T>
struct Entries<T> {
  virtual ~Entries() = default;
  virtual void gemm(const BatchArgs<T>& args, const GemmOptions& options) = 0;
  virtual void gemm(std::span<const GemmArgs<T>> group, const GemmOptions& options) = 0;
};

/// A device with one path of the library: memory, a queue and gemm. Implemented in
/// device_{portable,native}.cpp.
class Device
    : public Entries<float, double, float16, bfloat16, complex<float>, complex<double>,
                     Mixed<float8_e4m3, float>, Mixed<float8_e4m3, bfloat16>, Mixed<float8_e4m3, float16>> {
 public:
  /// @throws Error if there is too little memory
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
  virtual void download(void* to, const void* from, std::size_t bytes) = 0;

  /// Waits for the library's work in the queue.
  virtual void wait() = 0;

  virtual Target target(ComputeMode math) const = 0;
};

/// A device that implements the functions by `Self::run`, for some element types.
template <class Self, class... T>
struct DeviceByRun : Device {};
template <class Self, class T, class... Rest>
struct DeviceByRun<Self, T, Rest...> : DeviceByRun<Self, Rest...> {
  using Device::gemm;
  void gemm(const BatchArgs<T>& args, const GemmOptions& options) final {
    static_cast<const Self*>(this)->run(args, options);
  }
  void gemm(std::span<const GemmArgs<T>> group, const GemmOptions& options) final {
    static_cast<const Self*>(this)->run(group, options);
  }
};
template <class Self>
using DeviceOfElements =
    DeviceByRun<Self, float, double, float16, bfloat16, complex<float>, complex<double>,
                Mixed<float8_e4m3, float>, Mixed<float8_e4m3, bfloat16>, Mixed<float8_e4m3, float16>>;

/// @param lack  set to the reason if there is no device
/// @return null if the machine has no such device
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
