// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// The static parts of a report: the files of this folder, and the library of ROOFTILE_PLOT_JS.
/// `perf/CMakeLists.txt` generates a source with their texts.
namespace rooftile::perf::parts {

extern const std::string_view style;     ///< report.css
extern const std::string_view legend;    ///< legend.html
extern const std::string_view explorer;  ///< explorer.html: search box and machine selector
extern const std::string_view script;    ///< the scripts; without the library they show no charts
extern const std::string_view library;   ///< Chart.js; empty: not available in this build
extern const std::string_view licence;   ///< licence of the library

}  // namespace rooftile::perf::parts
