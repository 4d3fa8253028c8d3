// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "svg.hpp"

namespace rooftile::perf {

/// What the marks of a picture stand for, each once, in rows.
class Legend {
 public:
  void add(const std::string& words, const std::string& style, Shape shape) {
    const auto same = [&](const Entry& entry) { return entry.words == words; };
    if (std::none_of(entries_.begin(), entries_.end(), same)) entries_.push_back({words, style, shape});
  }

  /// Rows between two edges, the first at y.
  void draw(Svg& svg, double left, double y, double right) const {
    double x = left;
    for (const Entry& entry : entries_) {
      const double width = 26 + 6.2 * static_cast<double>(entry.words.size());  // of 11 px, about
      if (x > left && x + width > right) x = left, y += 18;
      svg.mark(entry.shape, x + 6, y, entry.style);
      svg.text(x + 15, y + 4, entry.words, "start", "small");
      x += width;
    }
  }

 private:
  struct Entry {
    std::string words, style;
    Shape shape;
  };
  std::vector<Entry> entries_;
};

}  // namespace rooftile::perf
