// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "gnuplot.hpp"

namespace rooftile::perf {

/// A bandwidth (GB/s) or a peak (GFLOP/s) and what the picture calls it.
struct Ceiling {
  std::string label;
  double rate;
};

/// Slopes and flats that bound the kernels of one device.
struct PlottedRoof {
  std::vector<Ceiling> bandwidths;  ///< the memory's first
  std::vector<Ceiling> peaks;       ///< first the one that inner levels lead to
};

/// A kernel that ran.
struct MeasuredPoint {
  std::string path;     ///< portable, native, vendor: the colour
  std::string backend;  ///< openmp, cuda …: the shape
  double intensity;     ///< FLOP per byte
  double gflops;
};

/// Draws ceilings and measured kernels, both axes logarithmic.
/// @throws Error as `Gnuplot`
class RooflinePlot {
 public:
  static constexpr int width = 960, height = 640;

  /// @param gnuplot  of that size; outlives the plot
  RooflinePlot(Gnuplot& gnuplot, const std::string& title, const std::vector<PlottedRoof>& roofs,
               const std::vector<MeasuredPoint>& points)
      : gnuplot_(gnuplot), x_(intensities(roofs, points)), y_(rates(roofs, points, x_.low)) {
    gnuplot_.add("set title {}", Gnuplot::quoted(title));
    gnuplot_.add("set xlabel 'FLOP per byte moved'");
    gnuplot_.add("set ylabel 'GFLOP/s'");
    gnuplot_.add("set logscale xy");
    gnuplot_.add("set grid xtics ytics lt 1 lw 0.75 lc rgb '#dddddd'");
    gnuplot_.add("set format y '%.7g'");
    gnuplot_.add("set xrange [{}:{}]", x_.low, x_.high);
    gnuplot_.add("set yrange [{}:{}]", y_.low, y_.high);
    gnuplot_.add("set lmargin at screen {}", left);
    gnuplot_.add("set rmargin at screen {}", right);
    gnuplot_.add("set bmargin at screen {}", bottom);
    gnuplot_.add("set tmargin at screen {}", top);
    gnuplot_.add(
        "set key at screen 0.54,0.01 center bottom horizontal maxrows 2 Left reverse samplen 1 font ',11'");
    const auto lower = [](const PlottedRoof& a, const PlottedRoof& b) {
      return a.peaks[0].rate < b.peaks[0].rate;
    };
    const auto highest = std::max_element(roofs.begin(), roofs.end(), lower);
    for (const PlottedRoof& roof : roofs) add(roof, &roof != &*highest);
    for (const MeasuredPoint& p : points) series_[{p.path, p.backend}].push_back(p);
  }

  void draw() {
    std::string plots = "NaN notitle";
    for (const auto& [kind, points] : series_) {
      const auto& [path, backend] = kind;
      const std::string block = fmt::format("$points_{}_{}", path, backend);
      gnuplot_.add("{} << EOD", block);
      for (const MeasuredPoint& p : points) gnuplot_.add("{} {}", p.intensity, p.gflops);
      gnuplot_.add("EOD");
      plots += fmt::format(", {} using 1:2 with points pt {} ps 1.1 lc rgb '{}' title {}", block,
                           shape_of(backend), colour_of(path), Gnuplot::quoted(path + ", " + backend));
    }
    if (series_.empty()) gnuplot_.add("unset key");
    gnuplot_.add("plot {}", plots);
    gnuplot_.draw();
  }

 private:
  /// Okabe and Ito's colours, which colour-blind readers tell apart.
  static const char* colour_of(const std::string& path) {
    if (path == "portable") return "#0072B2";
    if (path == "native") return "#D55E00";
    return path == "vendor" ? "#009E73" : "#666666";
  }

  /// gnuplot's number of a filled shape.
  static int shape_of(const std::string& backend) {
    if (backend == "cuda") return 5;
    if (backend == "hip") return 9;
    return 7;
  }

  struct Range {
    double low;
    double high;
    double decades() const { return std::log10(high / low); }
  };

  /// Intensities from left of the naive kernel to right of the ridges, and of the points.
  static Range intensities(const std::vector<PlottedRoof>& roofs, const std::vector<MeasuredPoint>& points) {
    Range x{0.1, 10};
    for (const PlottedRoof& roof : roofs) {
      for (const Ceiling& peak : roof.peaks)
        x.high = std::max(x.high, 4 * peak.rate / roof.bandwidths[0].rate);
    }
    for (const MeasuredPoint& p : points)
      x = {std::min(x.low, p.intensity / 2), std::max(x.high, 2 * p.intensity)};
    return x;
  }

  /// Rates from what memory allows at the lowest intensity, or the slowest point, to above the highest peak.
  static Range rates(const std::vector<PlottedRoof>& roofs, const std::vector<MeasuredPoint>& points,
                     double x_low) {
    Range y{1e300, 0};
    for (const PlottedRoof& roof : roofs) {
      y.low = std::min(y.low, roof.bandwidths[0].rate * x_low);
      for (const Ceiling& peak : roof.peaks) y.high = std::max(y.high, 3 * peak.rate);
    }
    for (const MeasuredPoint& p : points) y = {std::min(y.low, p.gflops / 2), std::max(y.high, 2 * p.gflops)};
    return y;
  }

  static constexpr double left = 0.11, right = 0.97, bottom = 0.19, top = 0.93;

  /// The memory's roof bold; thin, the inner levels up to the first peak. Each is named on its line, those of
  /// a second roof below theirs, since two roofs of one device lie close.
  void add(const PlottedRoof& roof, bool names_below) {
    const auto slower = [](const Ceiling& a, const Ceiling& b) { return a.rate < b.rate; };
    const double highest = std::max_element(roof.peaks.begin(), roof.peaks.end(), slower)->rate;
    const double fastest = std::max_element(roof.bandwidths.begin(), roof.bandwidths.end(), slower)->rate;
    const double memory = roof.bandwidths[0].rate, first_peak = roof.peaks[0].rate;
    line(first_peak / fastest, first_peak, first_peak / memory, first_peak, false);
    for (const Ceiling& bandwidth : roof.bandwidths) {
      const bool outer = bandwidth.rate == memory;
      const double from = std::max(x_.low, y_.low / bandwidth.rate), reached = outer ? highest : first_peak;
      line(from, from * bandwidth.rate, reached / bandwidth.rate, reached, outer);
      label(bandwidth.label, from * 1.25, from * 1.25 * bandwidth.rate, "left", angle(), names_below);
    }
    for (const Ceiling& peak : roof.peaks) {
      const double ridge = peak.rate / memory;
      line(ridge, peak.rate, x_.high, peak.rate, true);
      label(fmt::format("{}, ridge {:.3g} FLOP/B", peak.label, ridge), x_.high * 0.95, peak.rate, "right", 0,
            names_below);
    }
  }

  void line(double x0, double y0, double x1, double y1, bool bold) {
    gnuplot_.add("set arrow from {},{} to {},{} nohead lw {} dt {} lc rgb '{}'", x0, y0, x1, y1,
                 bold ? 2.5 : 1.25, bold ? 1 : 2, bold ? "black" : "#888888");
  }

  /// Just above its line, or below.
  void label(const std::string& text, double x, double y, const char* side, double degrees, bool below) {
    const double above = degrees > 0 ? 0.9 : 0.5;
    gnuplot_.add("set label {} at {},{} {} rotate by {} offset character {},{} font ',11'",
                 Gnuplot::quoted(text), x, y, side, degrees, below && degrees > 0 ? 1.5 : 0,
                 below ? -above : above);
  }

  /// Of a slope of one decade per decade, in the picture.
  double angle() const {
    const double across = (right - left) * width / x_.decades(), up = (top - bottom) * height / y_.decades();
    return std::atan2(up, across) * 180 / 3.14159265358979;
  }

  Gnuplot& gnuplot_;
  Range x_;
  Range y_;
  std::map<std::pair<std::string, std::string>, std::vector<MeasuredPoint>> series_;
};

}  // namespace rooftile::perf
