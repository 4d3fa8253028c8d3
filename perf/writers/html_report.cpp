// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "html_report.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "../record/data_sheet.hpp"
#include "output.hpp"
#include "report/markup.hpp"
#include "report/parts.hpp"
#include "report_headline.hpp"
#include "report_records.hpp"

namespace rooftile::perf {
namespace {

/// The ranges of clock and power over all samples on a device; empty if not known.
std::string clocks_and_power(const ReportedMachine& machine) {
  std::vector<double> clocks, power;
  for (const ReportedResult& reported : machine.results) {
    const Seconds& s = reported.result.seconds;
    clocks.insert(clocks.end(), s.clocks_mhz.begin(), s.clocks_mhz.end());
    power.insert(power.end(), s.power_w.begin(), s.power_w.end());
  }
  std::string words;
  const auto add = [&](const std::vector<double>& values, const char* unit) {
    if (values.empty()) return;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    words += fmt::format("; samples at {:.0f} to {:.0f} {}", *low, *high, unit);
  };
  add(clocks, "MHz"), add(power, "W");
  return words;
}

/// The distinct texts of a machine's sources, in the order of the sources.
template <class Text>
std::string of_sources(const ReportedMachine& machine, const Text& text) {
  std::vector<std::string> all;
  for (const ReportedMachine::Source& source : machine.sources) {
    const std::string here = text(source);
    if (!here.empty() && std::find(all.begin(), all.end(), here) == all.end()) all.push_back(here);
  }
  return fmt::format("{}", fmt::join(all, "; "));
}

std::string environment_row(const ReportedMachine& machine) {
  using Source = ReportedMachine::Source;
  const MeasuredDevice& d = machine.device;
  std::string backend = d.backend;
  if (d.threads > 0) backend += ", " + counted(d.threads, "thread");
  if (d.ranks > 0) backend += ", " + counted(d.ranks, "process", "processes");
  const auto version = [](const Source& s) {
    const Origin& o = s.named->run.origin;
    return o.rooftile + (o.commit.empty() ? "" : ", " + o.commit) + ", " + o.date.substr(0, 10);
  };
  std::string files;
  for (const Source& s : machine.sources) {
    const Run& run = s.named->run;
    files +=
        "<p>" + markup(run.origin.date + ", " + s.named->file) +
        (run.complete ? "" : ", of a run that did not end") +
        (run.arguments.empty()
             ? ""
             : "<br/><code>bench " + markup(fmt::format("{}", fmt::join(run.arguments, " "))) + "</code>") +
        "</p>";
  }
  const std::string ceilings = in_words(d.ceilings) + clocks_and_power(machine),
                    sheet = share_of_data_sheet(d.name, d.ceilings, "Shares of the data sheet: ");
  const std::string file = machine.needs_file ? " of " + machine.sources.front().named->file : "";
  return "<tr>" + element("td", identity(d) + file) + element("td", backend) +
         element("td", machine.sources.front().device->state) +
         element("td", of_sources(machine, [](const Source& s) { return s.named->run.origin.compiler; })) +
         element("td", of_sources(machine, version)) + "<td><details><summary>" +
         counted(machine.sources.size(), "file") + "</summary>" + files + "<p>Ceilings: " + markup(ceilings) +
         "</p>" + (sheet.empty() ? "" : element("p", sheet)) + "</details></td></tr>\n";
}

std::string environment(const std::vector<NamedRun>& runs, const std::vector<ReportedMachine>& machines) {
  std::string rows, absent;
  for (const ReportedMachine& machine : machines) rows += environment_row(machine);
  for (const NamedRun& named : runs) {
    for (const Absent& a : named.run.absent)
      absent += element("li", fmt::format("{}: {} ({})", a.what, a.why, named.file)) + '\n';
  }
  if (!absent.empty()) absent = "<details><summary>Not there</summary><ul>" + absent + "</ul></details>\n";
  return "<section id=\"environment\">\n<h2>Environment</h2>\n<div class=\"scroll\" tabindex=\"0\"><table>"
         "<thead><tr><th>machine</th><th>backend</th><th>driver and state</th><th>compiler</th>"
         "<th>version, commit and date</th><th>files and ceilings</th></tr></thead>\n<tbody>" +
         rows + "</tbody></table></div>\n" + absent + "</section>\n";
}

/// A script element that is valid in HTML and XML.
std::string script(std::string_view text) {
  return fmt::format("<script>//<![CDATA[\n{}\n//]]></script>\n", text);
}

constexpr std::string_view no_charts =
    "<p class=\"note\">This report has no charts: the program was built without Chart.js "
    "(ROOFTILE_PLOT_JS).</p>\n";

}  // namespace

bool has_charts() {
  return !parts::library.empty();
}

std::string html_report(const std::vector<NamedRun>& runs, const std::vector<ReportedMachine>& machines) {
  std::size_t results = 0;
  std::string headlines;
  for (const ReportedMachine& machine : machines)
    results += machine.results.size(), headlines += headline(machine);
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta "
      "charset=\"utf-8\"/>\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\"/>\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\"/>\n<title>Rooftile report</title>\n<style>\n{}"
      "</style>\n</head>\n<body>\n<main>\n",
      parts::style);
  page += fmt::format(
      "<header><h1>Rooftile report</h1><button type=\"button\" id=\"theme\">dark or light</button></header>\n"
      "<p>{} of {} in {}.</p>\n<section id=\"headline\">\n<h2>Automatic choices against the vendor</h2>\n",
      counted(results, "result"), counted(machines.size(), "machine"), counted(runs.size(), "file"));
  page += headlines + "</section>\n" + environment(runs, machines) + std::string(parts::legend);
  page += "<noscript><p class=\"note\">Charts and the table of results need JavaScript.</p></noscript>\n";
  page += parts::explorer;
  page += has_charts() ? "<div id=\"modes\"></div>\n" : no_charts;
  page +=
      "<section>\n<h2>Results</h2>\n<details id=\"all\"><summary>All " + counted(results, "result") +
      "</summary><div id=\"results\"></div></details>\n<details id=\"counted\" hidden=\"hidden\"><summary>"
      "Counters</summary><div id=\"counters\"></div></details>\n</section>\n";
  if (has_charts()) {
    page += "<section>\n<details><summary>Licence of Chart.js, which this page holds</summary><pre>" +
            markup(parts::licence) + "</pre></details>\n</section>\n";
  }
  page += fmt::format("</main>\n<script type=\"application/json\" id=\"records\">{}</script>\n",
                      json_in_markup(report_records(machines)));
  if (has_charts()) page += script(parts::library);
  return page + script(parts::script) + "</body>\n</html>\n";
}

}  // namespace rooftile::perf
