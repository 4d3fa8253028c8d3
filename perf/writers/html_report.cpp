// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "html_report.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "../record/data_sheet.hpp"
#include "counters_table.hpp"
#include "output.hpp"
#include "report/parts.hpp"

namespace rooftile::perf {
namespace {

/// Bytes of the UTF-8 character that a text begins with; 0: it begins with none. @pre the text is not empty
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  // No longer form than the shortest, no surrogate, nothing above U+10FFFF.
  const unsigned least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (first < 0xC2 || first > 0xF4 || byte(1) < least || byte(1) > most) return 0;
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

/// A text as it stands in XML and HTML, between tags and in attributes alike. Characters that XML has no
/// place for become U+FFFD, and so do bytes that are not UTF-8, which a file's name may have.
std::string markup(std::string_view text) {
  constexpr std::string_view none = "\xEF\xBF\xBD";
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else if (c == '\'') {
      result += "&#39;";
    } else if (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n') {
      result += none;
    } else if (text.substr(i, 3) == "\xEF\xBF\xBE" || text.substr(i, 3) == "\xEF\xBF\xBF") {
      result += none;
      i += 2;
    } else if (const std::size_t length = character_length(text.substr(i)); length > 0) {
      result += text.substr(i, length);
      i += length - 1;
    } else {
      result += none;
    }
  }
  return result;
}

std::string element(std::string_view tag, std::string_view text) {
  return fmt::format("<{0}>{1}</{0}>", tag, markup(text));
}

/// JSON as it stands in a `script` element: nothing in it ends the element or is a tag.
/// @param json  with all beyond ASCII escaped
std::string json_in_markup(std::string_view json) {
  std::string result;
  for (const char c : json) {
    if (c == '<' || c == '>' || c == '&') {
      result += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : "\\u0026";
    } else {
      result += c;
    }
  }
  return result;
}

std::string number_cell(const std::string& text) {
  return fmt::format("<td class=\"number\">{}</td>", markup(text));
}

std::string number_or_nothing(double value, int digits, std::string_view unit = "") {
  return value > 0 ? fmt::format("{:.{}g}{}", value, digits, unit) : "";
}

/// Between which the clock and the power of all samples on a device were; a dash for what is not known.
std::string clocks_and_power(const Run& run, const MeasuredDevice& device) {
  std::vector<double> clocks, power;
  for (const Result& r : run.results) {
    if (r.device != device.name || r.backend != device.backend) continue;
    clocks.insert(clocks.end(), r.seconds.clocks_mhz.begin(), r.seconds.clocks_mhz.end());
    power.insert(power.end(), r.seconds.power_w.begin(), r.seconds.power_w.end());
  }
  const auto range = [](const std::vector<double>& values, const char* unit) {
    if (values.empty()) return std::string("-");
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return fmt::format("{:.0f} to {:.0f} {}", *low, *high, unit);
  };
  return range(clocks, "MHz") + ", " + range(power, "W");
}

std::string environment(const std::vector<NamedRun>& runs) {
  std::string rows;
  for (const NamedRun& named : runs) {
    const Origin& o = named.run.origin;
    for (const MeasuredDevice& d : named.run.devices) {
      std::string threads = d.threads > 0 ? fmt::format(", {} threads", d.threads) : "";
      if (d.ranks > 0) threads += fmt::format(", {} processes", d.ranks);
      rows += "<tr>" + element("td", identity(d)) + element("td", d.backend + threads) +
              number_cell(rate(d.ceilings.fp32_gflops, "FLOP/s")) +
              number_cell(rate(d.ceilings.fp64_gflops, "FLOP/s")) +
              number_cell(rate(d.ceilings.bandwidth_gbs, "B/s")) + element("td", in_words(d.ceilings)) +
              element("td", share_of_data_sheet(d.name, d.ceilings)) + element("td", d.state) +
              element("td", clocks_and_power(named.run, d)) + element("td", o.date) +
              element("td", o.rooftile + (o.commit.empty() ? "" : ", " + o.commit)) +
              element("td", o.compiler) +
              element("td", named.file + (named.run.complete ? "" : ", of a run that did not end")) +
              element("td", fmt::format("{}", fmt::join(named.run.arguments, " "))) + "</tr>\n";
    }
    for (const Absent& a : named.run.absent) {
      rows += "<tr>" + element("td", a.what) +
              fmt::format("<td colspan=\"13\">not there: {}</td></tr>\n", markup(a.why));
    }
  }
  return "<div class=\"scroll\" tabindex=\"0\"><table "
         "class=\"list\"><thead><tr><th>device</th><th>backend</th><th>fp32</th>"
         "<th>fp64</th><th>memory</th><th>all ceilings</th><th>of the data sheet</th><th>driver and "
         "clocks</th><th>clock and power of "
         "samples</th><th>date</th><th>rooftile</th><th>compiler</th><th>file</th>"
         "<th>bench was given</th></tr></thead>\n<tbody>" +
         rows + "</tbody></table></div>\n";
}

std::string results_table(const std::vector<ReportedMachine>& machines) {
  std::string rows;
  std::size_t record = 0;
  for (const ReportedMachine& machine : machines) {
    for (const Result* r : machine.results) {
      rows += r->ok() ? fmt::format("<tr data-row=\"{}\">", record++) : "<tr>";
      rows += element("td", identity(*machine.device)) + element("td", r->path) +
              element("td", r->kernel + (r->automatic ? " (auto)" : "")) + element("td", r->tile) +
              element("td", r->math) + element("td", product_of(*r));
      if (!r->ok()) {
        rows += fmt::format("<td colspan=\"6\"{}>{}: {}</td></tr>\n",
                            r->status == "failed" ? " class=\"failed\"" : "", markup(r->status),
                            markup(r->reason));
        continue;
      }
      rows += number_cell(fmt::format("{:.4g}", 1e3 * r->seconds.median)) +
              number_cell(number_or_nothing(r->gflops, 4)) +
              number_cell(number_or_nothing(100 * r->roofline_fraction, 3, " %")) +
              number_cell(number_or_nothing(100 * r->vendor_ratio, 3, " %")) +
              number_cell(number_or_nothing(r->peer_ratio, 3)) +
              number_cell(fmt::format("{:.2g}", r->error_ratio)) + "</tr>\n";
    }
  }
  return "<div class=\"scroll tall\" tabindex=\"0\"><table "
         "id=\"results\"><thead><tr><th>device</th><th>path</th><th>kernel</th>"
         "<th>tile</th><th>type</th><th>product</th><th>ms</th><th>GFLOP/s</th><th>of the roof</th><th>of "
         "the vendor</th>"
         "<th>over the peer</th><th>error over its bound</th></tr></thead>\n<tbody>" +
         rows + "</tbody></table></div>\n";
}

std::string counters_section(const std::vector<ReportedMachine>& machines) {
  std::string rows;
  for (const ReportedMachine& machine : machines) {
    for (const Result* r : machine.results) {
      if (r->counters.empty()) continue;
      rows += "<tr>" + element("td", identity(*machine.device)) + element("td", r->path) +
              element("td", r->kernel) + element("td", r->tile) + element("td", r->math) +
              element("td", product_of(*r));
      for (const CountersColumn& column : counters_columns()) rows += number_cell(column.cell(*r));
      rows += "</tr>\n";
    }
  }
  if (rows.empty()) return "";
  std::string header;
  for (const char* name : {"device", "path", "kernel", "tile", "type", "product"})
    header += element("th", name);
  for (const CountersColumn& column : counters_columns()) header += element("th", column.heading);
  return "<section>\n<h2>Counters</h2>\n<p class=\"note\">What the hardware counted of one call, apart from "
         "the "
         "timed ones. Of model: over the operations of the product, or over the bytes if each operand moves "
         "once.</p>\n<div class=\"scroll tall\" tabindex=\"0\"><table "
         "id=\"counters\"><thead><tr>" +
         header + "</tr></thead>\n<tbody>" + rows + "</tbody></table></div>\n</section>\n";
}

double multiply_adds(const Result& r) {
  return static_cast<double>(r.batch) * static_cast<double>(r.shape.m) * static_cast<double>(r.shape.n) *
         static_cast<double>(r.shape.k);
}

std::string records(const std::vector<ReportedMachine>& machines) {
  Json all = {{"machines", Json::array()}, {"rows", Json::array()}};
  all["columns"] = {"machine", "backend", "path",  "kernel",  "tile",           "automatic",
                    "math",    "product", "work",  "gflops",  "intensity",      "median",
                    "min",     "max",     "count", "bound",   "roof",           "vendor",
                    "peer",    "error",   "seed",  "metrics", "clock_and_power"};
  const auto rounded = [](double value) {
    return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
  };
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const Ceilings& c = machines[i].device->ceilings;
    Json peaks = Json::array({Json::array({"fp32", c.fp32_gflops}), Json::array({"fp64", c.fp64_gflops})});
    Json levels = Json::array({Json::array({"memory", c.bandwidth_gbs})});
    for (const NamedRate& r : c.matrix_gflops) peaks.push_back(Json::array({r.name + " matrix", r.rate}));
    for (const NamedRate& r : c.levels_gbs) levels.push_back(Json::array({r.name, r.rate}));
    all["machines"].push_back({{"title", machines[i].title()},
                               {"backend", machines[i].device->backend},
                               {"processes", std::max<Index>(machines[i].device->ranks, 1)},
                               {"peaks", peaks},
                               {"levels", levels}});
    for (const Result* r : machines[i].results) {
      if (!r->ok()) continue;
      Json metrics = Json::array();
      for (const auto* list : {&r->metrics, &r->counters}) {
        for (const Metric& m : *list) metrics.push_back({m.tag, rounded(m.value), m.unit});
      }
      all["rows"].push_back({i,
                             r->backend,
                             r->path,
                             r->kernel,
                             r->tile,
                             r->automatic ? 1 : 0,
                             r->math,
                             product_of(*r),
                             multiply_adds(*r),
                             rounded(r->gflops),
                             rounded(r->intensity),
                             rounded(r->seconds.median),
                             rounded(r->seconds.min),
                             rounded(r->seconds.max),
                             r->seconds.count,
                             r->bound,
                             rounded(r->roofline_fraction),
                             rounded(r->vendor_ratio),
                             rounded(r->peer_ratio),
                             rounded(r->error_ratio),
                             std::to_string(r->seed),
                             metrics,
                             clock_and_power(r->seconds)});
    }
  }
  return json_in_markup(all.dump(-1, true));
}

/// Text that HTML takes as it is, and XML, too.
std::string script(std::string_view text) {
  return fmt::format("<script>//<![CDATA[\n{}\n//]]></script>\n", text);
}

constexpr std::string_view explorer = R"(<section id="explore" hidden="hidden">
<h2>Ask the results</h2>
<p class="note">Point at a mark for its whole record, or go from mark to mark with the arrow keys once the chart has the focus.
A click on a name below the chart leaves its marks out.</p>
<div id="toggles"></div>
<p><label>across <select id="x-axis"><option value="intensity">FLOP per byte</option><option value="size">size</option>
<option value="processes">processes</option></select></label>
<label>up <select id="y-axis"><option value="gflops">GFLOP/s</option><option value="roof">share of the roof</option>
<option value="vendor">share of the vendor</option></select></label></p>
<div class="canvas"><canvas id="chart" tabindex="0" role="img" aria-label="Speed of each result; arrow keys go from one to the next"></canvas></div>
<output id="record" aria-live="polite"></output>
</section>
)";

constexpr std::string_view no_charts =
    "<p class=\"note\">This report has no chart: the program was built without Chart.js "
    "(ROOFTILE_PLOT_JS).</p>\n";

}  // namespace

bool has_charts() {
  return !parts::library.empty();
}

std::string html_report(const std::vector<NamedRun>& runs, const std::vector<ReportedMachine>& machines) {
  std::size_t results = 0;
  for (const ReportedMachine& machine : machines) results += machine.results.size();
  std::string page =
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta "
      "charset=\"utf-8\"/>\n";
  page += fmt::format(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'{}\"/>\n",
      has_charts() ? "; script-src 'unsafe-inline'" : "");
  page +=
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>Rooftile "
      "report</title>\n";
  page += fmt::format("<style>\n{}</style>\n</head>\n<body>\n<main>\n", parts::style);
  page +=
      "<h1>Rooftile report</h1>\n" +
      fmt::format(
          "<p>{} of {} in {}: what <code>rooftile bench --json</code> measured, each verified before.</p>",
          counted(results, "result"), counted(machines.size(), "machine"), counted(runs.size(), "file")) +
      '\n';
  page += has_charts() ? explorer : no_charts;
  page += "<section>\n<h2>Machines</h2>\n" + environment(runs) + "</section>\n" + counters_section(machines) +
          "<section>\n<h2>Results</h2>\n<details><summary>All " + counted(results, "result") +
          "</summary>\n" + results_table(machines) + "</details>\n</section>\n";
  if (has_charts()) {
    page += "<section>\n<details><summary>Licence of Chart.js, which this page holds</summary><pre>" +
            markup(parts::licence) + "</pre></details>\n</section>\n";
  }
  page += "</main>\n";
  if (has_charts()) {
    page += fmt::format("<script type=\"application/json\" id=\"records\">{}</script>\n", records(machines)) +
            script(parts::library) + script(parts::script);
  }
  return page + "</body>\n</html>\n";
}

std::string ReportedMachine::title() const {
  std::string threads = device->threads > 0 ? ", " + counted(device->threads, "thread") : "";
  if (device->ranks > 0)
    threads = ", " + counted(device->ranks, "process", "processes") + " of" + threads.substr(1);
  return fmt::format("{} ({}{})", identity(*device), device->backend, threads);
}

std::vector<ReportedMachine> machines_in(const std::vector<NamedRun>& runs) {
  std::vector<ReportedMachine> machines;
  for (const NamedRun& named : runs) {
    for (const MeasuredDevice& device : named.run.devices) {
      auto found = std::find_if(machines.begin(), machines.end(), [&](const ReportedMachine& m) {
        return identity(*m.device) == identity(device) && m.device->backend == device.backend &&
               m.device->threads == device.threads && m.device->ranks == device.ranks;
      });
      if (found == machines.end()) found = machines.insert(found, {&device, {}});
      for (const Result& r : named.run.results) {
        if (r.device == device.name && r.backend == device.backend) found->results.push_back(&r);
      }
    }
  }
  return machines;
}

}  // namespace rooftile::perf
