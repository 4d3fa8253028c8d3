// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include <cuda_runtime_api.h>

#include "cuda_native/check.hpp"
#include "distributed/mpi/messages.hpp"
#include "distributed/nccl/device_messages.hpp"

namespace rooftile::distributed {

namespace {

constexpr int tag = 4;  // tags 0, 1 and 3: products on the host; 2: redistributions

/// Pinned host memory, which the device copies asynchronously.
class Pinned {
 public:
  std::byte* data() const { return memory_.get(); }
  /// Provides at least `bytes` bytes, uninitialized. @throws Error without memory
  void reserve(std::size_t bytes) {
    if (bytes <= reserved_) return;
    memory_.reset(), reserved_ = 0;
    void* memory = nullptr;
    cuda_native::check(cudaMallocHost(&memory, bytes), "allocate pinned memory for messages");
    memory_.reset(static_cast<std::byte*>(memory)), reserved_ = bytes;
  }
  /// Leaks the memory, because MPI may still write to it.
  void leave() noexcept { static_cast<void>(memory_.release()); }

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept { cudaFreeHost(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t reserved_ = 0;
};

/// Messages that are copied to the host, sent by MPI, and copied to the device.
class StagedMessages : public DeviceMessages {
 public:
  explicit StagedMessages(const Context& context) : watch_(context.watch()), messages_(context, tag) {}

  void reserve(std::size_t bytes) override { sent_.reserve(bytes), received_.reserve(bytes); }
  void send(const void* data, std::size_t bytes, int rank) override {
    sends_.push_back({const_cast<void*>(data), bytes, rank});
  }
  void receive(void* data, std::size_t bytes, int rank) override { receives_.push_back({data, bytes, rank}); }

  void start(cudaStream_t stream) override {
    std::size_t next = 0;
    for (auto post = sends_.begin(); post != sends_.end(); ++post) {
      const auto same = std::find_if(sends_.begin(), post, [&](const Posted& x) {
        return x.data == post->data && x.bytes == post->bytes;
      });
      post->at = same == post ? next : same->at;
      if (same != post) continue;  // one copy for several receivers
      copy(sent_.data() + next, post->data, post->bytes, cudaMemcpyDeviceToHost, stream);
      next += post->bytes;
    }
    on_host_.record(stream);
  }
  void finish(cudaStream_t stream) override {
    std::size_t next = 0;
    // By then, the stream has also copied the previous messages out of `received_`.
    watch_.wait_until([&] { return on_host_.is_reached(); });
    for (Posted& post : receives_) {
      post.at = next;
      messages_.receive(received_.data() + post.at, static_cast<Index>(post.bytes), post.rank);
      next += post.bytes;
    }
    for (const Posted& post : sends_) {
      messages_.send(sent_.data() + post.at, static_cast<Index>(post.bytes), post.rank);
    }
    messages_.wait();
    for (const Posted& post : receives_) {
      copy(post.data, received_.data() + post.at, post.bytes, cudaMemcpyHostToDevice, stream);
    }
    sends_.clear(), receives_.clear();
  }
  void abort() noexcept override { sent_.leave(), received_.leave(); }

 private:
  struct Posted {
    void* data;
    std::size_t bytes;
    int rank;
    std::size_t at = 0;  ///< offset in pinned memory
  };

  static void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    cuda_native::check(cudaMemcpyAsync(to, from, bytes, kind, stream), "copy a message");
  }

  Watchdog& watch_;
  Messages messages_;
  Pinned sent_, received_;
  Event on_host_;
  std::vector<Posted> sends_, receives_;
};

}  // namespace

std::unique_ptr<DeviceMessages> staged_messages(const Context& context) {
  return std::make_unique<StagedMessages>(context);
}

}  // namespace rooftile::distributed
