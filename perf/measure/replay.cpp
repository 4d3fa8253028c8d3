// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "replay.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "../writers/output.hpp"
#include "operand_layout.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {
namespace {

constexpr const char* advice = "name a file that ROOFTILE_LOG wrote";

class Lines {
 public:
  explicit Lines(const std::string& file)
      : file_(file), stream_(std::fopen(file.c_str(), "rb"), &std::fclose) {
    if (!stream_) refuse(std::generic_category().message(errno));
  }

  /// @return whether there is another call; `line` has no line feed. Skips lines that begin with `#`.
  bool next(std::string_view& line) {
    do {
      if (!read(line)) return false;
    } while (line.starts_with('#'));
    return true;
  }
  Index number() const { return number_; }

 private:
  bool read(std::string_view& line) {
    ++number_;
    if (std::fgets(text_.data(), static_cast<int>(text_.size()), stream_.get()) == nullptr) {
      if (std::ferror(stream_.get()) != 0) refuse(std::generic_category().message(errno));
      return false;
    }
    line = text_.data();
    if (!line.ends_with('\n'))  // a null character ends the line, too
      throw Error(detail::text("incomplete line (", file_, ':', number_, ", '",
                               detail::visible(line.substr(0, 80)), "'): remove the line from the log"));
    line.remove_suffix(1);
    return true;
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(detail::text("cannot read (--replay ", file_, ", ", why, "): ", advice));
  }

  const std::string& file_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream_;
  std::array<char, 4096> text_;  // longer than any valid line
  Index number_ = 0;
};

std::string key_of(const LoggedProduct& product) {
  return std::string(LogLine({.product = product}).text());
}

/// The operands in the log's notation: `1,512,align64 300,1,align16 1,500,align256`.
std::string operands_of(const LoggedProduct& call) {
  const std::string line = key_of(call);
  std::string all;
  for (const char* key : {" a=", " b=", " c="}) {
    const std::size_t begin = line.find(key) + 3;
    if (!all.empty()) all += ' ';
    all.append(line, begin, line.find(' ', begin) - begin);
  }
  return all;
}

/// Whether each row (column-major: column) of each operand begins at a multiple of 16 bytes.
bool is_aligned(const LoggedProduct& call) {
  const auto lies_so = [](const LoggedOperand& x, Type type) {
    const auto size = static_cast<Index>(size_of(type));
    const Index line = std::abs(x.row_stride) < std::abs(x.col_stride) ? x.col_stride : x.row_stride;
    return line % 16 * size % 16 == 0 && x.every % 16 * size % 16 == 0 && x.outer % 16 * size % 16 == 0 &&
           x.alignment % 16 == 0;
  };
  return lies_so(call.a, call.type) && lies_so(call.b, call.type) &&
         lies_so(call.c, mode_of(call.math).result);
}

}  // namespace

Replay read_replay(const std::string& file) {
  Replay replay;
  std::map<std::string, std::size_t> known;
  Lines lines(file);
  for (std::string_view line; lines.next(line);) {
    const LoggedCall call = parse_logged(line, file, lines.number());
    const auto& [m, n, k] = call.product.shape;
    if (std::min({m, n, call.product.count}) == 0) {
      replay.idle += call.times;
      continue;
    }
    const auto [at, is_new] = known.try_emplace(key_of(call.product), replay.calls.size());
    if (is_new)
      replay.calls.push_back({call.product, std::string(call.name), 0, 0, call.group > 0, lines.number()});
    ReplayedCall& found = replay.calls[at->second];
    found.calls += call.times;
    found.seconds += std::max(call.seconds, 0.0);
  }
  if (replay.calls.empty())
    throw Error(detail::text("no call with something to compute (--replay ", file, "): ", advice));
  return replay;
}

std::vector<std::string> left_out(const Replay& replay) {
  std::vector<std::string> left;
  if (replay.idle > 0) left.push_back(counted(replay.idle, "call") + " had nothing to compute");
  left.insert(left.end(), replay.too_large.begin(), replay.too_large.end());
  return left;
}

SingleProducts single_products(const std::string& file) {
  const Replay replay = read_replay(file);
  SingleProducts found{{}, left_out(replay)};
  std::vector<LoggedProduct>& products = found.products;
  Index others = 0, scaled = 0, mixed = 0;
  for (const ReplayedCall& call : replay.calls) {
    LoggedProduct p = call.product;
    if (p.count > 1 || p.a.pointers || p.b.pointers || p.c.pointers || p.epilogue) {
      others += call.calls;
      continue;
    }
    if (is_mixed(p.math)) {
      mixed += call.calls;
      continue;
    }
    if (p.alpha == Factor::zero || p.shape.k == 0) {
      scaled += call.calls;
      continue;
    }
    p.alpha = Factor::one, p.beta = Factor::zero;
    p.a.conjugated = p.b.conjugated = p.c.conjugated = false;
    if (std::find(products.begin(), products.end(), p) == products.end()) products.push_back(p);
  }
  if (products.empty())
    throw Error(detail::text("no single product (--replay ", file, "): tuning tables hold no others"));
  const auto leave_out = [&](Index calls, const char* why) {
    if (calls > 0) found.left_out.push_back(counted(calls, "call") + why);
  };
  leave_out(others, " of batches or with an epilogue left out: tables hold single products");
  leave_out(mixed, " of mixed types left out: they have one kernel");
  leave_out(scaled, " that only scaled C left out");
  return found;
}

Product product_of(const LoggedProduct& call) {
  const auto letter = [](const LoggedOperand& x) {
    return std::abs(x.row_stride) < std::abs(x.col_stride) ? 'c' : 'r';
  };
  return {call.shape, {letter(call.a), letter(call.b), letter(call.c)}};
}

Result result_of(const ReplayedCall& call) {
  Result r;
  r.layout = product_of(call.product).layout, r.aligned = is_aligned(call.product);
  const Type type = mode_of(call.product.math).result;
  r.alpha = number_of(call.product.alpha, type), r.beta = number_of(call.product.beta, type);
  r.operands = operands_of(call.product), r.calls = call.calls;
  r.shape = call.product.shape, r.batch = call.product.count, r.inner = call.product.inner;
  r.pointers = call.product.a.pointers || call.product.b.pointers || call.product.c.pointers;
  return r;
}

std::string title_of(const ReplayedCall& call) {
  const LoggedProduct& p = call.product;
  const bool pointers = p.a.pointers || p.b.pointers || p.c.pointers;
  std::string products;
  if (p.count > 1 || pointers)
    products = fmt::format("{} products {}in ", p.count, pointers ? "by pointers " : "");
  return fmt::format("{}{} {} {}{} ({}, {}{})", products, to_string(p.math), to_string(p.shape),
                     product_of(p).layout, p.epilogue ? " without its epilogue" : "", call.name,
                     counted(call.calls, call.in_group ? "product" : "call"),
                     call.in_group ? " of groups" : "");
}

}  // namespace rooftile::perf
