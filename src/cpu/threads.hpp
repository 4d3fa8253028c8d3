// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/rounding.hpp"
#include "cpu/thread_of_launch.hpp"
#include "rooftile/matrix.hpp"

namespace rooftile::portable {

/// The threads that share products, of whichever runtime starts them.
class Threads {
 public:
  /// A functor that `start` calls, in the rounding mode of the thread that made this. It refers to the
  /// functor, which outlives the launch.
  class Work {
   public:
    template <class F>
    explicit Work(const F& functor)
        : functor_(&functor), call_([](const void* f, Index i) { (*static_cast<const F*>(f))(i); }) {}

    void operator()(Index i) const {
      const RoundingScope scope(rounding_);
      call_(functor_, i);
    }

   private:
    const void* functor_;
    void (*call_)(const void*, Index);
    unsigned rounding_ = rounding();
  };

  /// How many there are.
  virtual int count() const = 0;
  /// Whether the calling thread computes without the others: there are none, or it is one of them already,
  /// which cannot wait for another.
  virtual bool computes_alone() const = 0;
  /// The calling one, of those that were started.
  virtual ThreadOfLaunch this_thread() const = 0;
  /// Calls work(i) for each i below `size`, each by a thread of its own if there are enough, and waits.
  virtual void start(Index size, Work work) const = 0;

 protected:
  ~Threads() = default;
};

}  // namespace rooftile::portable
