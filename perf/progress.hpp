// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>

#include <fmt/core.h>
#include <unistd.h>

namespace rooftile::perf {

/// One line on the terminal that the next one overwrites; nothing where nobody watches.
class Progress {
 public:
  void operator()(const std::string& text) const {
    if (watched_) fmt::print(stderr, "\r\033[K{}", text);
  }
  ~Progress() {
    if (watched_) fmt::print(stderr, "\r\033[K");
  }

 private:
  bool watched_ = isatty(STDERR_FILENO) != 0;
};

}  // namespace rooftile::perf
