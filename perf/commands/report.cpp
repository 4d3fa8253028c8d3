// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include <fmt/core.h>

#include "../command.hpp"
#include "../record/json.hpp"
#include "../writers/html_report.hpp"
#include "../writers/output.hpp"
#include "../writers/output_file.hpp"
#include "../writers/png.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string html, svg, png;
  bool is_static = false;
};

/// @throws Error where there is no folder, and none can be made
void require_folder(const std::string& option, const std::string& folder) {
  std::error_code problem;
  std::filesystem::create_directory(folder, problem);
  if (std::filesystem::is_directory(folder)) return;
  throw Error(detail::text("no folder for pictures (", option, ' ', folder, ", ", problem.message(),
                           "): give one that exists, or can be made"));
}

/// A file each, in a folder. @param made  what a picture's file holds
template <class Made>
void write_pictures(const std::string& option, const std::string& folder, const std::string& end,
                    const std::vector<Figure>& figures, const Made& made) {
  require_folder(option, folder);
  for (const Figure& figure : figures) {
    OutputFile(option, (std::filesystem::path(folder) / (figure.name + end)).string())
        .write(made(figure.picture));
  }
  fmt::print("{}: {}\n", folder, counted(figures.size(), "picture"));
}

int run(const Options& o) {
  if (o.html.empty() && o.svg.empty() && o.png.empty())
    throw Error("nothing to write: give --html FILE, --svg FOLDER, --png FOLDER, or several of them");
  std::optional<Png> png;
  if (!o.png.empty()) png.emplace("--png " + o.png);
  std::optional<OutputFile> page;
  if (!o.html.empty()) page.emplace("--html", o.html);
  std::vector<NamedRun> runs;
  for (const std::string& file : o.files) runs.push_back({file, read_run("", file)});
  const std::vector<ReportedMachine> machines = machines_in(runs);
  const std::vector<Figure> figures = figures_of(machines);
  if (!o.svg.empty()) {
    write_pictures("--svg", o.svg, ".svg", figures, [](const Svg& picture) { return picture.file(); });
  }
  if (png)
    write_pictures("--png", o.png, ".png", figures, [&](const Svg& picture) { return png->of(picture); });
  if (page) {
    const std::string text = html_report(runs, machines, figures, !o.is_static);
    page->write(text);
    const char* const why = can_be_interactive() ? "" : ", static: the program was built without Chart.js";
    fmt::print("{}: {}, {}, {:.0f} kB{}\n", o.html, counted(machines.size(), "machine"),
               counted(figures.size(), "picture"), 1e-3 * static_cast<double>(text.size()), why);
  }
  return ok;
}

Command::Run setup(Arguments& app) {
  auto o = std::make_shared<Options>();
  app.add_option("FILE", o->files, "what `bench --json` wrote, of one machine or several")->required();
  app.add_option("--html", o->html, "the report, one file that needs no other");
  app.add_option("--svg", o->svg, "a folder for its pictures, a file each");
  app.add_option("--png", o->png, "the same as PNG; rsvg-convert or Chromium makes them");
  app.add_flag("--static", o->is_static, "without script, also where the program has Chart.js");
  return [o] { return run(*o); };
}

const Command report{
    "report",
    "How do the results of one or several machines look side by side?",
    {"rooftile report run.json --html report.html", "rooftile report h100.json epyc.json --svg pictures"},
    setup};

}  // namespace
}  // namespace rooftile::perf
