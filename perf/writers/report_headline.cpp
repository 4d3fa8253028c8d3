// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "report_headline.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "output.hpp"
#include "report/markup.hpp"

namespace rooftile::perf {
namespace {

/// Numbers of products with a property: the slow products and all products.
struct Count {
  double slow = 0, all = 0;
};

/// The cube root of a result's multiply-adds.
double size_of(const Result& r) {
  return std::cbrt(static_cast<double>(r.batch) * static_cast<double>(r.shape.m) *
                   static_cast<double>(r.shape.n) * static_cast<double>(r.shape.k));
}

std::vector<std::string> properties_of(const Result& r) {
  const double size = size_of(r);
  std::vector<std::string> properties = {
      r.aligned ? "with rows aligned to 16 bytes" : "with rows not aligned to 16 bytes",
      size < 512    ? "of small size, below 512"
      : size < 2048 ? "of medium size, 512 to 2047"
                    : "of large size, 2048 or more"};
  if (!r.bound.empty()) properties.insert(properties.begin(), "bound by " + r.bound);
  return properties;
}

std::string roof_of(std::vector<double> shares) {
  if (shares.empty()) return "their share of the roof is not known";
  return fmt::format("their median share of the roof is {:.0f} %", 100 * middle_of(std::move(shares)));
}

/// One row for each path and mode, for hot or cold caches.
std::string headline_rows(const std::vector<Result>& results, const char* caches) {
  std::string rows;
  for (const Summary& s : summaries_of(results)) {
    const Ratios& a = s.all;
    rows += "<tr>" + element("td", s.path + caches) + element("td", s.math);
    if (a.products == 0) {
      rows += fmt::format("<td colspan=\"4\">no vendor beside {}</td></tr>\n", counted(a.missing, "product"));
      continue;
    }
    const double share = 100 * static_cast<double>(a.slow) / static_cast<double>(a.products);
    rows += fmt::format(
        "<td class=\"number\">{}</td><td class=\"number\"><b>{:.2f}</b></td><td class=\"number\">{:.2f} "
        "<small>{}</small></td><td class=\"number\">{:.0f} % <small>{}</small></td></tr>\n",
        a.products, a.geometric_mean, a.worst, markup(a.worst_product), share, a.slow);
  }
  return rows;
}

}  // namespace

std::string limiting_factor(const std::vector<Result>& results) {
  std::map<std::string, Count> counts;
  std::vector<double> shares, slow_shares;
  std::size_t choices = 0, compared = 0, slow = 0;
  for (const Result& r : results) {
    if (!r.automatic || !r.ok()) continue;
    ++choices;
    const bool counts_for_ratio = r.vendor_ratio > 0 && r.disturbed.empty();
    const bool is_slow = counts_for_ratio && r.vendor_ratio < slow_ratio;
    compared += counts_for_ratio, slow += is_slow;
    if (r.roofline_fraction > 0) (is_slow ? slow_shares : shares).push_back(r.roofline_fraction);
    for (const std::string& property : properties_of(r)) {
      if (counts_for_ratio) counts[property].all += 1, counts[property].slow += is_slow;
    }
  }
  if (choices == 0)
    return "No result is an automatic choice: run `rooftile bench --suite` or `--kernel automatic` for a "
           "headline.";
  if (compared == 0) {
    return fmt::format("No vendor library ran beside the {}, so no ratio is known; {}.",
                       counted(choices, "automatic choice"), roof_of(shares));
  }
  if (slow == 0) {
    return fmt::format("None of the {} is below {} of the vendor; {}.", counted(compared, "compared product"),
                       slow_ratio, roof_of(shares));
  }
  // Compare with the property's share of all products: a property common to all products is no explanation.
  const double expected = static_cast<double>(slow) / static_cast<double>(compared);
  const auto excess = [&](const auto& each) { return each.second.slow - expected * each.second.all; };
  const auto most = std::max_element(counts.begin(), counts.end(),
                                     [&](const auto& a, const auto& b) { return excess(a) < excess(b); });
  std::string bound;
  double bound_by = 0;
  for (const auto& [property, count] : counts) {
    if (!property.starts_with("bound by") || count.slow <= bound_by) continue;
    bound = fmt::format("{} of them are {}, and ", count.slow, property), bound_by = count.slow;
  }
  if (most->first.starts_with("bound by")) bound.clear();
  return fmt::format("{} of {} are below {} of the vendor, most often those {} ({} of {}); {}{}.", slow,
                     counted(compared, "compared product"), slow_ratio, most->first, most->second.slow,
                     most->second.all, bound, roof_of(slow_shares));
}

std::string headline(const ReportedMachine& machine) {
  const std::vector<Result> results = results_of(machine);
  std::vector<Result> hot, cold;
  for (const Result& r : results) (r.cold ? cold : hot).push_back(r);
  const std::string rows = headline_rows(hot, "") + headline_rows(cold, ", cold");
  std::string page = element("h3", machine.title()) + '\n' +
                     fmt::format("<p class=\"factor\">{}</p>\n", markup(limiting_factor(results)));
  if (rows.empty()) return page;
  return page +
         "<div class=\"scroll\" tabindex=\"0\"><table class=\"headline\"><thead><tr><th>path</th>"
         "<th>mode</th><th>products</th><th>mean ratio</th><th>worst</th><th>below 0.9</th></tr></thead>\n"
         "<tbody>" +
         rows + "</tbody></table></div>\n";
}

}  // namespace rooftile::perf
