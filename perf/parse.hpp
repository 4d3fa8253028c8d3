// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/error.hpp"
#include "rooftile/model/limits.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/tile.hpp"

/// Parsers for command-line values. A parser accepts the whole text or none of it: decimal digits, no sign
/// and no spaces.
namespace rooftile::perf {

enum class Reading { fine, no_number, out_of_range };

/// Reads a whole number from `least` to `most`. Digits are decimal: `010` is ten.
template <class Whole>
Reading read_whole(std::string_view text, Whole least, Whole most, Whole& value) {
  const char* const last = text.data() + text.size();
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) {
    const bool negative =
        text.size() > 1 && text[0] == '-' && text.find_first_not_of("0123456789", 1) == text.npos;
    return negative ? Reading::out_of_range : Reading::no_number;
  }
  const auto [end, problem] = std::from_chars(text.data(), last, value);
  return problem == std::errc() && value >= least && value <= most ? Reading::fine : Reading::out_of_range;
}

/// Reads a number from `least` to `most`, such as `0.25` or `1e-3`; NaN is refused.
inline Reading read_number(std::string_view text, double least, double most, double& value) {
  const char* const last = text.data() + text.size();
  const auto [end, problem] = std::from_chars(text.data(), last, value);
  if (problem == std::errc::invalid_argument || end != last || std::isnan(value)) return Reading::no_number;
  return problem == std::errc() && value >= least && value <= most ? Reading::fine : Reading::out_of_range;
}

/// Reads a byte count: `4096`, `4KB` (of 1,024) or `4KiB`, up to GB, in upper or lower case.
inline Reading read_bytes(std::string_view text, Index least, Index most, Index& value) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string name(text.substr(digits));
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  Index unit = 1;
  if (!name.empty() && name != "b") {
    const std::size_t power = std::string_view("kmg").find(name.front());
    const std::string rest = name.substr(1);
    if (power == std::string_view::npos || (!rest.empty() && rest != "b" && rest != "ib")) {
      return Reading::no_number;
    }
    unit <<= 10 * (power + 1);
  }
  const Reading count = read_whole(text.substr(0, digits), Index{0}, most / unit, value);
  if (count != Reading::fine) return count;
  value *= unit;
  return value >= least ? Reading::fine : Reading::out_of_range;
}

/// Reads whole numbers separated by `x`, such as `16x16`; empty for any other text.
inline std::vector<Index> extents_in(std::string_view text) {
  std::vector<Index> extents;
  while (true) {
    const std::size_t length = std::min(text.find('x'), text.size());
    Index extent = 0;
    if (read_whole(text.substr(0, length), Index{0}, std::numeric_limits<Index>::max(), extent) !=
        Reading::fine) {
      return {};
    }
    extents.push_back(extent);
    if (length == text.size()) return extents;
    text.remove_prefix(length + 1);
  }
}

/// Reads `2000x3000x2500` (m, n, k), or `512` for all three. @throws Error for any other text
inline GemmShape parse_shape(const std::string& text) {
  const std::vector<Index> extents = extents_in(text);
  if (extents.size() == 1) return {extents[0], extents[0], extents[0]};
  if (extents.size() == 3) return {extents[0], extents[1], extents[2]};
  throw Error(
      detail::text("not a shape (--shape ", text, "): write MxNxK, such as 2000x3000x2500, or one size"));
}

/// Reads `256`, `16x16` or `4x5x3` and returns the product of the extents.
/// @throws Error that names the option
inline model::Count parse_extents(const std::string& option, const std::string& text) {
  const std::vector<Index> extents = extents_in(text);
  model::Count product = extents.empty() ? 0 : 1;
  for (const Index extent : extents) {
    product = extent < 1 || extent > model::unlimited / product ? 0 : product * extent;
    if (product == 0) break;
  }
  if (product > 0) return product;
  throw Error(detail::text("not a count (", option, ' ', text, "): write 256 or 16x16, 1 to ",
                           model::unlimited, " in all"));
}

/// Upper limit of tile extents: larger than any thread block's tile, small enough that products of several
/// extents cannot overflow.
inline constexpr Index max_tile_extent = 32768;

/// Reads a tile, `16` (T×T), `BMxBN` (no shared memory) or `BMxBNxBK`, and a thread's tile, `TMxTN`.
/// @throws Error that names the option
inline TileShape parse_tile(const std::string& text, const std::string& per_thread) {
  const auto extents = [](const std::string& of) {
    std::vector<Index> found = extents_in(of);
    for (const Index extent : found) {
      if (extent < 1 || extent > max_tile_extent) return std::vector<Index>{};
    }
    return found;
  };
  const std::vector<Index> thread = extents(per_thread);
  if (thread.size() != 2) {
    throw Error(
        detail::text("not a thread's tile (--thread-tile ", per_thread, "): write TMxTN, such as 8x8"));
  }
  std::vector<Index> block = extents(text);
  if (block.size() == 1) block = {block[0], block[0], block[0]};
  if (block.size() == 2) block.push_back(1);
  if (block.size() != 3 || block[0] % thread[0] != 0 || block[1] % thread[1] != 0) {
    throw Error(detail::text("not a tile (--tile ", text, ", --thread-tile ", per_thread,
                             "): write T, BMxBN or BMxBNxBK that a thread's tile divides, none above ",
                             max_tile_extent));
  }
  const auto narrow = [](Index x) { return static_cast<int>(x); };
  return {narrow(block[0]), narrow(block[1]), narrow(block[2]), narrow(thread[0]), narrow(thread[1])};
}

}  // namespace rooftile::perf
