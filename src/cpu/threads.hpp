// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cfenv>

#include "cpu/thread_of_launch.hpp"
#include "rooftile/matrix.hpp"

namespace rooftile::portable {

/// The calling thread's control register, which says how it rounds and whether it flushes subnormal numbers
/// to zero. The register of x86 also has the exceptions that were raised, which stay the thread's own.
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

/// Sets a rounding mode, and the thread's own again at its end.
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
