// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rooftile::perf {

/// A text as it stands in XML and HTML, between tags and in attributes alike: whatever a file says, it is no
/// markup. Characters that XML has no place for, such as the control characters, become U+FFFD.
/// @pre UTF-8, as the reader of JSON sees to
inline std::string markup(std::string_view text) {
  constexpr std::string_view none = "\xEF\xBF\xBD";
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else if (c == '\'') {
      result += "&#39;";
    } else if (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n') {
      result += none;
    } else if (text.substr(i, 3) == "\xEF\xBF\xBE" || text.substr(i, 3) == "\xEF\xBF\xBF") {
      result += none;
      i += 2;
    } else {
      result += c;
    }
  }
  return result;
}

/// The same for JSON that stands in a `script` element: nothing in it ends the element or is a tag.
/// @param json  with all beyond ASCII escaped
inline std::string json_in_markup(std::string_view json) {
  std::string result;
  for (const char c : json) {
    if (c == '<' || c == '>' || c == '&') {
      result += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : "\\u0026";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace rooftile::perf
