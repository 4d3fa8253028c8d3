// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cfenv>

#include "cpu/thread_of_launch.hpp"
#include "rooftile/matrix.hpp"

namespace rooftile::portable {

/// The calling thread's floating-point control register: rounding mode and flushing of subnormal numbers. The
/// x86 register also holds raised exceptions, which these functions do not change.
#if defined(__x86_64__)
inline constexpr unsigned raised_exceptions = 0x3f;
inline unsigned rounding() {
  return __builtin_ia32_stmxcsr() & ~raised_exceptions;
}
inline void set_rounding(unsigned mode) {
  __builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & raised_exceptions) | mode);
}
#elif defined(__aarch64__) && defined(__GNUC__) && !defined(__clang__)
inline unsigned rounding() {
  return __builtin_aarch64_get_fpcr();
}
inline void set_rounding(unsigned mode) {
  __builtin_aarch64_set_fpcr(mode);
}
#else
inline unsigned rounding() {
  return static_cast<unsigned>(std::fegetround());
}
inline void set_rounding(unsigned mode) {
  std::fesetround(static_cast<int>(mode));
}
#endif

/// Sets a rounding mode, and restores the thread's own mode on destruction.
class RoundingScope {
 public:
  explicit RoundingScope(unsigned wanted) : own_(rounding()), changed_(own_ != wanted) {
    if (changed_) set_rounding(wanted);
  }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;
  ~RoundingScope() {
    if (changed_) set_rounding(own_);
  }

 private:
  unsigned own_;
  bool changed_;
};

/// The threads that share products, independent of the runtime that starts them.
class Threads {
 public:
  /// A functor for `start`. Runs in the rounding mode of the thread that created this object. Stores a
  /// reference: the functor must outlive the launch.
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

  /// The number of threads.
  virtual int count() const = 0;
  /// Whether the calling thread computes without other threads: because there are none, or because it is
  /// already one of the threads, and must not wait for another.
  virtual bool computes_alone() const = 0;
  /// The calling thread among those that `start` started.
  virtual ThreadOfLaunch this_thread() const = 0;
  /// Calls work(i) for each i below `size` and waits. Each call has its own thread if there are enough
  /// threads.
  virtual void start(Index size, Work work) const = 0;

 protected:
  ~Threads() = default;
};

}  // namespace rooftile::portable
