// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cfenv>

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

}  // namespace rooftile::portable
