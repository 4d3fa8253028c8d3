// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cfenv>

namespace rooftile::portable {

/// How a thread rounds, and whether it flushes subnormal numbers to zero.
#if defined(__x86_64__)
class Rounding {
 public:
  static Rounding of_this_thread() { return Rounding(__builtin_ia32_stmxcsr()); }
  void set() const { __builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & flags) | mode_); }
  friend bool operator==(const Rounding&, const Rounding&) = default;

 private:
  static constexpr unsigned flags = 0x3f;  // exceptions that were raised, which are the thread's own

  explicit Rounding(unsigned mxcsr) : mode_(mxcsr & ~flags) {}

  unsigned mode_;
};
#elif defined(__aarch64__) && defined(__GNUC__) && !defined(__clang__)
class Rounding {
 public:
  static Rounding of_this_thread() { return Rounding(__builtin_aarch64_get_fpcr()); }
  void set() const { __builtin_aarch64_set_fpcr(mode_); }
  friend bool operator==(const Rounding&, const Rounding&) = default;

 private:
  explicit Rounding(unsigned fpcr) : mode_(fpcr) {}

  unsigned mode_;
};
#else
class Rounding {
 public:
  static Rounding of_this_thread() { return Rounding(std::fegetround()); }
  void set() const { std::fesetround(mode_); }
  friend bool operator==(const Rounding&, const Rounding&) = default;

 private:
  explicit Rounding(int mode) : mode_(mode) {}

  int mode_;
};
#endif

/// Sets a rounding mode, and the thread's own again at its end.
class RoundingScope {
 public:
  explicit RoundingScope(const Rounding& wanted)
      : own_(Rounding::of_this_thread()), changed_(own_ != wanted) {
    if (changed_) wanted.set();
  }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;
  ~RoundingScope() {
    if (changed_) own_.set();
  }

 private:
  Rounding own_;
  bool changed_;
};

}  // namespace rooftile::portable
