// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/core.h>
#include <stdio.h>
#include <unistd.h>

#include "output_file.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {

/// A picture that the program gnuplot draws.
class Gnuplot {
 public:
  /// Finds out before a long run whether there can be a picture.
  /// @param file  ends in .svg or .png
  /// @throws Error for another ending, a file that cannot be written, or without gnuplot
  Gnuplot(const std::string& file, int width, int height) : file_("--plot", file) {
    const std::string ending = std::filesystem::path(file).extension();
    if (ending != ".svg" && ending != ".png") {
      throw Error(detail::text("not a picture (--plot ", file, "): end the name in .svg or .png"));
    }
    if (std::system("command -v gnuplot >/dev/null 2>&1") != 0) {
      throw Error("no gnuplot (--plot): install it, such as with `apt-get install gnuplot-nox`");
    }
    const char* terminal =
        ending == ".svg" ? "svg noenhanced dynamic background 'white'" : "pngcairo noenhanced";
    add("set terminal {} size {},{} font 'sans,13'", terminal, width, height);
    add("set encoding utf8");
  }

  /// One line of gnuplot's language.
  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    script_ += fmt::format(format, std::forward<Values>(values)...) + '\n';
  }

  /// @throws Error if gnuplot refuses, OutputLost if the file cannot be written
  void draw() const {
    std::string picture = std::filesystem::temp_directory_path() / "rooftile-plot-XXXXXX";
    const int made = mkstemp(picture.data());
    if (made < 0) throw OutputLost(detail::text("no place to draw (", picture, "): free some space there"));
    close(made);
    const bool drawn = run("set output " + quoted(picture) + '\n' + script_ + "unset output\n");
    std::ifstream stream(picture, std::ios::binary);
    const std::string image{std::istreambuf_iterator<char>(stream), {}};
    std::filesystem::remove(picture);
    if (!drawn || image.empty()) throw Error("gnuplot could not draw (--plot): see its message above");
    file_.write(image);
  }

  /// A text as gnuplot reads it.
  static std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? "''" : std::string(1, c);
    return result + '\'';
  }

 private:
  static bool run(const std::string& script) {
    FILE* gnuplot = popen("gnuplot", "w");
    if (gnuplot == nullptr) throw Error("cannot start gnuplot (--plot): free some memory");
    fputs(script.c_str(), gnuplot);
    return pclose(gnuplot) == 0;
  }

  OutputFile file_;
  std::string script_;
};

}  // namespace rooftile::perf
