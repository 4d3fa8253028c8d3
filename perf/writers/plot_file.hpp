// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "output_file.hpp"
#include "rooftile/error.hpp"
#include "svg.hpp"

namespace rooftile::perf {

/// The file of `--plot`.
class PlotFile {
 public:
  /// @throws Error for a name that does not end in .svg, or as `OutputFile`
  explicit PlotFile(const std::string& path) : file_("--plot", path) {
    if (std::filesystem::path(path).extension() == ".svg") return;
    throw Error(detail::text("not a picture that is drawn here (--plot ", path, "): end the name in .svg"));
  }

  /// @throws OutputLost as `OutputFile`
  void write(const Svg& picture) const { file_.write(picture.file()); }

 private:
  OutputFile file_;
};

}  // namespace rooftile::perf
