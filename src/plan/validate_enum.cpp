// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/validate_enum.hpp"

#include <string>

#include "rooftile/error.hpp"
#include "rooftile/find_kernel.hpp"
#include "rooftile/ladder.hpp"

namespace rooftile::detail {

void validate_enum(Kernel kernel) {
  const int value = static_cast<int>(kernel);
  if (value >= -1 && value < static_cast<int>(rung_count)) return;
  throw Error(text("no such kernel (", value, "): take automatic or one of ", kernel_names()));
}

void validate_enum(ComputeMode math) {
  const int value = static_cast<int>(math);
  if (value >= -1 && value < static_cast<int>(mode_count)) return;
  std::string names;
  for (const ComputeMode other : all_modes)
    names += (names.empty() ? "" : ", ") + std::string(to_string(other));
  throw Error(text("no such compute mode (", value, "): take automatic or one of ", names));
}

void validate_enum(Path path) {
  if (path == Path::portable || path == Path::native) return;
  throw Error(text("no such path (", static_cast<int>(path), "): take portable or native"));
}

}  // namespace rooftile::detail
