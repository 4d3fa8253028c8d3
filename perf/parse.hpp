// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <string>
#include <string_view>

#include "rooftile/error.hpp"
#include "rooftile/problem.hpp"

namespace rooftile::perf {

/// `2000x3000x2500` (m, n, k) or `512` for all three. @throws Error for anything else
inline GemmShape parse_shape(const std::string& text) {
  Index extents[3];
  int count = 0;
  std::string_view rest = text;
  while (true) {
    Index value = 0;
    const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    const auto read = static_cast<std::size_t>(end - rest.data());
    const bool at_end = read == rest.size();
    if (problem != std::errc() || value < 0 || count == 3 || (!at_end && rest[read] != 'x')) {
      throw Error(
          detail::text("not a shape (--shape ", text, "): write MxNxK, such as 2000x3000x2500, or one size"));
    }
    extents[count++] = value;
    if (at_end) break;
    rest.remove_prefix(read + 1);
  }
  if (count == 1) return {extents[0], extents[0], extents[0]};
  if (count == 3) return {extents[0], extents[1], extents[2]};
  throw Error(
      detail::text("not a shape (--shape ", text, "): write MxNxK, such as 2000x3000x2500, or one size"));
}

}  // namespace rooftile::perf
