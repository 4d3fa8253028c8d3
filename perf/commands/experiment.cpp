// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "../experiments/experiment.hpp"

#include <memory>

#include <fmt/core.h>

#include "../command.hpp"
#include "../options.hpp"
#include "../parse.hpp"
#include "../progress.hpp"
#include "../selection.hpp"
#include "../writers/output.hpp"
#include "../writers/output_file.hpp"

namespace rooftile::perf {
namespace {

struct Options {
  std::vector<std::string> names, backends, paths, arguments;
  std::string shape, json;
  ExperimentSizes sizes;
  Sampling sampling{.samples = 9, .seconds = 0.5, .reference = 1e9};
  std::uint64_t seed = 20261124;
  int gpu = 0;
};

constexpr std::string_view all = "all";

std::vector<const TextExperiment*> chosen(const std::vector<std::string>& names) {
  std::vector<const TextExperiment*> found;
  std::string known;
  for (const TextExperiment& experiment : text_experiments()) known += std::string(experiment.name) + ", ";
  for (const std::string& name : names) {
    const std::size_t before = found.size();
    for (const TextExperiment& experiment : text_experiments()) {
      if (name == experiment.name || name == all) found.push_back(&experiment);
    }
    if (found.size() == before)
      throw Error(fmt::format("unknown experiment ({}): take one of {}or {}", name, known, all));
  }
  return found;
}

GemmShape shape_of(const std::string& text) {
  const GemmShape shape = parse_shape(text);
  if (std::min({shape.m, shape.n, shape.k}) > 0) return shape;
  throw Error(fmt::format("nothing to time (--shape {}): take extents of 1 or more", text));
}

int list() {
  fmt::print("rooftile experiment NAME… makes the teaching texts' experiments on this machine:\n");
  for (const TextExperiment& experiment : text_experiments())
    fmt::print("{:<12}{}\n", experiment.name, experiment.question);
  return ok;
}

/// Wraps the text at 100 columns.
std::string wrapped(std::string_view text) {
  std::string lines;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find(' '), text.size());
    if (column > 0) lines += column + 1 + length > 100 ? (column = 0, '\n') : (++column, ' ');
    lines += text.substr(0, length);
    column += length;
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return lines;
}

std::string shown(const Json& value) {
  if (const auto* text = value.get_if<std::string>()) return *text;
  if (const auto* count = value.get_if<std::int64_t>()) return fmt::format("{}", *count);
  if (const auto* count = value.get_if<std::uint64_t>()) return fmt::format("{}", *count);
  if (const auto* number = value.get_if<double>()) return fmt::format("{:.4g}", *number);
  return "-";
}

void print(const ExperimentTable& found) {
  fmt::print("\n{} on {} ({}), {}\n", found.path, found.device->name, found.device->backend, found.size);
  std::vector<std::string> header;
  for (const Column& column : found.columns) header.push_back(column.heading);
  Table table(header);
  for (const Json& row : found.rows) {
    std::vector<std::string> cells;
    for (const Column& column : found.columns) cells.push_back(shown(row.at(column.key)));
    table.add(cells);
  }
  table.print();
  for (const std::string& fault : found.faults) fmt::print("FAILED: {}\n", fault);
  fmt::print("{}\n", wrapped(found.reading));
}

Json to_json(const ExperimentTable& found) {
  Json columns = Json::array();
  for (const Column& column : found.columns)
    columns.push_back({{"key", column.key}, {"heading", column.heading}});
  return {{"device", found.device->name},
          {"backend", found.device->backend},
          {"threads", found.device->threads},
          {"path", found.path},
          {"size", found.size},
          {"status", found.faults.empty() ? "ok" : "failed"},
          {"faults", found.faults},
          {"columns", columns},
          {"rows", found.rows},
          {"reading", found.reading}};
}

class Experiments {
 public:
  explicit Experiments(const Options& options)
      : options_(options), experiments_(chosen(options.names)), machine_(find_machine(nullptr, options.gpu)) {
    if (!options.json.empty()) file_.emplace("--json", options.json);
    std::vector<TextKernels> paths;
    for (TextKernels& kernels : text_kernels(machine_)) {
      if (contains(options.backends, kernels.device->backend) && contains(options.paths, kernels.path))
        paths.push_back(std::move(kernels));
    }
    if (paths.empty()) throw Error("nothing to run here: take another --device or --path");
    bench_.emplace(Workbench{machine_, std::move(paths), options.sizes, options.sampling, options.seed,
                             [this](const std::string& text) { progress_(text); }});
  }

  int run() {
    bool right = true;
    Json::Array made;
    for (const TextExperiment* experiment : experiments_) {
      if (Interrupts::noted() != 0) break;
      std::vector<ExperimentTable> tables;
      try {
        tables = experiment->run(*bench_);
      } catch (const Interrupted&) {
        break;
      }
      progress_("");
      fmt::print("{}{}: {}\n{}\n", made.empty() ? "" : "\n", experiment->name, experiment->question,
                 wrapped(fmt::format("The texts: {} ({})", experiment->claim, experiment->source)));
      Json json{{"name", experiment->name},
                {"question", experiment->question},
                {"claim", experiment->claim},
                {"source", experiment->source},
                {"tables", Json::array()}};
      for (const ExperimentTable& table : tables) {
        print(table);
        json["tables"].push_back(to_json(table));
        right = right && table.faults.empty();
      }
      if (tables.empty()) fmt::print("No path here has its kernels.\n");
      made.push_back(json);
    }
    if (file_) write(made);
    if (Interrupts::noted() != 0) return interrupted + Interrupts::noted();
    return right ? ok : check_failed;
  }

 private:
  void write(const Json::Array& made) const {
    const Origin origin = origin_here();
    const Json json{{"schema", 1},
                    {"complete", Interrupts::noted() == 0},
                    {"arguments", options_.arguments},
                    {"date", origin.date},
                    {"rooftile", origin.rooftile},
                    {"commit", origin.commit},
                    {"compiler", origin.compiler},
                    {"experiments", made}};
    file_->write(json.dump(1) + '\n');
  }

  const Options& options_;
  std::vector<const TextExperiment*> experiments_;
  Interrupts interrupts_;
  Progress progress_;
  Machine machine_;
  std::optional<OutputFile> file_;
  std::optional<Workbench> bench_;
};

const Command command{
    "experiment",
    "Do the teaching texts' claims hold on this machine?",
    {"rooftile experiment", "rooftile experiment divergence --device openmp"},
    [](Arguments& app) {
      auto o = std::make_shared<Options>();
      app.add_option("name", o->names, "experiments, or all (default: list them)");
      app.group("Kernels");
      std::vector<std::string> devices = backend_names();
      devices.emplace_back("host");
      app.add_option("--device", o->backends, listed(devices) + " (default all that are here)")
          ->one_of(devices);
      app.add_option("--path", o->paths, "native, portable (default both)")->one_of({"native", "portable"});
      // Vector accesses have up to 64 bytes, a warp has 32 threads, and the largest tile has 32 rows.
      const auto multiple_of = [](Index unit, Index most) {
        return [unit, in_range = whole(unit, most)](std::string& text) {
          const std::string problem = in_range(text);
          if (!problem.empty() || std::stoll(text) % unit == 0) return problem;
          return fmt::format("not a multiple of {} ({})", unit, text);
        };
      };
      app.group("Sizes");
      app.add_option("--elements", o->sizes.elements, "vector length in increment and add (64 Mi)")
          ->transform(multiple_of(64, Index{1} << 33));
      app.add_option("--threads", o->sizes.threads, "threads in divergence (4 Mi, on CPUs 32 Ki)")
          ->transform(multiple_of(64, Index{1} << 30));
      app.add_option("--values", o->sizes.values, "values in registers (16 Mi, on CPUs 128 Ki)")
          ->transform(multiple_of(Index{text_threads} * register_values.back(), Index{1} << 31));
      app.add_option("--order", o->sizes.order, "matrix order in transpose (4096, on CPUs 1024)")
          ->transform(multiple_of(32, 46336));
      app.add_option("--shape", o->shape,
                     "MxNxK of products and tiles (2000x3000x2500, on CPUs 400x600x500)");
      app.group("Times");
      add_samples_option(app, o->sampling.samples, "timed runs of each kernel");
      add_seed_option(app, o->seed, "of the random operands");
      add_gpu_option(app, o->gpu);
      app.group("Output");
      app.add_option("--json", o->json,
                     "write what was found to this file; with `-`, to standard output, and the tables to "
                     "standard error");
      return [o, &app] {
        o->arguments = app.given();
        if (o->names.empty()) return list();
        if (!o->shape.empty()) o->sizes.shape = shape_of(o->shape);
        return Experiments(*o).run();
      };
    }};

}  // namespace
}  // namespace rooftile::perf
