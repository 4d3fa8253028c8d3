// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "gnuplot.hpp"
#include "rooftile/model/occupancy_advice.hpp"

namespace rooftile::perf {

/// Occupancy over one property of the launch.
struct OccupancyPanel {
  std::string label;
  model::Count model::Launch::*property;
  std::vector<model::Step> sweep;
  double unit = 1;  ///< of the axis
};

/// Draws occupancy over each panel's property, one above the other, with the launch itself marked.
/// @throws Error as `Gnuplot`
inline void plot_occupancy(const std::string& file, const std::string& title, const model::Launch& launch,
                           double fraction, const std::vector<OccupancyPanel>& panels) {
  const int panel_height = 260;
  Gnuplot gnuplot(file, 960, 40 + panel_height * static_cast<int>(panels.size()));
  gnuplot.add("set multiplot layout {},1 title {}", panels.size(), Gnuplot::quoted(title));
  gnuplot.add("set ylabel 'occupancy, %'");
  gnuplot.add("set yrange [0:105]");
  gnuplot.add("set ytics 25");
  gnuplot.add("set key bottom right");
  gnuplot.add("set grid lt 1 lw 0.75 lc rgb '#dddddd'");
  for (const OccupancyPanel& panel : panels) {
    const auto at = [&](const model::Launch& l) {
      return static_cast<double>(l.*panel.property) / panel.unit;
    };
    gnuplot.add("$sweep << EOD\n0 {}", 100 * panel.sweep.front().reached.fraction);
    for (const model::Step& step : panel.sweep)
      gnuplot.add("{} {}", at(step.launch), 100 * step.reached.fraction);
    gnuplot.add("EOD");
    gnuplot.add("$launch << EOD\n{} {}\nEOD", at(launch), 100 * fraction);
    gnuplot.add("set xlabel {}", Gnuplot::quoted(panel.label));
    gnuplot.add("set xrange [0:{}]", at(panel.sweep.back().launch));
    gnuplot.add(
        "plot $sweep using 1:2 with fsteps lw 2.5 lc rgb '#0072B2' notitle, "
        "$launch using 1:2 with points pt 7 ps 1.4 lc rgb '#D55E00' {}",
        &panel == &panels.front() ? "title 'this launch'" : "notitle");
  }
  gnuplot.draw();
}

}  // namespace rooftile::perf
