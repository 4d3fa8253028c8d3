// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// What a report is made of beside the results: the files of this folder, and the library of
/// ROOFTILE_PLOT_JS. `perf/CMakeLists.txt` writes their texts into a source.
namespace rooftile::perf::parts {

extern const std::string_view style;     ///< report.css
extern const std::string_view legend;    ///< legend.html
extern const std::string_view explorer;  ///< explorer.html: search box and choice of machine
extern const std::string_view script;    ///< the scripts, which work without the library but for charts
extern const std::string_view library;   ///< Chart.js; empty: the build has none
extern const std::string_view licence;   ///< of the library

}  // namespace rooftile::perf::parts
