// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "svg.hpp"

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
  std::string path;  ///< portable, native, vendor: the colour
  std::string kind;  ///< openmp, cuda … or a mode: what the shape stands for
  Shape shape;
  double intensity;  ///< FLOP per byte
  double gflops;
  std::string tip;      ///< shown while a pointer rests on it
  bool hollow = false;  ///< the outline alone: the shapes once more
};

/// The shape of what ran on a backend.
inline Shape shape_of_backend(const std::string& backend) {
  return backend == "cuda" ? Shape::square : backend == "hip" ? Shape::up : Shape::circle;
}

/// Ceilings and measured kernels, both axes logarithmic.
class RooflinePlot {
 public:
  static constexpr int width = 960, height = 640;

  RooflinePlot(const std::string& title, const std::vector<PlottedRoof>& roofs,
               const std::vector<MeasuredPoint>& points)
      : svg_(width, height, title) {
    x_ = intensities(roofs, points);
    y_ = rates(roofs, points, x_.low);
    svg_.text(width / 2.0, 26, title, "middle", "title");
    svg_.axes(x_, y_, "FLOP per byte moved", "GFLOP/s");
    const auto lower = [](const PlottedRoof& a, const PlottedRoof& b) {
      return a.peaks[0].rate < b.peaks[0].rate;
    };
    const auto highest = std::max_element(roofs.begin(), roofs.end(), lower);
    for (const PlottedRoof& roof : roofs) add(roof, &roof != &*highest);
    Legend legend;
    for (const MeasuredPoint& p : points) {
      const std::string style = std::string(style_of_path(p.path)) + (p.hollow ? " hollow" : "");
      svg_.mark(p.shape, x_.at(p.intensity), y_.at(p.gflops), style, p.tip);
      legend.add(p.path + ", " + p.kind, style, p.shape);
    }
    legend.draw(svg_, x_.begin, height - legend_height + 14, x_.end);
    for (const Label& l : labels_) svg_.text(l.x, l.y, l.text, l.side, "on-marks", l.degrees);
  }

  const Svg& picture() const { return svg_; }

 private:
  /// The axis of intensities: from left of the naive kernel to right of the ridges, and of the points.
  static Axis intensities(const std::vector<PlottedRoof>& roofs, const std::vector<MeasuredPoint>& points) {
    Axis x{0.1, 10, 92, width - 28};
    for (const PlottedRoof& roof : roofs) {
      for (const Ceiling& peak : roof.peaks)
        x.high = std::max(x.high, 4 * peak.rate / roof.bandwidths[0].rate);
    }
    for (const MeasuredPoint& p : points) {
      x.low = std::min(x.low, p.intensity / 2), x.high = std::max(x.high, 2 * p.intensity);
    }
    return within_reason(x);
  }

  /// Of rates: from what memory allows at the lowest intensity, or the slowest point, to above the highest
  /// peak.
  static Axis rates(const std::vector<PlottedRoof>& roofs, const std::vector<MeasuredPoint>& points,
                    double x_low) {
    Axis y{1e300, 0, height - legend_height - 50, 44};
    for (const PlottedRoof& roof : roofs) {
      y.low = std::min(y.low, roof.bandwidths[0].rate * x_low);
      for (const Ceiling& peak : roof.peaks) y.high = std::max(y.high, 3 * peak.rate);
    }
    for (const MeasuredPoint& p : points)
      y.low = std::min(y.low, p.gflops / 2), y.high = std::max(y.high, 2 * p.gflops);
    return within_reason(y);
  }

  /// Ends that can be drawn, whatever a file says.
  static Axis within_reason(Axis axis) {
    axis.low = std::max(axis.low, 1e-30), axis.high = std::min(axis.high, 1e30);
    return axis;
  }

  static constexpr int legend_height = 62;

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
      label(bandwidth.label, from * 1.25, from * 1.25 * bandwidth.rate, "start", angle(), names_below);
    }
    for (const Ceiling& peak : roof.peaks) {
      const double ridge = peak.rate / memory;
      line(ridge, peak.rate, x_.high, peak.rate, true);
      label(fmt::format("{}, ridge {:.3g} FLOP/B", peak.label, ridge), x_.high * 0.95, peak.rate, "end", 0,
            names_below);
    }
  }

  /// Nothing of length 0, and nothing outside.
  void line(double x0, double y0, double x1, double y1, bool bold) {
    if (x0 < x1) svg_.line(x_.at(x0), y_.at(y0), x_.at(x1), y_.at(y1), bold ? "roof" : "inner");
  }

  /// Just above its line, or below; that of a flat so far to the left that it is on no other. Labels are
  /// drawn last, over the marks.
  void label(const std::string& text, double x, double y, const char* side, double degrees, bool below) {
    const double distance = below ? 15 : -6, turned = degrees * pi / 180;
    Label placed{text, side, x_.at(x) + distance * std::sin(turned), y_.at(y) + distance * std::cos(turned),
                 degrees};
    const auto collides = [&](const Label& other) {
      return degrees == 0 && other.degrees == 0 && std::abs(other.y - placed.y) < 13 &&
             std::abs(other.x - placed.x) <
                 6.2 * static_cast<double>(std::max(text.size(), other.text.size()));
    };
    while (placed.x > x_.begin + 300 && std::any_of(labels_.begin(), labels_.end(), collides)) placed.x -= 20;
    labels_.push_back(placed);
  }

  /// Of a slope of one decade per decade, in the picture.
  double angle() const {
    return std::atan2((y_.begin - y_.end) / y_.decades(), (x_.end - x_.begin) / x_.decades()) * 180 / pi;
  }

  struct Label {
    std::string text;
    const char* side;
    double x, y, degrees;
  };

  static constexpr double pi = 3.14159265358979;
  Svg svg_;
  std::vector<Label> labels_;
  Axis x_{}, y_{};
};

}  // namespace rooftile::perf
