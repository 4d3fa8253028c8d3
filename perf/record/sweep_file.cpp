// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "sweep_file.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "../options.hpp"
#include "../parse.hpp"
#include "../selection.hpp"
#include "rooftile/find_kernel.hpp"

namespace rooftile::perf {
namespace {

constexpr std::string_view heading = "rooftile sweep 1";

std::string to_text(const SweepWay& way) {
  const auto [bm, bn, bk, tm, tn] = way.tile;
  return fmt::format("{} {}x{}x{} {}x{}", to_string(NamedKernel{way.kernel, way.repack}), bm, bn, bk, tm, tn);
}

std::string to_text(const SweptProduct& swept) {
  const Product& p = swept.product;
  std::string line =
      fmt::format("{} {} {} {} {} {:g} {:g} {} {} :", to_string(swept.path), to_string(swept.math),
                  to_string(p.shape), p.layout, p.batch, p.alpha, p.beta, p.padding, p.offset);
  for (const SweepTime& time : swept.times) {
    line += fmt::format(" {}", time.way);
    if (time.split_k > 1) line += fmt::format("/{}", time.split_k);
    if (time.swapped) line += "/t";
    line += fmt::format("={:.4g}", time.microseconds);
  }
  return line;
}

class Reader {
 public:
  Reader(std::string_view text, std::string named) : lines_(std::string(text)), named_(std::move(named)) {}

  Sweep read() {
    if (!next() || line_ != heading) refuse("not a sweep of this version", line_);
    Sweep sweep;
    while (next()) {
      std::istringstream words(line_);
      std::string first;
      words >> first;
      if (first == "#") {
        sweep.remarks.push_back(line_.substr(2));
      } else if (first == "device") {
        sweep.device = line_.substr(std::min<std::size_t>(line_.size(), 7));
      } else if (first == "way") {
        sweep.ways.push_back(way_of(words));
      } else {
        sweep.products.push_back(product_of(first, words, sweep.ways.size()));
      }
    }
    if (sweep.products.empty()) refuse("no product", "end of file");
    return sweep;
  }

 private:
  bool next() {
    ++number_;
    return static_cast<bool>(std::getline(lines_, line_));
  }

  [[noreturn]] void refuse(const std::string& problem, const std::string& value) const {
    throw Error(fmt::format("{} ({}, line {}, {}): take a file of `rooftile sweep`", problem, named_, number_,
                            value));
  }

  std::string word(std::istringstream& words, const char* what) const {
    std::string text;
    if (!(words >> text)) refuse(fmt::format("{} missing", what), line_.substr(0, 40));
    return text;
  }

  double number_of(const std::string& text) const {
    double value = 0;
    const bool negative = text.starts_with('-');
    if (read_number(negative ? text.substr(1) : text, 0, 1e300, value) != Reading::fine)
      refuse("not a number", text);
    return negative ? -value : value;
  }

  Index whole_of(const std::string& text, Index least) const {
    Index value = 0;
    if (read_whole(text, least, Index{1} << 40, value) != Reading::fine) refuse("not a whole number", text);
    return value;
  }

  SweepWay way_of(std::istringstream& words) const {
    SweepWay way;
    const NamedKernel named = find_named(word(words, "kernel"));
    way.kernel = named.kernel, way.repack = named.repack;
    const std::string blocks = word(words, "tile"), parts = word(words, "tile of a thread");
    for (const TileShape tile : rung_of(way.kernel).tiles) {
      if (to_string(tile) == blocks && fmt::format("{}x{}", tile.tm, tile.tn) == parts) way.tile = tile;
    }
    if (!way.tile) refuse("tile that the kernel does not have", blocks + ' ' + parts);
    return way;
  }

  SweptProduct product_of(const std::string& path, std::istringstream& words, std::size_t ways) const {
    SweptProduct swept;
    if (path != "native" && path != "portable") refuse("neither native nor portable", path);
    swept.path = path == "native" ? Path::native : Path::portable;
    const std::string math = word(words, "mode");
    if (!contains(all_math_names(), math)) refuse("not a compute mode", math);
    swept.math = math_named(math);
    Product& p = swept.product;
    p.shape = parse_shape(word(words, "shape"));
    p.layout = word(words, "layout");
    if (!is_layout(p.layout)) refuse("not a layout", p.layout);
    p.batch = whole_of(word(words, "batch"), 1);
    p.alpha = number_of(word(words, "alpha")), p.beta = number_of(word(words, "beta"));
    p.padding = whole_of(word(words, "padding"), 0), p.offset = whole_of(word(words, "offset"), 0);
    if (const std::string colon = word(words, ":"); colon != ":") refuse("missing colon", colon);
    std::string text;
    while (words >> text) {
      const std::size_t equals = text.find('=');
      if (equals == text.npos) refuse("missing time", text);
      SweepTime time;
      std::string way = text.substr(0, equals);
      if (way.ends_with("/t")) way.resize(way.size() - 2), time.swapped = true;
      const std::size_t slash = way.find('/');
      time.way = static_cast<std::size_t>(whole_of(way.substr(0, slash), 0));
      if (time.way >= ways) refuse("no such way", text);
      if (slash != way.npos) time.split_k = whole_of(way.substr(slash + 1), 1);
      time.microseconds = number_of(text.substr(equals + 1));
      if (!(time.microseconds > 0)) refuse("not a positive time", text);
      swept.times.push_back(time);
    }
    return swept;
  }

  std::istringstream lines_;
  std::string named_, line_;
  int number_ = 0;
};

}  // namespace

std::size_t Sweep::index_of(const SweepWay& way) {
  const auto found = std::find(ways.begin(), ways.end(), way);
  if (found != ways.end()) return static_cast<std::size_t>(found - ways.begin());
  ways.push_back(way);
  return ways.size() - 1;
}

std::string to_text(const Sweep& sweep) {
  std::string text = fmt::format("{}\ndevice {}\n", heading, sweep.device);
  for (const std::string& remark : sweep.remarks) text += fmt::format("# {}\n", remark);
  for (const SweepWay& way : sweep.ways) text += fmt::format("way {}\n", to_text(way));
  for (const SweptProduct& product : sweep.products) text += to_text(product) + '\n';
  return text;
}

Sweep sweep_of(std::string_view text, const std::string& named) {
  return Reader(text, named).read();
}

}  // namespace rooftile::perf
