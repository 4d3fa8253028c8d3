// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "speed_plots.hpp"
#include "svg.hpp"

/// What more processes gain (`bench --ranks`), of one result for each product, path and number of processes.
namespace rooftile::perf {

/// Results of a path over the number of processes that share a product.
struct ScalingCurve {
  std::string words;
  std::string path;
  std::map<Index, const Result*> at;  ///< by processes
};

/// Curves of the same product on more processes (strong scaling), and of products with as much work for each
/// process (weak scaling), to 5 %: extents are whole numbers.
struct ScalingCurves {
  std::vector<ScalingCurve> strong, weak;
};

inline double work_of_process(const Result& r) {
  return multiply_adds(r) / static_cast<double>(r.shared.ranks);
}

/// Those with two numbers of processes or more.
inline ScalingCurves scaling_curves(const std::vector<const Result*>& results) {
  ScalingCurves curves;
  const auto add = [](std::vector<ScalingCurve>& to, const Result& r, const std::string& words,
                      const auto& belongs) {
    auto found = std::find_if(to.begin(), to.end(), [&](const ScalingCurve& c) {
      const Result& first = *c.at.begin()->second;
      return c.path == r.path && first.shared.block == r.shared.block && belongs(first);
    });
    if (found == to.end()) found = to.insert(found, {words, r.path, {}});
    found->at.emplace(r.shared.ranks, &r);
  };
  for (const Result* r : results) {
    const std::string what = r->path + " in " + r->shared.block + ", ";
    add(curves.strong, *r, what + to_string(r->shape),
        [&](const Result& first) { return to_string(first.shape) == to_string(r->shape); });
    add(curves.weak, *r, what + fmt::format("{:.3g} GFLOP each", 2e-9 * work_of_process(*r)),
        [&](const Result& first) {
          return std::abs(work_of_process(*r) / work_of_process(first) - 1) < 0.05;
        });
  }
  for (auto* const list : {&curves.strong, &curves.weak})
    std::erase_if(*list, [](const ScalingCurve& c) { return c.at.size() < 2; });
  return curves;
}

/// Speed over the number of processes, beside that of the fewest ones times as many more.
/// @param each  whether it is that of one process
inline std::optional<Svg> plot_scaling(const std::string& title, const std::vector<ScalingCurve>& curves,
                                       bool each) {
  if (curves.empty()) return {};
  const auto speed = [&](const Result& r) {
    return each ? r.gflops / static_cast<double>(r.shared.ranks) : r.gflops;
  };
  double fewest = HUGE_VAL, most = 0, slowest = HUGE_VAL, fastest = 0;
  for (const ScalingCurve& c : curves) {
    for (const auto& [ranks, r] : c.at) {
      const double x = static_cast<double>(ranks),
                   ideal = each ? speed(*c.at.begin()->second)
                                : speed(*c.at.begin()->second) * x / static_cast<double>(c.at.begin()->first);
      fewest = std::min(fewest, x), most = std::max(most, x);
      slowest = std::min(slowest, speed(*r)), fastest = std::max({fastest, speed(*r), ideal});
    }
  }
  const double below = 62 + 18 * static_cast<double>(curves.size());
  Svg svg(960, static_cast<int>(below) + 420, title);
  svg.text(480, 26, title, "middle", "title");
  const Axis x{fewest / 1.1, most * 1.1, 92, 940};
  const Axis y = each ? Axis{0, 1.1 * fastest, below + 365, below, false}
                      : Axis{slowest / 1.2, fastest * 1.2, below + 365, below};
  svg.axes(x, y, "processes", each ? "GFLOP/s of a process" : "GFLOP/s of all");
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const ScalingCurve& c = curves[i];
    const auto shape = static_cast<Shape>(i / 2 % static_cast<std::size_t>(shapes));
    Legend legend;
    legend.add(c.words, c.path, shape);
    legend.draw(svg, 92, 48 + 18 * static_cast<double>(i), 940);
    const auto [first, of_first] = *c.at.begin();
    const double last = static_cast<double>(c.at.rbegin()->first), begin = static_cast<double>(first);
    svg.polyline({{x.at(begin), y.at(speed(*of_first))},
                  {x.at(last), y.at(speed(*of_first) * (each ? 1 : last / begin))}},
                 "inner");
    std::vector<std::pair<double, double>> points;
    for (const auto& [ranks, r] : c.at)
      points.emplace_back(x.at(static_cast<double>(ranks)), y.at(speed(*r)));
    svg.polyline(points, "curve " + c.path + "-line");
    for (const auto& [ranks, r] : c.at)
      svg.mark(shape, x.at(static_cast<double>(ranks)), y.at(speed(*r)), c.path, in_words(*r));
  }
  return svg;
}

}  // namespace rooftile::perf
