// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

#include "bindings/gpu/pipeline.hpp"
#include "cpu/without_memory.hpp"
#include "rooftile/error.hpp"

namespace rooftile::testing {

/// How a simulated device fails. The argument `when` is the number n.
enum class Fault {
  none,
  refuses,    ///< the n-th operation given to the device throws
  no_memory,  ///< the n-th operation throws OutOfMemory
  breaks      ///< the n-th executed operation stops all queues; the next check throws
};

/// A GPU simulated by the CPU. Each queue executes late, at a random time, in any order that the marks allow,
/// so that missing dependencies give wrong results. Its memory starts as NaN, and writes behind an allocation
/// are detected.
class FakeDevice {
 public:
  static constexpr std::size_t buffer_bytes = 4096;
  struct Mark {
    std::size_t queue = 0, position = 0;
  };

  explicit FakeDevice(unsigned seed, Fault fault = Fault::none, int when = 0, std::size_t memory = SIZE_MAX)
      : random_(seed), fault_(fault), when_(when), memory_(memory) {
    for (auto& buffer : buffers_) buffer.resize(buffer_bytes, std::byte{0xff});
  }

  Mark mark(gpu::Queue queue) { return {number(queue), queue_of(queue).given}; }
  void order(gpu::Queue queue, Mark mark) {
    give(
        queue, [] {}, mark);
  }
  bool is_done(Mark mark) {
    for (auto steps = random_() % 3; steps > 0; --steps) work();
    check();
    return queues_[mark.queue].done >= mark.position;
  }
  void finish(Mark mark) {
    while (queues_[mark.queue].done < mark.position) {
      check();
      if (!work() && !is_broken_) throw std::logic_error("queues wait for each other");
    }
    check();
  }
  void* buffer(gpu::Queue queue, int i) {
    return buffers_[static_cast<std::size_t>(queue == gpu::Queue::in ? i : gpu::buffers_per_queue + i)]
        .data();
  }
  template <class T>
  void send(const gpu::Lines<const T>& from, const gpu::Lines<T>& to) {
    give(gpu::Queue::in, [=] { gpu::copy_lines(from, to); });
  }
  template <class T>
  void receive(const gpu::Lines<const T>& from, const gpu::Lines<T>& to) {
    give(gpu::Queue::out, [=] { gpu::copy_lines(from, to); });
  }
  template <class T>
  void multiply(const GemmArgs<T>& args) {
    ++products;
    give(gpu::Queue::multiply, [=] { portable::multiply_without_memory(args); });
  }
  void abandon() noexcept {
    for (Queue& queue : queues_) queue.work.clear(), queue.done = queue.given;
  }
  void* allocate(std::size_t bytes) {
    if (bytes > memory_) return nullptr;
    taken_.emplace_back(bytes + guard, std::byte{0xff});
    return taken_.back().data();
  }
  void release(void* memory) {
    std::erase_if(taken_, [&](const std::vector<std::byte>& bytes) {
      if (bytes.data() != memory) return false;
      for (std::size_t i = bytes.size() - guard; i < bytes.size(); ++i)
        wrote_behind |= bytes[i] != std::byte{0xff};
      return true;
    });
  }
  /// Whether all memory is released and all work is done.
  bool is_idle() const {
    bool idle = taken_.empty();
    for (const Queue& queue : queues_) idle = idle && queue.work.empty();
    return idle;
  }

  int products = 0;
  bool wrote_behind = false, failed = false;

 private:
  static constexpr std::size_t guard = 256;
  struct Work {
    std::function<void()> f;
    std::optional<Mark> after;
  };
  struct Queue {
    std::deque<Work> work;
    std::size_t given = 0, done = 0;
  };
  static std::size_t number(gpu::Queue queue) { return static_cast<std::size_t>(queue); }
  Queue& queue_of(gpu::Queue queue) { return queues_[number(queue)]; }

  void give(gpu::Queue to, std::function<void()> f, std::optional<Mark> after = {}) {
    if ((fault_ == Fault::refuses || fault_ == Fault::no_memory) && when_-- == 0) {
      failed = true;
      if (fault_ == Fault::no_memory) throw OutOfMemory("too little device memory");
      throw Error("the device refuses");
    }
    Queue& queue = queue_of(to);
    queue.work.push_back({std::move(f), after}), ++queue.given;
  }
  void check() const {
    if (is_broken_) throw Error("the device broke");
  }
  /// Executes one operation of a queue that may proceed.
  /// @return whether there was one
  bool work() {
    if (is_broken_) return false;
    const auto first = random_();
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      Queue& queue = queues_[(first + i) % queues_.size()];
      if (queue.work.empty()) continue;
      const Work& next = queue.work.front();
      if (next.after && queues_[next.after->queue].done < next.after->position) continue;
      if (fault_ == Fault::breaks && when_-- == 0) return is_broken_ = failed = true, false;
      next.f();
      queue.work.pop_front(), ++queue.done;
      return true;
    }
    return false;
  }

  std::mt19937 random_;
  Fault fault_;
  int when_;
  std::size_t memory_;
  bool is_broken_ = false;
  std::array<Queue, 3> queues_;
  std::array<std::vector<std::byte>, 2 * gpu::buffers_per_queue> buffers_;
  std::deque<std::vector<std::byte>> taken_;
};

}  // namespace rooftile::testing
