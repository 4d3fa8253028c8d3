// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace rooftile::perf {

/// A number of an axis: `0.25`, `4,096`, `1e+07`.
inline std::string tick_label(double value) {
  const double whole = std::round(value);
  if (std::abs(value) < 1000 || std::abs(value) >= 1e7 || std::abs(value - whole) > 1e-9 * std::abs(value)) {
    return fmt::format("{:.6g}", value);
  }
  std::string text = fmt::format("{:.0f}", whole);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

/// Where values lie between two ends of a picture, by their size or by its logarithm.
struct Axis {
  double low, high;   ///< values; logarithmic: positive
  double begin, end;  ///< where they are in the picture
  bool logarithmic = true;

  double decades() const { return std::log10(high / low); }

  double at(double value) const {
    const double share =
        logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    return begin + share * (end - begin);
  }

  /// Values with a line and a label each: logarithmic the powers of ten, of few decades also 2 and 5 times
  /// these; otherwise at most about six at steps of 1, 2 or 5 times a power of ten.
  std::vector<double> ticks() const {
    std::vector<double> found;
    if (!std::isfinite(high - low) || !(high - low > 1e-300)) return found;  // a file that makes no sense
    if (!logarithmic) {
      const double rough = (high - low) / 6, power = std::pow(10, std::floor(std::log10(rough)));
      const double step = power * (rough / power > 5   ? 10
                                   : rough / power > 2 ? 5
                                   : rough / power > 1 ? 2
                                                       : 1);
      for (double i = std::ceil(low / step); i * step <= high * (1 + 1e-9); ++i) found.push_back(i * step);
      return found;
    }
    for (int exponent = static_cast<int>(std::floor(std::log10(low))); exponent <= std::log10(high) + 1;
         ++exponent) {
      for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor > 1 && decades() > 3) continue;
        const double value = factor * std::pow(10, exponent);
        if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) found.push_back(value);
      }
    }
    return found;
  }
};

}  // namespace rooftile::perf
