// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline_picture.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "output.hpp"
#include "report/markup.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {
namespace {

constexpr double left = 70, right = 690, top = 66, bottom = 500;  // plot area in pixels
constexpr std::size_t colours = 12;

/// The automatic choices of a mode.
struct Series {
  std::string math;
  double peak = 0;  ///< the mode's highest compute ceiling; 0: not known
  std::vector<const Result*> results;
};

/// A logarithmic axis between two pixel positions.
struct Axis {
  double low, high, from, to;

  double operator()(double value) const {
    return from + (to - from) * std::log(value / low) / std::log(high / low);
  }
};

std::vector<Series> series_of(const ReportedMachine& machine) {
  std::vector<Series> all;
  for (const ReportedResult& reported : machine.results) {
    const Result& r = reported.result;
    if (!r.automatic || !r.ok() || r.gflops <= 0 || r.intensity <= 0) continue;
    auto found = std::find_if(all.begin(), all.end(), [&](const Series& s) { return s.math == r.math; });
    if (found == all.end()) {
      const std::vector<LabelledRate> peaks = compute_ceilings(r.math, machine.device.ceilings);
      found = all.insert(found, {r.math, peaks.empty() ? 0 : peaks.front().rate, {}});
    }
    found->results.push_back(&r);
  }
  std::stable_sort(all.begin(), all.end(), [](const Series& a, const Series& b) { return a.peak > b.peak; });
  return all;
}

constexpr std::string_view style = R"(<style>
text{font-family:sans-serif;font-size:12px;fill:#1b1b1b}
.paper{fill:#fff}.grid{stroke:#e2e2e2}.frame{stroke:#777;fill:none}.level{stroke:#777;stroke-width:1.3}
.grey{fill:#5a5a5a}.halo{stroke:#fff;stroke-width:3px;paint-order:stroke}
.line{fill:none;stroke-width:1.4}.mark{fill-opacity:.5;stroke-width:.8}
.c0{stroke:#0072b2;fill:#0072b2}.c1{stroke:#d55e00;fill:#d55e00}.c2{stroke:#00875f;fill:#00875f}.c3{stroke:#9b4f9f;fill:#9b4f9f}
.c4{stroke:#b8860b;fill:#b8860b}.c5{stroke:#c2185b;fill:#c2185b}.c6{stroke:#3f51b5;fill:#3f51b5}.c7{stroke:#5d7a00;fill:#5d7a00}
.c8{stroke:#00838f;fill:#00838f}.c9{stroke:#795548;fill:#795548}.c10{stroke:#d32f2f;fill:#d32f2f}.c11{stroke:#607d8b;fill:#607d8b}
.line{fill:none}
@media(prefers-color-scheme:dark){text{fill:#ececec}.paper{fill:#16181c}.grid{stroke:#33363b}.level,.frame{stroke:#8d8d8d}
.grey{fill:#a6a6a6}.halo{stroke:#16181c}
.c0{stroke:#56b4e9;fill:#56b4e9}.c1{stroke:#ff8b3d;fill:#ff8b3d}.c2{stroke:#2fd3a0;fill:#2fd3a0}.c3{stroke:#d6a0e6;fill:#d6a0e6}
.c4{stroke:#f0c541;fill:#f0c541}.c5{stroke:#ff7fab;fill:#ff7fab}.c6{stroke:#9fa8ff;fill:#9fa8ff}.c7{stroke:#b5d334;fill:#b5d334}
.c8{stroke:#4dd0e1;fill:#4dd0e1}.c9{stroke:#c8a898;fill:#c8a898}.c10{stroke:#ff6f60;fill:#ff6f60}.c11{stroke:#b0bec5;fill:#b0bec5}
.line{fill:none}}
</style>
)";

std::string text_at(double x, double y, std::string_view text, std::string_view more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}>{}</text>\n", x, y, more.empty() ? "" : " ", more,
                     markup(text));
}

std::string line(std::string_view kind, double x1, double y1, double x2, double y2) {
  return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", kind,
                     x1, y1, x2, y2);
}

/// The mark of a result: a circle for portable kernels, a triangle for native kernels.
std::string mark(std::string_view path, std::size_t colour, double x, double y) {
  if (path != "native")
    return fmt::format("<circle class=\"mark c{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>\n", colour, x, y);
  return fmt::format("<path class=\"mark c{}\" d=\"M{:.1f} {:.1f}l3.6 6.2h-7.2z\"/>\n", colour, x, y - 4.1);
}

/// Axis labels and grid lines at the decades.
std::string ticks(const Axis& x, const Axis& y) {
  const auto label = [](double v) {
    return v >= 1e6   ? fmt::format("{:g}M", v / 1e6)
           : v >= 1e3 ? fmt::format("{:g}k", v / 1e3)
                      : fmt::format("{:g}", v);
  };
  const auto decades = [](const Axis& axis) {
    std::vector<double> all;
    for (double d = std::ceil(std::log10(axis.low)); d <= std::log10(axis.high); ++d)
      all.push_back(std::pow(10, d));
    return all;
  };
  std::string drawn;
  for (const double v : decades(x)) {
    drawn += line("grid", x(v), top, x(v), bottom) +
             text_at(x(v), bottom + 18, label(v), "text-anchor=\"middle\"");
  }
  for (const double v : decades(y))
    drawn +=
        line("grid", left, y(v), right, y(v)) + text_at(left - 8, y(v) + 4, label(v), "text-anchor=\"end\"");
  return drawn +
         text_at((left + right) / 2, bottom + 40, "FLOP per byte, if each operand moves once",
                 "text-anchor=\"middle\"") +
         text_at(0, 0, "GFLOP/s",
                 fmt::format("text-anchor=\"middle\" transform=\"translate(18 {}) rotate(-90)\"",
                             (top + bottom) / 2));
}

/// The bandwidth line of each memory level up to the highest compute ceiling, with its label along the line.
std::string slopes(const std::vector<LabelledRate>& levels, double peak, const Axis& x, const Axis& y) {
  std::string drawn;
  for (const LabelledRate& level : levels) {
    const double from = std::max(x.low, y.low / level.rate), to = std::min(x.high, peak / level.rate);
    const double x1 = x(from), y1 = y(from * level.rate), x2 = x(to), y2 = y(to * level.rate);
    const double angle = std::atan2(y2 - y1, x2 - x1) * 180 / std::acos(-1.0);
    drawn += line("level", x1, y1, x2, y2) +
             text_at(-14, -5, level.label + " " + rate(level.rate, "B/s"),
                     fmt::format("class=\"halo\" text-anchor=\"end\" transform=\"translate({:.1f} {:.1f}) "
                                 "rotate({:.1f})\"",
                                 x2, y2, angle));
  }
  return drawn;
}

/// Vertical positions of labels, moved apart to at least one line. @param wanted  ascending positions
std::vector<double> spread(std::vector<double> wanted) {
  constexpr double apart = 17;
  for (std::size_t i = 1; i < wanted.size(); ++i) wanted[i] = std::max(wanted[i], wanted[i - 1] + apart);
  double lowest = bottom;
  for (auto y = wanted.rbegin(); y != wanted.rend(); ++y, lowest -= apart) *y = std::min(*y, lowest);
  return wanted;
}

std::string subtitle(const ReportedMachine& machine) {
  std::vector<std::string> all;
  for (const ReportedMachine::Source& source : machine.sources) {
    const Origin& o = source.named->run.origin;
    const std::string commit = o.commit.empty() ? "version " + o.rooftile : "commit " + o.commit;
    const std::string words = commit + ", " + o.date.substr(0, 10);
    if (std::find(all.begin(), all.end(), words) == all.end()) all.push_back(words);
  }
  return fmt::format("gemm's automatic choices under the measured ceilings; {}", fmt::join(all, "; "));
}

}  // namespace

std::string roofline_picture(const std::vector<ReportedMachine>& machines) {
  if (machines.size() != 1) {
    throw Error(detail::text("several machines (",
                             listed(machines, [](const ReportedMachine& m) { return m.title(); }),
                             "): name files of one machine for --picture"));
  }
  const ReportedMachine& machine = machines.front();
  const std::vector<Series> all = series_of(machine);
  if (all.empty()) {
    throw Error(detail::text("no automatic choice with a rate (", machine.title(),
                             "): run `rooftile bench --suite` or `--kernel automatic`"));
  }
  const std::vector<LabelledRate> levels = memory_ceilings(machine.device.ceilings);
  double widest = 0, least = all[0].results[0]->intensity, most = least, slowest = all[0].results[0]->gflops,
         fastest = slowest;
  for (const LabelledRate& level : levels) widest = std::max(widest, level.rate);
  std::vector<std::string> paths;
  for (const Series& s : all) {
    for (const Result* r : s.results) {
      least = std::min(least, r->intensity), most = std::max(most, r->intensity);
      slowest = std::min(slowest, r->gflops), fastest = std::max(fastest, r->gflops);
      if (std::find(paths.begin(), paths.end(), r->path) == paths.end()) paths.push_back(r->path);
    }
  }
  const double peak = all.front().peak > 0 ? all.front().peak : fastest;
  const Axis x{std::min(least / 1.5, peak / widest / 4), std::max(2 * most, 4 * peak / levels[0].rate), left,
               right};
  const Axis y{std::min(slowest / 1.5, peak / 20), 1.6 * std::max(peak, fastest), bottom, top};

  std::string picture = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900\" height=\"560\" viewBox=\"0 0 900 560\" "
      "role=\"img\">\n<title>{}</title>\n{}<rect class=\"paper\" width=\"900\" height=\"560\"/>\n",
      markup("Roofline of " + machine.title()), style);
  picture += text_at(left, 28, machine.title(), "style=\"font-size:17px;font-weight:bold\"") +
             text_at(left, 48, subtitle(machine), "class=\"grey\"") + ticks(x, y);
  std::vector<double> wanted;
  std::string marks;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Series& s = all[i];
    double highest = 0;
    for (const Result* r : s.results) {
      highest = std::max(highest, r->gflops);
      marks += mark(r->path, i % colours, x(r->intensity), y(r->gflops));
    }
    const double at = y(s.peak > 0 ? s.peak : highest);
    wanted.push_back(wanted.empty() ? at : std::max(at, wanted.back()));
    if (s.peak > 0)
      picture +=
          line(fmt::format("line c{}", i % colours), x(std::max(x.low, s.peak / widest)), at, right, at);
  }
  picture += fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", left, top,
                         right - left, bottom - top) +
             marks + slopes(levels, peak, x, y);
  const std::vector<double> at = spread(wanted);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Series& s = all[i];
    picture += line(fmt::format("line c{}", i % colours), right, wanted[i], right + 12, at[i]) +
               mark(s.results.front()->path, i % colours, right + 20, at[i]) +
               text_at(right + 30, at[i] + 4,
                       s.math + (s.peak > 0 ? " " + rate(s.peak, "FLOP/s") : ", no ceiling measured"));
  }
  std::string shapes;
  for (const std::string& path : paths)
    shapes += (shapes.empty() ? "" : ", ") + path + (path == "native" ? " \u25b2" : " \u25cf");
  picture += text_at(right - 10, bottom - 10, shapes, "class=\"halo\" text-anchor=\"end\"");
  return picture + "</svg>\n";
}

}  // namespace rooftile::perf
