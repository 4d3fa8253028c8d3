// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "rooftile/error.hpp"

namespace rooftile::perf {

/// Distinguishes devices with equal names: Zen 4 and Zen 5 CPUs may both be named `AMD EPYC`.
struct Hardware {
  int family = 0;      ///< CPUID family of an x86 CPU; 0: not known
  int model = 0;       ///< CPUID model within the family; 0 is a valid model
  int memory_gib = 0;  ///< memory of a GPU (`rounded_gib`); 0: not known

  bool is_known() const { return family > 0 || memory_gib > 0; }

  friend bool operator==(const Hardware&, const Hardware&) = default;
};

/// Bytes in GiB, rounded up: the amount of GPU memory that the driver reserves varies with its version.
constexpr int rounded_gib(std::size_t bytes) {
  constexpr std::size_t gib = std::size_t{1} << 30;
  return static_cast<int>((bytes + gib - 1) / gib);
}

/// Device name and known hardware: `AMD EPYC, family 25, model 17`, `NVIDIA H200, 140 GiB`. Two devices are
/// considered equal if these texts are equal.
inline std::string identity(const std::string& name, const Hardware& hardware) {
  using detail::text;
  std::string words = name;
  if (hardware.family > 0) words += text(", family ", hardware.family, ", model ", hardware.model);
  if (hardware.memory_gib > 0) words += text(", ", hardware.memory_gib, " GiB");
  return words;
}

}  // namespace rooftile::perf
