// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include <fmt/core.h>
#include <stdio.h>

#include "rooftile/error.hpp"

namespace rooftile::perf {

/// A picture that the program gnuplot draws.
class Gnuplot {
 public:
  /// @param file  ends in .svg or .png
  /// @throws Error for another ending
  Gnuplot(std::string file, int width, int height) : file_(std::move(file)) {
    const std::string ending = std::filesystem::path(file_).extension();
    if (ending != ".svg" && ending != ".png") {
      throw Error(detail::text("not a picture (--plot ", file_, "): end the name in .svg or .png"));
    }
    const char* terminal =
        ending == ".svg" ? "svg noenhanced dynamic background 'white'" : "pngcairo noenhanced";
    add("set terminal {} size {},{} font 'sans,13'", terminal, width, height);
    add("set encoding utf8");
    add("set output {}", quoted(file_));
  }

  /// One line of gnuplot's language.
  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    script_ += fmt::format(format, std::forward<Values>(values)...) + '\n';
  }

  /// @throws Error if gnuplot is missing, refuses, or the file cannot be written
  void draw() const {
    if (std::system("command -v gnuplot >/dev/null 2>&1") != 0) {
      throw Error("no gnuplot (--plot): install it, such as with `apt-get install gnuplot-nox`");
    }
    if (!std::ofstream(file_, std::ios::app)) {
      throw Error(
          detail::text("cannot write the picture (--plot ", file_, "): name a file in a folder that exists"));
    }
    FILE* gnuplot = popen("gnuplot", "w");
    if (gnuplot == nullptr) throw Error("cannot start gnuplot (--plot): free some memory");
    fputs(script_.c_str(), gnuplot);
    if (pclose(gnuplot) != 0) throw Error("gnuplot could not draw (--plot): see its message above");
  }

  /// A text as gnuplot reads it.
  static std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? "''" : std::string(1, c);
    return result + '\'';
  }

 private:
  std::string file_;
  std::string script_;
};

}  // namespace rooftile::perf
