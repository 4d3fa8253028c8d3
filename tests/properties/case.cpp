// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "case.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <sstream>
#include <string_view>
#include <vector>

#include "rooftile/error.hpp"

namespace rooftile::testing {
namespace {

std::string to_string(const Placing& p) {
  std::string text = name_of(p.storage);
  const auto add = [&](const char* name, Index value) {
    if (value != 0) text += ',' + std::string(name) + std::to_string(value);
  };
  add("pad", p.pad), add("shift", p.shift), add("gap", p.gap);
  if (p.shared) text += ",shared";
  if (p.behind) text += ",behind";
  if (p.conjugated) text += ",conjugated";
  if (p.pointers) text += ",pointers";
  if (p.shared_inner) text += ",shared_inner";
  if (p.shared_outer) text += ",shared_outer";
  if (p.crossed) text += ",crossed";
  if (p.woven) text += ",woven";
  return text;
}

[[noreturn]] void refuse(std::string_view word) {
  throw Error(detail::text("no part of a case (", word, "): write it as tests/properties/cases.txt does"));
}

template <class Number>
Number number(std::string_view text) {
  Number value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || value < Number{0}) refuse(text);
  return value;
}

/// A part of alpha or beta, which may be negative.
double part_of_factor(std::string_view text) {
  const bool negative = text.starts_with('-');
  const double size = number<double>(text.substr(negative ? 1 : 0));
  return negative ? -size : size;
}

/// Alpha and beta: `2` or `(2,-1)`.
complex<double> factor(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (!text.starts_with('(') || !text.ends_with(')') || comma == text.npos) return part_of_factor(text);
  return {part_of_factor(text.substr(1, comma - 1)),
          part_of_factor(text.substr(comma + 1, text.size() - comma - 2))};
}

void write_factor(std::ostream& out, const char* name, complex<double> value) {
  out << ' ' << name << '=';
  value.im == 0 ? out << value.re : out << value;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

Placing parse_placing(const std::string& text) {
  Placing placing;
  for (const std::string& part : split(text, ',')) {
    const std::string_view word = part;
    const auto storage = std::find(std::begin(storage_names), std::end(storage_names), word);
    if (storage != std::end(storage_names)) {
      placing.storage = static_cast<Storage>(storage - std::begin(storage_names));
    } else if (word.starts_with("pad")) {
      placing.pad = number<Index>(word.substr(3));
    } else if (word.starts_with("shift")) {
      placing.shift = number<Index>(word.substr(5));
    } else if (word.starts_with("gap")) {
      placing.gap = number<Index>(word.substr(3));
    } else if (word == "shared") {
      placing.shared = true;
    } else if (word == "behind") {
      placing.behind = true;
    } else if (word == "conjugated") {
      placing.conjugated = true;
    } else if (word == "pointers") {
      placing.pointers = true;
    } else if (word == "shared_inner") {
      placing.shared_inner = true;
    } else if (word == "shared_outer") {
      placing.shared_outer = true;
    } else if (word == "crossed") {
      placing.crossed = true;
    } else if (word == "woven") {
      placing.woven = true;
    } else {
      refuse(word);
    }
  }
  return placing;
}

Math parse_math(std::string_view word) {
  const auto math = std::find_if(std::begin(all_maths), std::end(all_maths),
                                 [&](Math m) { return rooftile::to_string(m) == word; });
  if (math == std::end(all_maths)) refuse(word);
  return *math;
}

void set(Case& c, const std::string& name, const std::string& value) {
  if (name == "m")
    c.shape.m = number<Index>(value);
  else if (name == "n")
    c.shape.n = number<Index>(value);
  else if (name == "k")
    c.shape.k = number<Index>(value);
  else if (name == "count")
    c.count = number<Index>(value);
  else if (name == "inner")
    c.inner = number<Index>(value);
  else if (name == "a")
    c.a = parse_placing(value);
  else if (name == "b")
    c.b = parse_placing(value);
  else if (name == "c")
    c.c = parse_placing(value);
  else if (name == "alpha")
    c.alpha = factor(value);
  else if (name == "beta")
    c.beta = factor(value);
  else if (name == "times")
    c.times = number<int>(value);
  else if (name == "seed")
    c.seed = number<std::uint64_t>(value);
  else if (name == "unread" && value == "number")
    c.nan = false;
  else if (name == "entries" && value == "group")
    c.group = true;
  else
    refuse(name + "=" + value);
}

}  // namespace

GemmShape shape_in_group(const GemmShape& whole, Index i) {
  const auto part = [i](Index extent, Index step) { return (extent + i * step) % (extent + 1); };
  return {part(whole.m, 5), part(whole.n, 7), part(whole.k, 11)};
}

std::ostream& operator<<(std::ostream& out, const Case& c) {
  const Case usual;
  out << c.path << ' ' << c.kernel << ' ' << (c.tile.empty() ? "" : c.tile + ' ') << to_string(c.math);
  out << " m=" << c.shape.m << " n=" << c.shape.n << " k=" << c.shape.k;
  if (c.count != usual.count) out << " count=" << c.count;
  if (c.inner != usual.inner) out << " inner=" << c.inner;
  if (c.group) out << " entries=group";
  for (const auto& [name, placing] : {std::pair("a", &c.a), std::pair("b", &c.b), std::pair("c", &c.c)}) {
    if (*placing != Placing{}) out << ' ' << name << '=' << to_string(*placing);
  }
  if (c.alpha != usual.alpha) write_factor(out, "alpha", c.alpha);
  if (c.beta != usual.beta) write_factor(out, "beta", c.beta);
  if (c.nan != usual.nan) out << " unread=number";
  if (c.times != usual.times) out << " times=" << c.times;
  return out << " seed=" << c.seed;
}

std::string to_string(const Case& c) {
  std::ostringstream out;
  out << c;
  return out.str();
}

Case parse_case(const std::string& line) {
  Case c;
  std::vector<std::string> words = split(line, ' '), names;
  for (const std::string& word : words) {
    const std::size_t at = word.find('=');
    if (at == std::string::npos) {
      names.push_back(word);
    } else {
      set(c, word.substr(0, at), word.substr(at + 1));
    }
  }
  if (names.size() < 3 || names.size() > 4) refuse(line);
  c.path = names[0], c.kernel = names[1], c.math = parse_math(names.back());
  if (names.size() == 4) c.tile = names[2];
  if (c.inner > 0 && c.count % c.inner != 0) refuse(line);
  return c;
}

}  // namespace rooftile::testing
