// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "rooftile/log.hpp"

/// @file
/// A line of a log: words `key=value` in a fixed order, one blank apart (docs/bench.md). Writing a line
/// allocates no memory. The parser accepts only lines that `LogLine` writes.

namespace rooftile {

/// Returns 0, 1, -1, or `x` for any other number.
std::string_view to_string(Factor factor) noexcept;

/// The log line of a call.
class LogLine {
 public:
  /// Formats a call. Blanks in texts become underscores. Texts longer than 128 characters are truncated.
  explicit LogLine(const LoggedCall& call) noexcept;

  /// Returns the line without the line feed.
  std::string_view text() const noexcept { return {text_.data(), length_}; }

  /// Passes the line to a sink, in one call.
  void write(const LogSink& sink) const noexcept { sink.write(text_.data(), length_ + 1, sink.context); }

 private:
  void add(std::string_view text) noexcept;
  template <class Number>
  void add_number(Number value) noexcept;
  void key(std::string_view name) noexcept;
  void word(std::string_view name, std::string_view value) noexcept;
  void word(std::string_view name, Index value) noexcept;
  void word(std::string_view name, double value) noexcept;
  void word(std::string_view name, const LoggedOperand& x) noexcept;

  std::array<char, 2048> text_;  // the longest line has 1,700 characters
  std::size_t length_ = 0;
};

/// Parses a line. The texts of the call refer to `line`. @param line  without the line feed
/// @throws Error  with file, line number and value, if `LogLine` would not write this line
LoggedCall parse_logged(std::string_view line, std::string_view file, Index number);

}  // namespace rooftile
