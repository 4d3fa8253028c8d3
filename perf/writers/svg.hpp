// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

/// Pictures as SVG: their texts, axes, lines, marks and legends.
namespace rooftile::perf {

/// Bytes of the UTF-8 character that a text begins with; 0: it begins with none. @pre the text is not empty
inline std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  // No longer form than the shortest, no surrogate, nothing above U+10FFFF.
  const unsigned least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (first < 0xC2 || first > 0xF4 || byte(1) < least || byte(1) > most) return 0;
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

/// A text as it stands in XML and HTML, between tags and in attributes alike: whatever a file says, it is no
/// markup. Characters that XML has no place for, such as the control characters, become U+FFFD, and so do
/// bytes that are not UTF-8, which a file's name may have.
inline std::string markup(std::string_view text) {
  constexpr std::string_view none = "\xEF\xBF\xBD";
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else if (c == '\'') {
      result += "&#39;";
    } else if (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n') {
      result += none;
    } else if (text.substr(i, 3) == "\xEF\xBF\xBE" || text.substr(i, 3) == "\xEF\xBF\xBF") {
      result += none;
      i += 2;
    } else if (const std::size_t length = character_length(text.substr(i)); length > 0) {
      result += text.substr(i, length);
      i += length - 1;
    } else {
      result += none;
    }
  }
  return result;
}

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

/// What pictures look like, by the classes of their elements; in the light and in the dark. The colours of
/// paths are Okabe and Ito's, which colour-blind readers tell apart.
inline constexpr std::string_view plot_style =
    R"(.plot{--paper:#fff;--ink:#1b1b1b;--grey:#6b6b6b;--faint:#ddd;
--portable:#0072b2;--native:#d55e00;--vendor:#009e73;--peer:#8a5a9e;background:var(--paper);
font:13px sans-serif}
@media(prefers-color-scheme:dark){.plot{--paper:#16181c;--ink:#ececec;--grey:#a6a6a6;--faint:#3a3d42;
--portable:#56b4e9;--native:#ff8b3d;--vendor:#2fd3a0;--peer:#cc9be0}}
.plot text{fill:var(--ink)}.plot .small{font-size:11px}.plot .title{font-size:15px;font-weight:600}
.plot .on-marks{font-size:11px;paint-order:stroke;stroke:var(--paper);stroke-width:3px;stroke-linejoin:round}
.plot .paper{fill:var(--paper)}.plot .grid{stroke:var(--faint);stroke-width:.75}
.plot .frame{stroke:var(--ink);fill:none}.plot .roof{stroke:var(--ink);stroke-width:2.5;fill:none}
.plot .inner{stroke:var(--grey);stroke-width:1.25;stroke-dasharray:5 4;fill:none}
.plot .portable{fill:var(--portable);stroke:var(--portable)}.plot .native{fill:var(--native);stroke:var(--native)}
.plot .vendor{fill:var(--vendor);stroke:var(--vendor)}.plot .peer{fill:var(--peer);stroke:var(--peer)}
.plot .mark{stroke:var(--paper);stroke-width:.6;fill-opacity:.85}.plot .bar{stroke:none}
.plot .hollow{fill:var(--paper);stroke-width:2}.plot .hollow.portable{stroke:var(--portable)}
.plot .hollow.native{stroke:var(--native)}.plot .hollow.vendor{stroke:var(--vendor)}.plot .hollow.peer{stroke:var(--peer)}
.plot .curve{fill:none;stroke-width:2.5}.plot .tiny{font-size:9px;fill:var(--grey)}
.plot .portable-line{stroke:var(--portable)}.plot .native-line{stroke:var(--native)}
.plot .vendor-line{stroke:var(--vendor)}.plot .peer-line{stroke:var(--peer)}
)";

/// The same for programs that know no variables of CSS, as most know none beside browsers: before each value
/// that is a variable's stands what it is in the light, which they take.
inline std::string plot_style_for_all() {
  std::string style(plot_style);
  for (std::size_t at = 0; (at = style.find("var(--", at)) != std::string::npos;) {
    const std::size_t end = style.find(')', at), begin = style.rfind(':', at) + 1;
    const std::string name = style.substr(at + 4, end - at - 4) + ':';
    const std::size_t value = plot_style.find(name) + name.size();
    const std::string light(plot_style.substr(value, plot_style.find_first_of(";}", value) - value));
    const std::size_t property = style.find_last_of("{;", begin) + 1;
    const std::string before = style.substr(property, begin - property) + light + ';';
    style.insert(property, before);
    at = end + before.size();
  }
  return style;
}

/// Shapes of marks, all about equally large. Filled and hollow they are more than there are modes.
enum class Shape { circle, square, diamond, up, down, plus, cross, bow, hourglass };
inline constexpr int shapes = 9;

/// A picture in the making. Distances are in pixels from the upper left corner, as the picture is when
/// nothing scales it; texts are given as they are read, and `style` names classes of `plot_style`.
class Svg {
 public:
  /// @param title  for those who do not see it, too
  Svg(int width, int height, std::string title) : width_(width), height_(height), title_(std::move(title)) {}

  void line(double x0, double y0, double x1, double y1, std::string_view style) {
    add("<line class=\"{}\" x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\"/>", style, x0, y0, x1,
        y1);
  }

  void polyline(const std::vector<std::pair<double, double>>& points, std::string_view style) {
    std::string list;
    for (const auto& [x, y] : points) list += fmt::format("{}{:.2f},{:.2f}", list.empty() ? "" : " ", x, y);
    add("<polyline class=\"{}\" points=\"{}\"/>", style, list);
  }

  /// @param tip  what is shown while a pointer rests on it; empty: nothing
  void rectangle(double x, double y, double width, double height, std::string_view style,
                 std::string_view tip = "") {
    const std::string tag =
        fmt::format("rect class=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"", style,
                    x, y, width, height);
    add_tipped(tag, "rect", tip);
  }

  /// @param anchor   start, middle or end of the text is at x
  /// @param degrees  upwards
  void text(double x, double y, std::string_view words, std::string_view anchor = "start",
            std::string_view style = "", double degrees = 0) {
    const std::string turn =
        degrees == 0 ? "" : fmt::format(" transform=\"rotate({:.1f} {:.2f} {:.2f})\"", -degrees, x, y);
    const std::string of = style.empty() ? "" : fmt::format(" class=\"{}\"", style);
    add("<text{} x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\"{}>{}</text>", of, x, y, anchor, turn,
        markup(words));
  }

  void mark(Shape shape, double x, double y, std::string_view style, std::string_view tip = "") {
    if (shape == Shape::circle) {
      add_tipped(fmt::format("circle class=\"mark {}\" cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"4.5\"", style, x, y),
                 "circle", tip);
      return;
    }
    constexpr std::array<std::string_view, shapes> outlines = {
        "",
        "m-4-4h8v8h-8z",
        "m0-5.7l5.7 5.7l-5.7 5.7l-5.7-5.7z",
        "m0-5.2l5.2 9h-10.4z",
        "m0 5.2l5.2-9h-10.4z",
        "m-1.7-5h3.4v3.3h3.3v3.4h-3.3v3.3h-3.4v-3.3h-3.3v-3.4h3.3z",
        "m-2.4-4.8l2.4 2.4l2.4-2.4l2.4 2.4l-2.4 2.4l2.4 2.4l-2.4 2.4l-2.4-2.4l-2.4 "
        "2.4l-2.4-2.4l2.4-2.4l-2.4-2.4z",
        "m-5-4.5l10 9v-9l-10 9z",
        "m-4.5-5l9 10h-9l9-10z"};
    add_tipped(fmt::format("path class=\"mark {}\" d=\"M{:.2f} {:.2f}{}\"", style, x, y,
                           outlines[static_cast<std::size_t>(shape)]),
               "path", tip);
  }

  /// Lines across at the ticks of both axes, with their labels, and a frame.
  void axes(const Axis& x, const Axis& y, std::string_view x_name, std::string_view y_name) {
    for (const double tick : x.ticks()) {
      line(x.at(tick), y.begin, x.at(tick), y.end, "grid");
      text(x.at(tick), y.begin + 17, tick_label(tick), "middle");
    }
    for (const double tick : y.ticks()) {
      line(x.begin, y.at(tick), x.end, y.at(tick), "grid");
      text(x.begin - 7, y.at(tick) + 4.5, tick_label(tick), "end");
    }
    rectangle(x.begin, y.end, x.end - x.begin, y.begin - y.end, "frame");
    text((x.begin + x.end) / 2, y.begin + 37, x_name, "middle");
    text(18, (y.begin + y.end) / 2, y_name, "middle", "", 90);
  }

  /// A file of its own.
  std::string file() const {
    return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n" + element(plot_style_for_all());
  }

  /// Part of a page that has `plot_style` once.
  std::string part() const { return element(""); }

  const std::string& title() const { return title_; }
  int width() const { return width_; }
  int height() const { return height_; }

 private:
  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    body_ += fmt::format(format, std::forward<Values>(values)...) + '\n';
  }

  void add_tipped(const std::string& tag, std::string_view name, std::string_view tip) {
    if (tip.empty()) {
      add("<{}/>", tag);
    } else {
      add("<{}><title>{}</title></{}>", tag, markup(tip), name);
    }
  }

  std::string element(std::string_view style) const {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" "
        "aria-label=\"{}\">\n<title>{}</title>\n{}<rect class=\"paper\" width=\"{}\" "
        "height=\"{}\"/>\n{}</svg>\n",
        width_, height_, markup(title_), markup(title_),
        style.empty() ? "" : fmt::format("<style>{}</style>\n", style), width_, height_, body_);
  }

  int width_, height_;
  std::string title_, body_;
};

/// The legend of a picture, in rows: each mark once.
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

/// The style of what a path has in pictures; of other paths, the peer's.
inline std::string_view style_of_path(std::string_view path) {
  return path == "portable" || path == "native" || path == "vendor" ? path : "peer";
}

}  // namespace rooftile::perf
