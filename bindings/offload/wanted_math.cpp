// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "bindings/offload/wanted_math.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "plan/log_sink.hpp"

namespace rooftile::bindings {

namespace {

using Wanted = std::array<ComputeMode, mode_count>;  // indexed by own mode

/// Prints a line about an unknown name, with the possible names.
void say_unknown(std::string_view name) noexcept {
  std::array<char, 256> known{};
  std::size_t length = 0;
  for (const ComputeMode math : ladder_modes::cpus) {
    if (mode_of(math).is_own()) continue;
    for (const std::string_view part : {std::string_view(length > 0 ? ", " : ""), to_string(math)})
      length += part.copy(known.data() + length, known.size() - 1 - length);
  }
  std::fprintf(stderr,
               "rooftile: not an additional compute mode of CPUs (ROOFTILE_MATH, %.*s): take one of %s\n",
               static_cast<int>(std::min<std::size_t>(name.size(), 64)), name.data(), known.data());
}

Wanted read_environment() noexcept {
  Wanted wanted = all_modes;
  const char* const value = detail::environment("ROOFTILE_MATH");
  std::string_view rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    const auto* const found = std::find_if(std::begin(ladder_modes::cpus), std::end(ladder_modes::cpus),
                                           [&](ComputeMode math) { return to_string(math) == name; });
    if (found == std::end(ladder_modes::cpus)) {
      if (!name.empty()) say_unknown(name);
      continue;
    }
    const Mode& mode = mode_of(*found);
    wanted[static_cast<std::size_t>(own_mode(mode.element, mode.result))] = *found;
  }
  return wanted;
}

}  // namespace

ComputeMode wanted_math(ComputeMode own) noexcept {
  static const Wanted wanted = read_environment();
  return wanted[static_cast<std::size_t>(own)];
}

}  // namespace rooftile::bindings
