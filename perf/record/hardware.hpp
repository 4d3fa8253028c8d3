// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "rooftile/error.hpp"

namespace rooftile::perf {

/// Tells devices of one name apart: Zen 4 and Zen 5 may both call themselves `AMD EPYC`.
struct Hardware {
  int family = 0;      ///< of an x86 CPU, as CPUID has it; 0: not known
  int model = 0;       ///< in that family, where 0 is a model, too
  int memory_gib = 0;  ///< of a GPU (`rounded_gib`); 0: not known

  bool is_known() const { return family > 0 || memory_gib > 0; }

  friend bool operator==(const Hardware&, const Hardware&) = default;
};

/// Whole GiB, rounded up: a driver keeps some of a GPU's memory, one version more than another.
constexpr int rounded_gib(std::size_t bytes) {
  constexpr std::size_t gib = std::size_t{1} << 30;
  return static_cast<int>((bytes + gib - 1) / gib);
}

/// A name with what is known beside it: `AMD EPYC, family 25, model 17`, `NVIDIA H200, 140 GiB`. Devices are
/// the same where this is.
inline std::string identity(const std::string& name, const Hardware& hardware) {
  using detail::text;
  std::string words = name;
  if (hardware.family > 0) words += text(", family ", hardware.family, ", model ", hardware.model);
  if (hardware.memory_gib > 0) words += text(", ", hardware.memory_gib, " GiB");
  return words;
}

}  // namespace rooftile::perf
