// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "svg.hpp"

namespace rooftile::perf {

/// Makes PNG of pictures, for papers and slides, with a program of this machine: `rsvg-convert`, or Chromium.
class Png {
 public:
  /// @param option  that asks for it, with its value
  /// @throws Error  where the machine has no such program, with what to install
  explicit Png(const std::string& option);

  /// A picture of three times as many pixels as it has without, in the light.
  /// @throws Error that names the picture and what the program said, where it made none
  std::string of(const Svg& picture) const;

 private:
  std::string option_;
  std::string program_;  ///< with its path
  bool is_browser_;
};

}  // namespace rooftile::perf
