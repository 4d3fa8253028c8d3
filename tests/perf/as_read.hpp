// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "perf/record/json_value.hpp"

namespace rooftile::perf {

/// A written value as another program would read it.
inline nlohmann::ordered_json as_read(const Json& written) {
  return nlohmann::ordered_json::parse(written.dump());
}

}  // namespace rooftile::perf
