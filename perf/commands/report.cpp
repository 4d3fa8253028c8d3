// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/core.h>

#include "../command.hpp"
#include "../record/json.hpp"
#include "../writers/html_report.hpp"
#include "../writers/output.hpp"
#include "../writers/output_file.hpp"

namespace rooftile::perf {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string html;
};

int run(const Options& o) {
  const OutputFile page("--html", o.html);
  std::vector<NamedRun> runs;
  for (const std::string& file : o.files) runs.push_back({file, read_run("", file)});
  const std::vector<ReportedMachine> machines = machines_in(runs);
  const std::string text = html_report(runs, machines);
  page.write(text);
  const char* const why = has_charts() ? "" : ", without a chart: the program was built without Chart.js";
  fmt::print("{}: {}, {:.0f} kB{}\n", o.html, counted(machines.size(), "machine"),
             1e-3 * static_cast<double>(text.size()), why);
  return ok;
}

Command::Run setup(Arguments& app) {
  auto o = std::make_shared<Options>();
  app.add_option("FILE", o->files, "what `bench --json` wrote, of one machine or several")->required();
  app.add_option("--html", o->html, "the report, one file that needs no other")->required();
  return [o] { return run(*o); };
}

const Command report{
    "report",
    "How do the results of one or several machines look side by side?",
    {"rooftile report run.json --html report.html", "rooftile report h100.json epyc.json --html report.html"},
    setup};

}  // namespace
}  // namespace rooftile::perf
