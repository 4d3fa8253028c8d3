// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "case.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "rooftile/error.hpp"

namespace rooftile::testing {
namespace {

/// The text of a placing after its storage: numbers and flags.
constexpr std::pair<std::string_view, Index Placing::*> numbers[] = {
    {"pad", &Placing::pad}, {"shift", &Placing::shift}, {"gap", &Placing::gap}};
constexpr std::pair<std::string_view, bool Placing::*> flags[] = {{"shared", &Placing::shared},
                                                                  {"behind", &Placing::behind},
                                                                  {"conjugated", &Placing::conjugated},
                                                                  {"pointers", &Placing::pointers},
                                                                  {"shared_inner", &Placing::shared_inner},
                                                                  {"shared_outer", &Placing::shared_outer},
                                                                  {"crossed", &Placing::crossed},
                                                                  {"woven", &Placing::woven}};

std::string to_string(const Placing& p) {
  std::string text = name_of(p.storage);
  for (const auto& [name, number] : numbers) {
    if (p.*number != 0) text += ',' + std::string(name) + std::to_string(p.*number);
  }
  for (const auto& [name, flag] : flags) {
    if (p.*flag) text += ',' + std::string(name);
  }
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

/// The real or imaginary part of alpha or beta, which may be negative.
double part_of_factor(std::string_view text) {
  const bool negative = text.starts_with('-');
  const double size = number<double>(text.substr(negative ? 1 : 0));
  return negative ? -size : size;
}

/// Parses alpha or beta: `2` or `(2,-1)`.
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

/// Applies a word of a placing's text.
/// @return whether the word is valid
bool set(Placing& placing, std::string_view word) {
  const auto storage = std::find(std::begin(storage_names), std::end(storage_names), word);
  if (storage != std::end(storage_names)) {
    placing.storage = static_cast<Storage>(storage - std::begin(storage_names));
    return true;
  }
  for (const auto& [name, flag] : flags) {
    if (word == name) return placing.*flag = true;
  }
  for (const auto& [name, value] : numbers) {
    if (!word.starts_with(name)) continue;
    placing.*value = number<Index>(word.substr(name.size()));
    return true;
  }
  return false;
}

Placing parse_placing(const std::string& text) {
  Placing placing;
  for (const std::string& part : split(text, ',')) {
    if (!set(placing, part)) refuse(part);
  }
  return placing;
}

ComputeMode parse_math(std::string_view word) {
  const auto math = std::find_if(std::begin(all_modes), std::end(all_modes),
                                 [&](ComputeMode m) { return rooftile::to_string(m) == word; });
  if (math == std::end(all_modes)) refuse(word);
  return *math;
}

void set(Case& c, const std::string& name, const std::string& value) {
  const std::map<std::string_view, Index*> counts{
      {"m", &c.shape.m}, {"n", &c.shape.n}, {"k", &c.shape.k}, {"count", &c.count}, {"inner", &c.inner}};
  const std::map<std::string_view, Placing*> operands{{"a", &c.a}, {"b", &c.b}, {"c", &c.c}};
  if (counts.contains(name))
    *counts.at(name) = number<Index>(value);
  else if (operands.contains(name))
    *operands.at(name) = parse_placing(value);
  else if (name == "alpha" || name == "beta")
    (name == "alpha" ? c.alpha : c.beta) = factor(value);
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
