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

/// Whether OpenBLAS computes with less than the CPU has: then its figures mean little.
namespace rooftile::perf {

/// Instructions of x86-64 CPUs that OpenBLAS' kernels differ by.
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

/// What the kernels of an OpenBLAS' core use, by the names that `openblas_get_corename` gives (in
/// driver/others/dynamic.c of its sources), in whatever case.
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

/// What to say of an OpenBLAS that is held below its CPU; empty where it is not, or where the CPU's vectors
/// are not known.
inline std::string held_below_cpu(const std::string& core, const std::string& forced, Vectors cpu) {
  const Vectors taken = vectors_of_core(core);
  if (taken >= cpu) return {};
  const std::string problem = detail::text(
      "the vendor is held below this CPU (OpenBLAS takes its kernels for ", core, ", ",
      vectors_names[static_cast<int>(taken)], ", of a CPU with ", vectors_names[static_cast<int>(cpu)],
      forced.empty() ? "" : ", OPENBLAS_CORETYPE=" + forced, "): ");
  if (!forced.empty()) return problem + "unset OPENBLAS_CORETYPE";
  return problem + "set OPENBLAS_CORETYPE=" +
         (cpu == Vectors::avx512 ? "SkylakeX"
          : cpu == Vectors::avx2 ? "Haswell"
                                 : "Sandybridge") +
         ", or take a newer OpenBLAS";
}

/// Which CPU's kernels OpenBLAS took, which decides what its figures mean; empty where it is another library.
/// @param where  as `dlsym` takes it
inline std::string openblas_core(void* where = RTLD_DEFAULT) {
  void* const corename = dlsym(where, "openblas_get_corename");
  return corename == nullptr ? "" : reinterpret_cast<char* (*)()>(corename)();
}

/// What to say of it here; empty: nothing.
inline std::string openblas_warning(const std::string& core) {
  const char* const forced = std::getenv("OPENBLAS_CORETYPE");
  return core.empty() ? "" : held_below_cpu(core, forced == nullptr ? "" : forced, vectors_here());
}

}  // namespace rooftile::perf
