// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "rooftile/log.hpp"

/// @file
/// A line of a log: words `key=value` in one order, one blank apart (docs/bench.md). Written without any memory
/// but the line's own, and read strictly.

namespace rooftile {

/// `x` stands for any other number.
std::string_view to_string(Factor factor) noexcept;

/// A call as a line.
class LogLine {
 public:
  /// Blanks in texts become underscores; what is longer than any name is cut off.
  explicit LogLine(const LoggedCall& call) noexcept;

  /// Without the line feed.
  std::string_view text() const noexcept { return {text_.data(), length_}; }

  /// Hands it on, in one piece.
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

  std::array<char, 2048> text_;  // all words at their longest have 1,400
  std::size_t length_ = 0;
};

/// The call of a line, whose texts are the line's. @param line  without the line feed
/// @throws Error  that names file, number and value where it is not a line that `LogLine` writes
LoggedCall parse_logged(std::string_view line, std::string_view file, Index number);

}  // namespace rooftile
