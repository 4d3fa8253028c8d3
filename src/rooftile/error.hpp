// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <source_location>
#include <sstream>
#include <stdexcept>
#include <string>

namespace rooftile {

/// Every refused request, raised on the host before anything is launched or written.
/// The message reads `<problem> (<the values>): <what to do>`.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, std::source_location where = std::source_location::current())
      : std::runtime_error(message), where_(where) {}

  /// Where the library noticed the problem.
  const std::source_location& where() const noexcept { return where_; }

 private:
  std::source_location where_;
};

namespace detail {

/// The parts printed one after the other; used only on the way to an Error.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

}  // namespace detail
}  // namespace rooftile
