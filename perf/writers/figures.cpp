// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "figures.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "output.hpp"
#include "roofline_plot.hpp"
#include "rooftile/model/device.hpp"
#include "scaling_plots.hpp"
#include "speed_plots.hpp"

namespace rooftile::perf {
namespace {

/// Small letters, digits and hyphens, of whatever a text says: part of a file's name.
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 128 && std::isalnum(byte) != 0) {
      result += static_cast<char>(std::tolower(byte));
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result.substr(0, 60);
}

/// A part of a name that no other machine has.
std::vector<std::string> names_of(const std::vector<ReportedMachine>& machines) {
  std::vector<std::string> names;
  for (const ReportedMachine& machine : machines) {
    const std::string name = plain(machine.title());
    const bool taken = std::find(names.begin(), names.end(), name) != names.end();
    names.push_back(taken || name.empty()
                        ? fmt::format("{}{}{}", name, name.empty() ? "" : "-", names.size() + 1)
                        : name);
  }
  return names;
}

static_assert(math_count < std::size_t{2} * shapes, "each mode, and what is none, has a mark of its own");

Shape shape_number(std::size_t number) {
  return static_cast<Shape>(number % static_cast<std::size_t>(shapes));
}

/// Its place in the table of modes; behind them for one that is not there.
std::size_t number_of_mode(const std::string& math) {
  const auto found =
      std::find_if(std::begin(modes), std::end(modes), [&](const Mode& mode) { return mode.name == math; });
  return static_cast<std::size_t>(found - std::begin(modes));
}

/// The measured ceilings. @param of  what labels begin with
PlottedRoof roof_of(const MeasuredDevice& device, const std::string& of) {
  const Ceilings& c = device.ceilings;
  PlottedRoof roof{{{of + "memory " + rate(c.bandwidth_gbs, "B/s"), c.bandwidth_gbs}},
                   {{of + "fp32 " + rate(c.fp32_gflops, "FLOP/s"), c.fp32_gflops},
                    {of + "fp64 " + rate(c.fp64_gflops, "FLOP/s"), c.fp64_gflops}}};
  for (const NamedRate& level : c.levels_gbs)
    roof.bandwidths.push_back({of + level.name + ' ' + rate(level.rate, "B/s"), level.rate});
  // Operands of nearly the same rate share a line. CPUs multiply some as fp32, whose line is there.
  std::vector<NamedRate> lines;
  for (const std::string_view operand : model::precision_names) {
    const double found = c.matrix(operand);
    const auto is_near = [&](double other) { return std::abs(found - other) < 0.03 * found; };
    if (found <= 0 || is_near(c.fp32_gflops)) continue;
    const auto same =
        std::find_if(lines.begin(), lines.end(), [&](const NamedRate& l) { return is_near(l.rate); });
    if (same == lines.end()) {
      lines.push_back({std::string(operand), found});
    } else {
      same->name += ", " + std::string(operand);
    }
  }
  for (const NamedRate& line : lines)
    roof.peaks.push_back({of + line.name + " matrix " + rate(line.rate, "FLOP/s"), line.rate});
  return roof;
}

/// What the library chose, where the file says so, and otherwise the fastest kernel.
bool is_better(const Result& a, const Result& b) {
  return std::pair(a.automatic, a.gflops) > std::pair(b.automatic, b.gflops);
}

/// Of each mode, product and path the one result that stands for it.
std::vector<const Result*> best_of(const ReportedMachine& machine) {
  std::map<std::vector<std::string>, const Result*> best;
  std::vector<std::vector<std::string>> order;
  for (const Result* r : machine.results) {
    if (r->gflops <= 0) continue;
    std::vector<std::string> key{r->math, product_of(*r), r->path};
    const auto [found, is_new] = best.emplace(key, r);
    if (is_new) order.push_back(std::move(key));
    if (is_better(*r, *found->second)) found->second = r;
  }
  std::vector<const Result*> results;
  for (const auto& key : order) results.push_back(best[key]);
  return results;
}

Svg roofline_of(const ReportedMachine& machine) {
  std::vector<MeasuredPoint> points;
  for (const Result* r : machine.results) {
    if (r->gflops <= 0 || r->intensity <= 0) continue;
    const std::size_t mode = number_of_mode(r->math);
    points.push_back({r->path, r->math, shape_number(mode), r->intensity, r->gflops, in_words(*r),
                      mode >= static_cast<std::size_t>(shapes)});
  }
  return RooflinePlot("Roofline of " + machine.title(), {roof_of(*machine.device, "")}, points).picture();
}

Svg roofline_of_all(const std::vector<ReportedMachine>& machines) {
  std::vector<PlottedRoof> roofs;
  std::vector<MeasuredPoint> points;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const ReportedMachine& machine = machines[i];
    roofs.push_back(roof_of(*machine.device, identity(*machine.device) + ", "));
    for (const Result* r : best_of(machine)) {
      if (r->intensity <= 0) continue;
      points.push_back({r->path, machine.title(), shape_number(i), r->intensity, r->gflops,
                        machine.title() + ": " + in_words(*r)});
    }
  }
  return RooflinePlot("Roofline of all machines", roofs, points).picture();
}

/// Results in modes, in the order of the table of modes.
using OfModes = std::map<std::pair<std::size_t, std::string>, std::vector<const Result*>>;

void add_best(OfModes& of_modes, const ReportedMachine& machine) {
  for (const Result* r : best_of(machine)) of_modes[{number_of_mode(r->math), r->math}].push_back(r);
}

/// What more processes gain, of all machines whose processes are the same.
void add_scaling(std::vector<Figure>& figures, const std::vector<ReportedMachine>& machines) {
  std::map<std::string, OfModes> of_processes;
  for (const ReportedMachine& machine : machines) {
    MeasuredDevice process = *machine.device;
    if (std::exchange(process.ranks, 0) > 0)
      add_best(of_processes[ReportedMachine{&process, {}}.title()], machine);
  }
  for (const auto& [process, of_modes] : of_processes) {
    for (const auto& [mode, results] : of_modes) {
      const ScalingCurves curves = scaling_curves(results);
      const std::string name = plain(process) + '-' + plain(mode.second),
                        where = mode.second + " on processes of " + process;
      if (auto strong = plot_scaling("Strong scaling, " + where, curves.strong, false))
        figures.push_back({"strong-" + name, std::move(*strong)});
      if (auto weak = plot_scaling("Weak scaling, " + where, curves.weak, true))
        figures.push_back({"weak-" + name, std::move(*weak)});
    }
  }
}

}  // namespace

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

std::vector<Figure> figures_of(const std::vector<ReportedMachine>& machines) {
  const std::vector<std::string> names = names_of(machines);
  std::vector<Figure> figures;
  if (machines.size() > 1) figures.push_back({"roofline", roofline_of_all(machines)});
  for (std::size_t i = 0; i < machines.size(); ++i)
    figures.push_back({"roofline-" + names[i], roofline_of(machines[i])});
  for (std::size_t i = 0; i < machines.size(); ++i) {
    OfModes of_modes;
    add_best(of_modes, machines[i]);
    for (const auto& [mode, results] : of_modes) {
      const std::string name = names[i] + '-' + plain(mode.second),
                        where = mode.second + " on " + machines[i].title();
      figures.push_back({"speed-" + name, plot_bars(where, results)});
      if (auto curves = plot_sizes(where, results)) {
        figures.push_back({"size-" + name, std::move(*curves)});
      }
    }
  }
  add_scaling(figures, machines);
  return figures;
}

}  // namespace rooftile::perf
