// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "arguments.hpp"
#include "record/record.hpp"

namespace rooftile::perf {

std::string version_text() {
  const Origin build = origin_here();
  std::string text = "rooftile " + build.rooftile;
  const auto add = [&](const char* name, const std::string& value) {
    text += fmt::format("\n{:<12}{}", name, value.empty() ? "none" : value);
  };
  add("commit", build.commit);
  add("build type", ROOFTILE_BUILD_TYPE);
  add("compiler", build.compiler);
  add("portable", ROOFTILE_PORTABLE);
  add("native CUDA", ROOFTILE_NATIVE);
  add("baselines", ROOFTILE_BASELINES);
  add("options", ROOFTILE_OPTIONS);
  return text;
}

}  // namespace rooftile::perf
