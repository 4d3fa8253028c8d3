// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/core.h>

#include "../command.hpp"
#include "../record/json.hpp"
#include "../record/last_run.hpp"
#include "../writers/html_report.hpp"
#include "../writers/output.hpp"
#include "../writers/output_file.hpp"
#include "../writers/roofline_picture.hpp"

namespace rooftile::perf {
namespace {

struct Options {
  std::vector<std::string> files;
  std::optional<std::string> html, picture;
};

/// Reads each file once, even if it is named twice, because its products would count twice.
std::vector<NamedRun> runs_of(const std::vector<std::string>& files) {
  std::vector<NamedRun> runs;
  for (const std::string& file : files) {
    const bool again =
        std::any_of(runs.begin(), runs.end(), [&](const NamedRun& named) { return named.file == file; });
    if (!again) runs.push_back({file, read_run("", file)});
  }
  return runs;
}

int run(const Options& o) {
  const std::vector<std::string> files =
      o.files.empty() ? std::vector<std::string>{require_last_run()} : o.files;
  std::optional<OutputFile> page, picture;
  if (o.html || !o.picture) page.emplace("--html", o.html.value_or("report.html"));
  if (o.picture) picture.emplace("--picture", *o.picture);
  const std::vector<NamedRun> runs = runs_of(files);
  const std::vector<ReportedMachine> machines = machines_in(runs);
  if (picture) {
    const std::string text = roofline_picture(machines);
    picture->write(text);
    fmt::print("{}: {:.0f} kB\n", picture->path(), 1e-3 * static_cast<double>(text.size()));
  }
  if (page) {
    const std::string text = html_report(runs, machines);
    page->write(text);
    const char* const why = has_charts() ? "" : ", without charts: the program was built without Chart.js";
    fmt::print("{}: {}, {:.0f} kB{}\n", page->path(), counted(machines.size(), "machine"),
               1e-3 * static_cast<double>(text.size()), why);
  }
  return ok;
}

Command::Run setup(Arguments& app) {
  auto o = std::make_shared<Options>();
  app.add_option("FILE", o->files,
                 "files of `bench --json`, of one machine or several (default the last run)");
  app.add_option("--html", o->html, "the page, one file that needs no other (default report.html)");
  app.add_option("--picture", o->picture,
                 "instead, or beside --html: the roofline of one machine's automatic choices as an SVG");
  return [o] { return run(*o); };
}

const Command report{"report",
                     "How do the results of one or several machines look side by side?",
                     {"rooftile report", "rooftile report h100.json epyc.json --html report.html",
                      "rooftile report run.json --picture roofline.svg"},
                     setup};

}  // namespace
}  // namespace rooftile::perf
