// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "bindings/gpu/copiers.hpp"
#include "bindings/gpu/schedule.hpp"

namespace rooftile::gpu {

/// Queues of a device. Each queue runs in order; only marks order different queues.
enum class Queue { in, multiply, out };

/// Pinned buffers of a queue, for memory that the device cannot access directly.
inline constexpr int buffers_per_queue = 4;

/// Overlaps transfers and products. @tparam Device  has the members below. Except for `is_done` and `finish`,
/// they only enqueue work. Failures throw.
///
///     Mark                                     a position in a queue
///     Mark mark(Queue)                         marks the current end of the queue
///     void order(Queue, Mark)                  later work of the queue waits for the mark
///     bool is_done(Mark), void finish(Mark)    query a mark; wait for a mark
///     void* buffer(Queue, int)                 a buffer of `in` or `out`, of `buffer_bytes`
///     void send(Lines<const T>, Lines<T>)      host to device, in queue `in`
///     void receive(Lines<const T>, Lines<T>)   device to host, in queue `out`
///     void multiply(GemmArgs<T>)               in queue `multiply`
///     void abandon() noexcept                  waits until the device no longer accesses host memory
template <class T, class Device>
class Pipeline {
 public:
  /// An operand: its own memory, and its memory on the device.
  template <class E>
  struct Place {
    MatrixRef<E> device;
    Lines<E> host{};  ///< the operand, if on the host
    Lines<T> copy{};  ///< its copy on the device
    bool on_host = false;
    bool reachable = false;  ///< pinned host memory, which the device can access
  };

  Pipeline(Device& device, Scalar<T> alpha, const Place<const T>& a, const Place<const T>& b, Scalar<T> beta,
           const Place<T>& c, const Copiers& copiers)
      : device_(device), alpha_(alpha), beta_(beta), a_(a), b_(b), c_(c), copiers_(copiers) {}

  /// Progress of a run. Also valid if the run throws.
  struct Progress {
    std::size_t stored =
        0;  ///< parts of C on the host, in the order of `for_each_part`; other parts are unchanged
    bool wrote = false;  ///< whether the device may have written directly to C
  };

  /// Calls f(line, lines, first, elements) for the parts in which a block of C is copied back.
  template <class F>
  static void for_each_part(const Lines<T>& lines, const F& f) {
    for_each_chunk(lines, buffer_elements(), f);
  }

  void run(const Schedule& steps, Progress& progress) {
    progress_ = &progress;
    try {
      const auto begin = device_.mark(Queue::multiply);  // copies are allocated in this queue
      device_.order(Queue::in, begin), device_.order(Queue::out, begin);
      for (const Step& step : steps) start(step);
      while (!waiting_.empty() || !coming_.empty()) serve(true);
      device_.finish(device_.mark(Queue::out));
      device_.finish(device_.mark(Queue::multiply));
      device_.finish(device_.mark(Queue::in));
    } catch (...) {
      device_.abandon();
      throw;
    }
  }

 private:
  using Mark = typename Device::Mark;

  /// A part of C that is copied back.
  struct Part {
    Lines<const T> from;
    Lines<T> to;
    Mark computed;
  };
  struct Coming {
    Part part;
    Lines<const T> buffer;
    Mark arrived;
  };

  void start(const Step& step) {
    if (!step.a.empty()) send(a_, step.a);
    if (!step.b.empty()) send(b_, step.b);
    if (!step.c.empty()) send(c_, step.c);
    if (step.product.empty()) return;
    const Block& p = step.product;
    device_.order(Queue::multiply, device_.mark(Queue::in));
    progress_->wrote = progress_->wrote || !c_.on_host || (c_.reachable && step.last);
    device_.multiply(GemmArgs<T>{alpha_, a_.device.block(p.row, step.k, p.rows, step.depth),
                                 b_.device.block(step.k, p.col, step.depth, p.cols),
                                 step.first ? beta_ : Scalar<T>(1),
                                 c_.device.block(p.row, p.col, p.rows, p.cols)});
    if (!step.last || !c_.on_host) return serve(false);
    const Mark computed = device_.mark(Queue::multiply);
    const Lines<T> from = c_.copy.block(p), to = c_.host.block(p);
    if (c_.reachable) {
      device_.order(Queue::out, computed);
      return device_.receive(read_only(from), to);
    }
    for_each_part(to, [&](Index line, Index lines, Index first, Index elements) {
      waiting_.push_back({read_only(from.part(line, lines, first, elements)),
                          to.part(line, lines, first, elements), computed});
    });
    serve(false);
  }

  template <class E>
  void send(const Place<E>& x, const Block& block) {
    const Lines<const T> from = read_only(x.host.block(block));
    const Lines<T> to = x.copy.block(block);
    if (x.reachable) return device_.send(from, to);
    for_each_chunk(from, buffer_elements(), [&](Index line, Index lines, Index first, Index elements) {
      const auto number = static_cast<std::size_t>(next_in_);
      next_in_ = (next_in_ + 1) % buffers_per_queue;
      while (sent_[number].busy && !device_.is_done(sent_[number].mark)) serve(false);
      const Lines<T> buffer = buffer_of(Queue::in, static_cast<int>(number), lines, elements, from.are_rows);
      copy_lines(from.part(line, lines, first, elements), buffer, copiers_);
      device_.send(read_only(buffer), to.part(line, lines, first, elements));
      sent_[number] = {device_.mark(Queue::in), true};
      serve(false);
    });
  }

  /// Starts copying parts of C while there are free buffers. Stores the oldest part if it has arrived.
  void serve(bool wait) {
    while (!waiting_.empty() && coming_.size() < buffers_per_queue) {
      const Part part = waiting_.front();
      waiting_.pop_front();
      const Lines<T> buffer =
          buffer_of(Queue::out, next_out_, part.from.count, part.from.length, part.from.are_rows);
      next_out_ = (next_out_ + 1) % buffers_per_queue;
      device_.order(Queue::out, part.computed);
      device_.receive(part.from, buffer);
      coming_.push_back({part, read_only(buffer), device_.mark(Queue::out)});
    }
    if (coming_.empty()) return;
    const Coming& oldest = coming_.front();
    if (wait)
      device_.finish(oldest.arrived);
    else if (!device_.is_done(oldest.arrived))
      return;
    copy_lines(oldest.buffer, oldest.part.to, copiers_);
    ++progress_->stored;
    coming_.pop_front();
  }

  static constexpr Index buffer_elements() { return static_cast<Index>(Device::buffer_bytes / sizeof(T)); }
  Lines<T> buffer_of(Queue queue, int number, Index lines, Index elements, bool rows) const {
    return {static_cast<T*>(device_.buffer(queue, number)), lines, elements, elements, rows};
  }
  template <class E>
  static Lines<const T> read_only(const Lines<E>& x) {
    return {x.data, x.count, x.length, x.pitch, x.are_rows};
  }

  struct Sent {
    Mark mark{};
    bool busy = false;
  };

  Device& device_;
  Scalar<T> alpha_, beta_;
  Place<const T> a_, b_;
  Place<T> c_;
  Copiers copiers_;
  std::array<Sent, buffers_per_queue> sent_{};
  int next_in_ = 0, next_out_ = 0;
  std::deque<Part> waiting_;   // waiting for a buffer
  std::deque<Coming> coming_;  // in buffers, in order
  Progress* progress_ = nullptr;
};

}  // namespace rooftile::gpu
