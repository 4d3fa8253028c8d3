// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

#include "rooftile/error.hpp"

/// @file
/// The instruction sets that the CPU kernels are compiled for, and the choice of one for this CPU.

#define ROOFTILE_JOINED(name, set) name##_##set
#define ROOFTILE_JOIN(name, set) ROOFTILE_JOINED(name, set)
/// Appends to a variable name the instruction set that the source file is compiled for.
#define ROOFTILE_IN_SET(name) ROOFTILE_JOIN(name, ROOFTILE_SET)

namespace rooftile::portable {

/// The names of the instruction sets, best first.
inline constexpr std::string_view instruction_sets[] = {
#define INSTRUCTION_SET(name) #name,
#include "instruction_sets.inc"
#undef INSTRUCTION_SET
};

#if defined(__x86_64__)
/// Whether this CPU and its operating system support an instruction set. Queries only feature names that
/// clang 14 knows. Every CPU with AVX2 has the other features of x86-64-v3 (F16C, LZCNT, MOVBE).
inline bool runs_here(std::string_view set) {
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  if (set == "avx512_bf16")
    return avx512 && __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vnni");
  if (set == "avx512") return avx512;
  if (set == "avx2")
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  return true;
}
#elif defined(__aarch64__) && defined(__linux__)
/// The length of the SVE vectors of this process in bits; 0 without SVE. Linux may set a shorter length than
/// that of the CPU.
inline int sve_bits() {
  if ((getauxval(AT_HWCAP) & HWCAP_SVE) == 0) return 0;
  const int length = prctl(PR_SVE_GET_VL);
  return length < 0 ? 0 : 8 * (length & PR_SVE_VL_LEN_MASK);
}

/// Whether this CPU supports an instruction set. An SVE set requires exactly its own vector length.
inline bool runs_here(std::string_view set) {
  if (set == "sve512") return sve_bits() == 512;
  if (set == "sve256") return sve_bits() == 256;
  return true;
}
#else
/// Every CPU supports the only instruction set of this architecture.
inline bool runs_here(std::string_view) {
  return true;
}
#endif

/// The names of the instruction sets that this CPU supports.
inline std::string sets_here() {
  std::string names;
  for (const std::string_view set : instruction_sets) {
    if (runs_here(set)) names += (names.empty() ? "" : ", ") + std::string(set);
  }
  return names;
}

/// Why ROOFTILE_ISA cannot have a value here; empty if it can.
inline std::string isa_problem(std::string_view wanted) {
  const auto* const set = std::find(std::begin(instruction_sets), std::end(instruction_sets), wanted);
  if (set != std::end(instruction_sets) && runs_here(*set)) return {};
  return detail::text("instruction set that this CPU or this build lacks (ROOFTILE_ISA=", wanted,
                      "): take one of ", sets_here());
}

/// The index of the instruction set in use: the one that ROOFTILE_ISA names, else the best. If the named set
/// is unavailable, a line on standard error says so, and the best set is used. The choice affects results
/// only through rounding.
inline std::size_t chosen_set() {
  static const auto chosen = [] {
    const char* const wanted = std::getenv("ROOFTILE_ISA");
    if (wanted != nullptr && *wanted != '\0') {
      const std::string problem = isa_problem(wanted);
      if (problem.empty()) return std::find(std::begin(instruction_sets), std::end(instruction_sets), wanted);
      std::fprintf(stderr, "rooftile: %s\n", problem.c_str());
    }
    return std::find_if(std::begin(instruction_sets), std::end(instruction_sets), runs_here);
  }() - std::begin(instruction_sets);
  return static_cast<std::size_t>(chosen);
}

}  // namespace rooftile::portable
