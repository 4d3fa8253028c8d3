// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cctype>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include <dlfcn.h>

#include "rooftile/error.hpp"

/// Detects an OpenBLAS that does not use all vector instructions of the CPU, which makes comparisons unfair.
namespace rooftile::perf {

/// Vector instructions of x86-64 that distinguish OpenBLAS kernels.
enum class Vectors { other, avx, avx2, avx512 };
inline constexpr std::string_view vectors_names[] = {"less than AVX", "AVX", "AVX2", "AVX-512"};

inline Vectors vectors_here() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) return Vectors::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Vectors::avx2;
  if (__builtin_cpu_supports("avx")) return Vectors::avx;
#endif
  return Vectors::other;
}

/// The vector instructions of an OpenBLAS core type. Names are as in `openblas_get_corename`
/// (driver/others/dynamic.c in the OpenBLAS sources), in upper or lower case.
inline Vectors vectors_of_core(std::string core) {
  for (char& c : core) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& [name, vectors] : {std::pair{"sandybridge", Vectors::avx},
                                      {"bulldozer", Vectors::avx},
                                      {"piledriver", Vectors::avx},
                                      {"steamroller", Vectors::avx},
                                      {"excavator", Vectors::avx2},
                                      {"haswell", Vectors::avx2},
                                      {"zen", Vectors::avx2},
                                      {"skylakex", Vectors::avx512},
                                      {"cooperlake", Vectors::avx512},
                                      {"sapphirerapids", Vectors::avx512}}) {
    if (core == name) return vectors;
  }
  return Vectors::other;
}

/// A warning if OpenBLAS uses less than the CPU's vector instructions; empty if it uses them all or the CPU
/// is unknown.
inline std::string held_below_cpu(const std::string& core, const std::string& forced, Vectors cpu) {
  const Vectors taken = vectors_of_core(core);
  if (taken >= cpu) return {};
  const std::string problem = detail::text(
      "the vendor library does not use all of this CPU (OpenBLAS runs its kernels for ", core, ", ",
      vectors_names[static_cast<int>(taken)], ", on a CPU with ", vectors_names[static_cast<int>(cpu)],
      forced.empty() ? "" : ", OPENBLAS_CORETYPE=" + forced, "): ");
  if (!forced.empty()) return problem + "unset OPENBLAS_CORETYPE";
  return problem + "set OPENBLAS_CORETYPE=" +
         (cpu == Vectors::avx512 ? "SkylakeX"
          : cpu == Vectors::avx2 ? "Haswell"
                                 : "Sandybridge") +
         ", or take a newer OpenBLAS";
}

/// The core type that OpenBLAS selected; empty for another library.
/// @param where  a handle for `dlsym`
inline std::string openblas_core(void* where = RTLD_DEFAULT) {
  void* const corename = dlsym(where, "openblas_get_corename");
  return corename == nullptr ? "" : reinterpret_cast<char* (*)()>(corename)();
}

/// The warning for this CPU and environment; empty: none.
inline std::string openblas_warning(const std::string& core) {
  const char* const forced = std::getenv("OPENBLAS_CORETYPE");
  return core.empty() ? "" : held_below_cpu(core, forced == nullptr ? "" : forced, vectors_here());
}

}  // namespace rooftile::perf
