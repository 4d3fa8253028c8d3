// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/log_line.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

#include "rooftile/error.hpp"

namespace rooftile::detail {

namespace {

constexpr std::string_view log_version = "1";

constexpr std::string_view factor_names[] = {"0", "1", "-1", "x"};

/// Parses a line word by word. Errors name the file, the line and the value.
class LogParser {
 public:
  LogParser(std::string_view line, std::string_view file, Index number)
      : rest_(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line), file_(file), number_(number) {}

  LoggedCall call() {
    LoggedCall call;
    LoggedProduct& p = call.product;
    if (const std::string_view version = value("rooftile_log"); version != log_version)
      refuse("log of another version", version, "read it with the Rooftile that wrote it");
    call.name = value("call");
    p.type = type("type");
    const bool mixed = next_is("result");
    const Type result = mixed ? type("result") : p.type;
    p.shape = {number("m"), number("n"), number("k")};
    p.a = operand("a", p.type), p.b = operand("b", p.type), p.c = operand("c", result);
    p.alpha = one_of<Factor>("alpha", std::size(factor_names));
    p.beta = one_of<Factor>("beta", std::size(factor_names));
    p.count = number("count");
    if (next_is("inner")) p.inner = number("inner", 1);
    if (p.inner == 0 ? (p.a.outer != 0 || p.b.outer != 0 || p.c.outer != 0) : p.count % p.inner != 0)
      refuse("invalid inner dimension of a batch", text(p.inner), "restore the logged line");
    if (next_is("group")) call.group = number("group", 1);
    if (next_is("times")) call.times = number("times", 2);
    if (call.times > 1 && call.times > call.group)
      refuse("more products than the group has", text(call.times), "restore the logged line");
    if (next_is("epilogue")) {
      if (const std::string_view said = value("epilogue"); said != "yes")
        refuse("not an epilogue", said, "write yes, or leave the word out");
      p.epilogue = true;
    }
    p.math = one_of<ComputeMode>("math", mode_count);
    if (type_of(p.math) != p.type || mode_of(p.math).result != result || is_mixed(p.math) != mixed)
      refuse("mode of another type", to_string(p.math), "take a mode of the products' type");
    call.path = value("path"), call.kernel = value("kernel"), call.tile = value("tile");
    call.how = value("how"), call.why = value("why");
    if (next_is("seconds")) call.seconds = seconds();
    if (!rest_.empty()) refuse("extra text after the last word", rest_, "restore the logged line");
    return call;
  }

 private:
  Type type(std::string_view key) { return one_of<Type>(key, std::tuple_size_v<AllElements>); }

  bool next_is(std::string_view key) const {
    return rest_.starts_with(key) && rest_.substr(key.size()).starts_with('=');
  }

  /// Returns the value of the next word. @throws Error if the word has another key
  std::string_view value(std::string_view key) {
    const std::size_t end = std::min(rest_.find(' '), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    if (!next_is(key)) refuse(text("missing ", key, "="), word, "restore the logged line");
    const std::string_view value = word.substr(key.size() + 1);
    const auto printed = [](char c) { return static_cast<unsigned char>(c) > ' '; };
    if (value.empty() || !std::all_of(value.begin(), value.end(), printed))
      refuse(text("invalid value of ", key), word, "restore the logged line");
    rest_.remove_prefix(end);
    if (rest_.size() == 1) refuse("blank at the end", rest_, "remove it");
    if (!rest_.empty()) rest_.remove_prefix(1);
    return value;
  }

  template <class E>
  E one_of(std::string_view key, std::size_t count) {
    const std::string_view said = value(key);
    for (std::size_t i = 0; i < count; ++i) {
      if (to_string(static_cast<E>(i)) == said) return static_cast<E>(i);
    }
    refuse(text("unknown ", key), said, "restore the logged line");
  }

  Index whole(std::string_view key, std::string_view digits, Index least) const {
    Index value = 0;
    const char* const last = digits.data() + digits.size();
    const auto [end, problem] = std::from_chars(digits.data(), last, value);
    if (problem != std::errc() || end != last || value < least)
      refuse(text("not a number of ", key), digits, "write a whole number");
    return value;
  }
  Index number(std::string_view key, Index least = 0) { return whole(key, value(key), least); }

  double seconds() {
    const std::string_view said = value("seconds");
    double value = 0;
    const char* const last = said.data() + said.size();
    const auto [end, problem] = std::from_chars(said.data(), last, value);
    if (problem != std::errc() || end != last || !std::isfinite(value) || std::signbit(value))
      refuse("not a time", said, "write seconds");
    return value;
  }

  /// `1,512,align64,conj,every65536`
  LoggedOperand operand(std::string_view key, Type type) {
    const std::string_view all = value(key);
    std::string_view left = all;
    const auto part = [&](std::string_view name) {
      const std::size_t end = std::min(left.find(','), left.size());
      const std::string_view found = left.substr(0, end);
      if (left.empty() || !found.starts_with(name))
        refuse("not an operand", all,
               "write ROW_STRIDE,COLUMN_STRIDE,alignBYTES[,conj][,everyELEMENTS][,outerELEMENTS|,pointers]");
      left.remove_prefix(end);
      if (left.size() > 1) left.remove_prefix(1);  // keeps a trailing comma, which is an error
      return found.substr(name.size());
    };
    const auto index = [&](std::string_view digits) {
      return whole(key, digits, std::numeric_limits<Index>::min());
    };
    LoggedOperand x;
    x.row_stride = index(part("")), x.col_stride = index(part(""));
    x.alignment = whole(key, part("align"), 1);
    if (!std::has_single_bit(static_cast<std::uint64_t>(x.alignment)) || x.alignment > max_logged_alignment)
      refuse("not an alignment", all, text("write a power of two up to ", max_logged_alignment));
    if (rooftile::is_complex(type) && left.starts_with("conj")) x.conjugated = part("conj").empty();
    const auto distance = [&](std::string_view name) {
      if (!left.starts_with(name)) return Index{0};
      const Index elements = index(part(name));
      if (elements == 0) refuse("matrix distance of 0", all, "leave it out if all share a matrix");
      return elements;
    };
    x.every = distance("every"), x.outer = distance("outer");
    if (x.every == 0 && x.outer == 0 && left.starts_with("pointers")) x.pointers = part("pointers").empty();
    if (type == Type::fp8) {
      if (left.starts_with("e5m2") && part("e5m2").empty()) x.format = Float8Format::e5m2;
      if (left.starts_with("scales")) x.scales = scales(part("scales"), all);
    }
    if (!left.empty()) refuse("extra text after an operand", all, "restore the logged line");
    return x;
  }

  /// `512x4:1:512:0`: rows, columns, row stride, column stride, and the distance between batch entries.
  Float8Scales scales(std::string_view given, std::string_view operand) const {
    Float8Scales x;
    const std::pair<std::int64_t*, char> parts[] = {
        {&x.rows, 'x'}, {&x.cols, ':'}, {&x.row_stride, ':'}, {&x.col_stride, ':'}, {&x.batch_stride, '\0'}};
    for (const auto& [value, end] : parts) {
      const std::size_t length = std::min(given.find(end), given.size());
      *value = whole("scales", given.substr(0, length), 0);
      given.remove_prefix(std::min(length + 1, given.size()));
    }
    if (!given.empty() || x.rows == 0 || x.cols == 0)
      refuse("not scales", operand, "restore the logged line");
    return x;
  }

  [[noreturn]] void refuse(std::string_view problem, std::string_view value, std::string_view advice) const {
    throw Error(text(problem, " (", file_, ':', number_, ", '", visible(value), "'): ", advice));
  }

  std::string_view rest_;
  std::string_view file_;
  Index number_;
};

}  // namespace

}  // namespace rooftile::detail

namespace rooftile {

std::string_view to_string(Factor factor) noexcept {
  return detail::factor_names[static_cast<std::size_t>(factor)];
}

void LogLine::add(std::string_view text) noexcept {
  const std::size_t room = text_.size() - 2 - length_;
  length_ += text.copy(text_.data() + length_, room);
}

template <class Number>
void LogLine::add_number(Number value) noexcept {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  add({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

void LogLine::key(std::string_view name) noexcept {
  if (length_ > 0) add(" ");
  add(name), add("=");
}

void LogLine::word(std::string_view name, std::string_view value) noexcept {
  constexpr std::size_t longest = 128;
  key(name);
  const std::size_t begin = length_;
  add(value.empty() ? "-" : value.substr(0, longest));
  std::replace_if(
      text_.begin() + static_cast<std::ptrdiff_t>(begin),
      text_.begin() + static_cast<std::ptrdiff_t>(length_),
      [](char c) { return static_cast<unsigned char>(c) <= ' '; }, '_');
}

void LogLine::word(std::string_view name, Index value) noexcept {
  key(name), add_number(value);
}

void LogLine::word(std::string_view name, double value) noexcept {
  key(name), add_number(value);
}

void LogLine::word(std::string_view name, const LoggedOperand& x) noexcept {
  key(name), add_number(x.row_stride), add(","), add_number(x.col_stride);
  add(",align"), add_number(x.alignment);
  if (x.conjugated) add(",conj");
  if (x.pointers) add(",pointers");
  if (!x.pointers && x.every != 0) add(",every"), add_number(x.every);
  if (!x.pointers && x.outer != 0) add(",outer"), add_number(x.outer);
  if (x.format == Float8Format::e5m2) add(",e5m2");
  if (x.scales.rows > 0) {
    add(",scales"), add_number(x.scales.rows), add("x"), add_number(x.scales.cols);
    for (const std::int64_t stride : {x.scales.row_stride, x.scales.col_stride, x.scales.batch_stride})
      add(":"), add_number(stride);
  }
}

LogLine::LogLine(const LoggedCall& call) noexcept {
  const LoggedProduct& p = call.product;
  word("rooftile_log", detail::log_version);
  word("call", call.name);
  word("type", to_string(p.type));
  if (is_mixed(p.math)) word("result", to_string(mode_of(p.math).result));
  word("m", p.shape.m), word("n", p.shape.n), word("k", p.shape.k);
  word("a", p.a), word("b", p.b), word("c", p.c);
  word("alpha", to_string(p.alpha)), word("beta", to_string(p.beta));
  word("count", p.count);
  if (p.inner > 0) word("inner", p.inner);
  if (call.group > 0) word("group", call.group);
  if (call.times > 1) word("times", call.times);
  if (p.epilogue) word("epilogue", "yes");
  word("math", to_string(p.math));
  word("path", call.path), word("kernel", call.kernel), word("tile", call.tile);
  word("how", call.how), word("why", call.why);
  if (call.seconds >= 0) word("seconds", call.seconds);
  text_[length_] = '\n';
  text_[length_ + 1] = '\0';
}

LoggedCall parse_logged(std::string_view line, std::string_view file, Index number) {
  return detail::LogParser(line, file, number).call();
}

}  // namespace rooftile
