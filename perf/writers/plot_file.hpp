// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "output_file.hpp"
#include "png.hpp"
#include "rooftile/error.hpp"
#include "svg.hpp"

namespace rooftile::perf {

/// The file of `--plot`.
class PlotFile {
 public:
  /// @throws Error for a name that does not end in .svg or .png, or as `OutputFile` and `Png`
  explicit PlotFile(const std::string& path) : file_("--plot", path) {
    const std::string end = std::filesystem::path(path).extension().string();
    if (end == ".png") png_.emplace("--plot " + path);
    if (end == ".svg" || png_) return;
    throw Error(
        detail::text("not a picture that is drawn here (--plot ", path, "): end the name in .svg or .png"));
  }

  /// @throws OutputLost as `OutputFile`, or Error as `Png`
  void write(const Svg& picture) const { file_.write(png_ ? png_->of(picture) : picture.file()); }

 private:
  OutputFile file_;
  std::optional<Png> png_;
};

}  // namespace rooftile::perf
