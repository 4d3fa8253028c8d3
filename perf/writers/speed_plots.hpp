// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../record/record.hpp"
#include "svg.hpp"

/// How fast each path is on one machine in one math mode, of one result for each product and path.
namespace rooftile::perf {

/// Of more products than this, the largest are drawn.
inline constexpr std::size_t max_bars = 40;

/// The paths, as they follow one another in pictures.
inline const std::vector<std::string>& plotted_paths() {
  static const std::vector<std::string> paths = {"portable", "native", "vendor", "peer"};
  return paths;
}

inline double multiply_adds(const Result& r) {
  return static_cast<double>(r.batch) * static_cast<double>(r.shape.m) * static_cast<double>(r.shape.n) *
         static_cast<double>(r.shape.k);
}

/// A legend of the paths that there are.
inline void draw_paths(Svg& svg, const std::vector<const Result*>& results, double left, double y) {
  Legend legend;
  for (const std::string& path : plotted_paths()) {
    const auto is_of = [&](const Result* r) { return r->path == path; };
    if (std::any_of(results.begin(), results.end(), is_of)) legend.add(path, path, Shape::square);
  }
  legend.draw(svg, left, y, 940);
}

/// For each product a bar a path, the products with the least work first.
/// @param where    what the title ends with
/// @param results  at least one, each with a rate
inline Svg plot_bars(const std::string& where, const std::vector<const Result*>& results) {
  std::vector<std::pair<double, std::string>> products;
  std::map<std::string, std::map<std::string, const Result*>> of_product;
  double fastest = 0;
  for (const Result* r : results) {
    const std::string product = product_of(*r);
    if (!of_product.contains(product)) products.emplace_back(multiply_adds(*r), product);
    of_product[product][r->path] = r;
  }
  std::stable_sort(products.begin(), products.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  const bool cut = products.size() > max_bars;
  if (cut) products.erase(products.begin(), products.end() - max_bars);
  std::size_t bars = 0;
  for (const auto& [work, product] : products) {
    bars += of_product[product].size();
    for (const auto& [path, r] : of_product[product]) fastest = std::max(fastest, r->gflops);
  }
  constexpr double bar = 10, gap = 7, top = 66;
  const double bottom =
      top + bar * static_cast<double>(bars) + gap * static_cast<double>(products.size()) + gap;
  const std::string title =
      fmt::format("Speed of {}{}", where, cut ? fmt::format(": the {} largest products", max_bars) : "");
  Svg svg(960, static_cast<int>(bottom) + 48, title);
  svg.text(480, 26, title, "middle", "title");
  draw_paths(svg, results, 230, 48);
  const Axis x{0, 1.12 * fastest, 230, 940, false};
  for (const double tick : x.ticks()) {
    svg.line(x.at(tick), top, x.at(tick), bottom, "grid");
    svg.text(x.at(tick), bottom + 17, tick_label(tick), "middle");
  }
  svg.text(585, bottom + 37, "GFLOP/s", "middle");
  double y = top + gap;
  for (const auto& [work, product] : products) {
    const auto& of_path = of_product[product];
    svg.text(222, y + bar * static_cast<double>(of_path.size()) / 2 + 4, product.substr(0, 40), "end",
             "small");
    for (const std::string& path : plotted_paths()) {
      if (!of_path.contains(path)) continue;
      const Result& r = *of_path.at(path);
      svg.rectangle(x.begin, y, x.at(r.gflops) - x.begin, bar - 1, "bar " + path, in_words(r));
      svg.text(x.at(r.gflops) + 4, y + bar - 1.5,
               tick_label(r.gflops < 100 ? std::round(10 * r.gflops) / 10 : std::round(r.gflops)), "start",
               "tiny");
      y += bar;
    }
    y += gap;
  }
  return svg;
}

/// A curve a path over the size of square products; nothing where no path has two of them.
inline std::optional<Svg> plot_sizes(const std::string& where, const std::vector<const Result*>& results) {
  std::map<std::string, std::map<double, const Result*>> of_path;  // [path][size]
  double smallest = HUGE_VAL, largest = 0, fastest = 0;
  for (const Result* r : results) {
    const auto& [m, n, k] = r->shape;
    if (m != n || n != k || r->layout != "rrr" || r->batch != 1 || r->alpha != 1 || r->beta != 0) continue;
    const double size = static_cast<double>(m);
    of_path[r->path][size] = r;
    smallest = std::min(smallest, size), largest = std::max(largest, size),
    fastest = std::max(fastest, r->gflops);
  }
  if (std::none_of(of_path.begin(), of_path.end(), [](const auto& path) { return path.second.size() > 1; }))
    return {};
  const std::string title = "Speed over size, " + where;
  Svg svg(960, 480, title);
  svg.text(480, 26, title, "middle", "title");
  draw_paths(svg, results, 92, 48);
  const Axis x{smallest / 1.2, largest * 1.2, 92, 940}, y{0, 1.1 * fastest, 425, 66, false};
  svg.axes(x, y, "m = n = k", "GFLOP/s");
  for (const std::string& path : plotted_paths()) {
    if (!of_path.contains(path)) continue;
    std::vector<std::pair<double, double>> points;
    for (const auto& [size, r] : of_path[path]) points.emplace_back(x.at(size), y.at(r->gflops));
    svg.polyline(points, "curve " + path + "-line");
    for (const auto& [size, r] : of_path[path])
      svg.mark(Shape::circle, x.at(size), y.at(r->gflops), path, in_words(*r));
  }
  return svg;
}

}  // namespace rooftile::perf
