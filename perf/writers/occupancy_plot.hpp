// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rooftile/model/occupancy_advice.hpp"
#include "svg.hpp"

namespace rooftile::perf {

/// Occupancy over one property of the launch.
struct OccupancyPanel {
  std::string label;
  model::Count model::Launch::*property;
  std::vector<model::Step> sweep;
  double unit = 1;  ///< of the axis
};

/// Occupancy over each panel's property, one above the other, with the launch itself marked.
inline Svg plot_occupancy(const std::string& title, const model::Launch& launch, double fraction,
                          const std::vector<OccupancyPanel>& panels) {
  constexpr int width = 960, panel_height = 260, head = 40;
  Svg svg(width, head + panel_height * static_cast<int>(panels.size()), title);
  svg.text(width / 2.0, 26, title, "middle", "title");
  double top = head;
  for (const OccupancyPanel& panel : panels) {
    const auto of = [&](const model::Launch& l) {
      return static_cast<double>(l.*panel.property) / panel.unit;
    };
    const Axis x{0, std::max(of(panel.sweep.back().launch), of(launch)), 92, width - 28, false};
    const Axis y{0, 105, top + panel_height - 55, top + 8, false};
    svg.axes(x, y, panel.label, "occupancy, %");
    // From each step to the next, what the next has: a launch between two is rounded up.
    std::vector<std::pair<double, double>> steps;
    double from = x.at(0);
    for (const model::Step& step : panel.sweep) {
      const double height = y.at(100 * step.reached.fraction);
      if (steps.empty() || steps.back().second != height) steps.insert(steps.end(), 2, {from, height});
      steps.back().first = from = x.at(of(step.launch));
    }
    svg.polyline(steps, "curve portable-line");
    svg.mark(Shape::circle, x.at(of(launch)), y.at(100 * fraction), "native", title);
    if (&panel == &panels.front()) {
      Legend legend;
      legend.add("this launch", "native", Shape::circle);
      legend.draw(svg, x.end - 110, y.begin - 14, x.end);
    }
    top += panel_height;
  }
  return svg;
}

}  // namespace rooftile::perf
