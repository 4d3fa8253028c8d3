// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>

#include <fmt/format.h>

#include "../command.hpp"
#include "../measure/replay.hpp"
#include "../measure/tuner.hpp"
#include "../options.hpp"
#include "../parse.hpp"
#include "../progress.hpp"
#include "../record/suite_file.hpp"
#include "../selection.hpp"
#include "../writers/output.hpp"
#include "../writers/output_file.hpp"
#include "rooftile/tuning_file.hpp"

namespace rooftile::perf {
namespace {

struct Options {
  std::string table, replay;
  std::optional<std::string> suite;
  std::vector<std::string> layouts{"rrr"};
  std::vector<std::string> shapes, maths, paths, backends;  // empty: all
  double margin = 0.03;
  std::uint64_t seed = 20261121;
  std::size_t samples = 15;
  int gpu = 0;
  bool json = false;
};

class Tune {
 public:
  /// @throws Error before any measurement if nothing can be tuned or the table cannot be written
  explicit Tune(const Options& options)
      : options_(options),
        file_("--table", options.table),
        known_(table_there(options.table)),
        logged_(options.replay.empty() ? SingleProducts{} : single_products(options.replay)),
        machine_(find_machine(known_.modes.empty() ? nullptr : &known_, options.gpu)),
        device_(find_device()),
        products_(options.replay.empty() ? products() : std::vector<Product>{}) {
    if (logged_.products.empty() && products_.empty())
      throw Error(fmt::format("no product of the suite for {} (--suite {}): take another", device_.backend,
                              options.suite.value_or("default")));
    if (known_.device != device_.tuning_name) known_ = {device_.tuning_name, {}};
    known_.entries.clear();
  }

  int run() {
    for (const LoggedProduct& call : logged_.products) {
      for_each_math([&]<class T>(ComputeMode math) {
        if (math == call.math) tune_product<T>(product_of(call), math, &call);
      });
    }
    for (const Product& product : products_) {
      for_each_math([&]<class T>(ComputeMode math) { tune_product<T>(product, math); });
    }
    const TuningTable table = table_of_findings();
    const bool failed =
        std::any_of(findings_.begin(), findings_.end(), [](const Finding& f) { return !f.problem.empty(); });
    std::string where = "lost";
    write_and_print([&] { where = write(table, failed); },
                    [&] { print_either(options_.json, json(table), [&] { print(table, where); }); });
    if (table.entries.empty() && !failed) {
      fmt::print(stderr, "rooftile: nothing was measured ({} on {}): the library chooses no kernel there\n",
                 fmt::join(asked(), ", "), device_.name);
    }
    return failed || table.entries.empty() ? check_failed : ok;
  }

 private:
  /// The distinct products as computed, since a table has one entry for each of them.
  std::vector<Product> products() const {
    std::vector<Product> products;
    for (const Product& product : products_asked()) {
      const auto same = [computed = as_computed(product)](const Product& other) {
        return as_computed(other) == computed;
      };
      if (std::none_of(products.begin(), products.end(), same)) products.push_back(product);
    }
    return products;
  }

  std::vector<Product> products_asked() const {
    Suite asked;
    for (const std::string& layout : options_.layouts) {
      if (!options_.shapes.empty()) break;
      const Suite suite = read_suite(options_.suite.value_or("default"), {.layout = layout});
      asked.products.insert(asked.products.end(), suite.products.begin(), suite.products.end());
    }
    for (const std::string& text : options_.shapes) {
      for (const std::string& layout : options_.layouts)
        asked.products.push_back({parse_shape(text), layout});
    }
    for (const Product& p : asked.products) {
      const Product plain{.shape = p.shape, .layout = p.layout, .modes = p.modes, .devices = p.devices};
      if (p == plain && std::min({p.shape.m, p.shape.n, p.shape.k}) > 0) continue;
      throw Error(
          fmt::format("no product for a table (--suite {}, {}): take a suite of single products, C = A*B",
                      options_.suite.value_or("default"), to_string(p)));
    }
    return asked.on(device_);
  }

  template <class T>
  bool wanted(const Candidate<T>& c) const {
    return !is_baseline(c.path) && contains(options_.maths, to_string(c.math)) &&
           contains(options_.paths, c.path) && contains(options_.backends, c.device->backend);
  }

  Device& find_device() {
    std::map<std::string, Device*> found;
    for_each_element([&]<class T>() {
      for (const Candidate<T>& c : machine_.candidates<T>()) {
        if (wanted(c)) found[c.device->backend] = c.device;
      }
    });
    if (found.size() == 1) return *found.begin()->second;
    if (found.empty()) throw Error("nothing to tune here (the options leave no kernel): ask for less");
    const std::string names = listed(found, [](const auto& here) { return here.first; });
    throw Error(fmt::format("several devices, but a table is for one ({}): name one with --backend", names));
  }

  template <class T>
  std::vector<const Candidate<T>*> candidates(ComputeMode math, std::string_view path) {
    std::vector<const Candidate<T>*> all;
    for (const Candidate<T>& c : machine_.candidates<T>()) {
      if (c.device == &device_ && c.math == math && c.path == path && wanted(c)) all.push_back(&c);
    }
    return all;
  }

  template <class F>
  void for_each_math(const F& f) {
    for_each_element([&]<class T>() {
      for (const ComputeMode math : all_modes) {
        if (is_measured_if_named(math) && options_.maths.empty()) continue;
        if (is_mode_of<T>(math) && contains(options_.maths, to_string(math))) f.template operator()<T>(math);
      }
    });
  }

  /// @param call  logged call with the operands' layout; null: contiguous operands
  template <class T>
  void tune_product(const Product& product, ComputeMode math, const LoggedProduct* call = nullptr) {
    if (!contains(product.modes, to_string(math))) return;
    const std::string title = fmt::format("{} {}", to_string(math), text_of(product));
    const TuneSettings settings{.last = {.samples = options_.samples}, .margin = options_.margin};
    try {
      Operands<T> operands = call != nullptr ? Operands<T>(device_, *call, options_.seed)
                                             : Operands<T>(device_, product.shape, {product.layout},
                                                           Scalar<T>(1), Scalar<T>(0), options_.seed);
      for (const Path path : {Path::portable, Path::native}) {
        const auto found =
            find_fastest(product, path, candidates<T>(math, to_string(path)), operands, settings,
                         [&](const std::string& doing) { progress_(title + ": " + doing); });
        findings_.insert(findings_.end(), found.begin(), found.end());
      }
    } catch (const Error& error) {
      findings_.push_back({product, {Path::portable, math}, {}, {}, 0, 0, error.what()});
    }
    progress_("");
  }

  TuningTable table_of_findings() const {
    TuningTable table = known_;
    for (const Finding& f : findings_) {  // if C has one row, two layouts can describe one product
      const auto same = [&](const TuningEntry& e) { return e.same_product(f.entry); };
      if (f.entry.nanoseconds > 0 && std::none_of(table.entries.begin(), table.entries.end(), same))
        table.entries.push_back(f.entry);
    }
    return table;
  }

  /// Writes the table, unless a kernel failed or nothing was measured. @return a message with its path
  std::string write(const TuningTable& table, bool failed) const {
    if (table.entries.empty()) return "not written: " + options_.table + " is as it was";
    const std::string text = to_text(table, remarks());
    if (!failed) {
      file_.write(text);
      return "in " + options_.table;
    }
    return file_.keep(text) ? "in " + options_.table + ".part, since a kernel failed; the table is unchanged"
                            : "not written, since a kernel failed";
  }

  std::vector<std::string> asked() const {
    std::vector<std::string> texts;
    if (!options_.replay.empty()) return {options_.replay};
    for (const Product& product : products_) texts.push_back(text_of(product));
    return texts;
  }

  static std::string text_of(const Product& product) {
    return to_string(product.shape) + ' ' + product.layout;
  }

  std::vector<std::string> remarks() const {
    const Origin origin = origin_here();
    std::vector<std::string> lines{
        fmt::format("{}, {}", device_.name, device_.backend),
        fmt::format("{}, rooftile {} ({}), {}", origin.date, origin.rooftile, origin.commit, origin.compiler),
        fmt::format("faster than the model's choice by more than {:.3g} % and twice the noise",
                    100 * options_.margin)};
    if (const std::string state = device_.state(); !state.empty()) lines.push_back(state);
    return lines;
  }

  void print(const TuningTable& table, const std::string& where) const {
    Table rows({"path", "math", "product", "layout", "the model takes", "us", "fastest", "us", "faster",
                "in the table"});
    for (const Finding& f : findings_) {
      if (f.entry.nanoseconds == 0) continue;
      const auto us = [](Index ns) { return fmt::format("{:.1f}", 1e-3 * static_cast<double>(ns)); };
      const bool kept = f.entry.kernel != Kernel::automatic;
      rows.add({std::string(to_string(f.entry.path)), std::string(to_string(f.entry.math)),
                to_string(f.product.shape), f.product.layout, f.model.kernel + ' ' + f.model.tile,
                us(f.entry.model_nanoseconds), f.fastest.kernel + ' ' + f.fastest.tile,
                us(f.fastest_nanoseconds), fmt::format("{:.1f} %", 100 * f.gain),
                kept ? "yes" : "the model stands"});
    }
    rows.print();
    const auto kept = std::count_if(table.entries.begin(), table.entries.end(),
                                    [](const TuningEntry& e) { return e.kernel != Kernel::automatic; });
    fmt::print("\n{} of {} products are faster than by the model; the table of '{}' is {}\n", kept,
               table.entries.size(), table.device, where);
    for (const std::string& text : logged_.left_out) fmt::print("{}\n", text);
    for (const Finding& f : findings_) {
      if (!f.problem.empty()) {
        fmt::print("FAILED: {} {}: {}\n", to_string(f.entry.math), text_of(f.product), f.problem);
      }
    }
  }

  static Json named(const KernelName& name, Index nanoseconds) {
    return {
        {"kernel", name.kernel}, {"tile", name.tile}, {"seconds", 1e-9 * static_cast<double>(nanoseconds)}};
  }

  Json json(const TuningTable& table) const {
    Json json = {{"device", table.device}, {"margin", options_.margin}};
    json["products"] = Json::array();
    for (const Finding& f : findings_) {
      Json product = {{"path", to_string(f.entry.path)}, {"math", to_string(f.entry.math)},
                      {"m", f.product.shape.m},          {"n", f.product.shape.n},
                      {"k", f.product.shape.k},          {"layout", f.product.layout}};
      if (f.entry.nanoseconds > 0) {
        product["model"] = named(f.model, f.entry.model_nanoseconds);
        product["fastest"] = named(f.fastest, f.fastest_nanoseconds);
        product["gain"] = f.gain;
        product["in_table"] = f.entry.kernel != Kernel::automatic;
      }
      if (!f.problem.empty()) product["problem"] = f.problem;
      json["products"].push_back(product);
    }
    if (!logged_.left_out.empty()) json["left_out"] = logged_.left_out;
    return json;
  }

  const Options& options_;
  OutputFile file_;
  Progress progress_;
  TuningTable known_;      ///< the existing table, whose costs the model uses
  SingleProducts logged_;  ///< of `--replay`
  Machine machine_;
  Device& device_;
  std::vector<Product> products_;
  std::vector<Finding> findings_;
};

const Command command{
    "tune",
    "Which kernels and tiles are fastest for my products on this machine?",
    {"rooftile tune --table machine.tuning --shape 1000",
     "rooftile tune --table machine.tuning --replay calls.log"},
    [](Arguments& app) {
      auto o = std::make_shared<Options>();
      app.group("Output");
      app.add_option("--table", o->table, "write the table to this file")->required();
      app.group("Products");
      auto* shape = app.add_option("--shape", o->shapes,
                                   "MxNxK, or one size for all three; may be repeated (default bench's)");
      auto* suite =
          app.add_option("--suite", o->suite, "products of a suite, by name or file: see `rooftile suites`")
              ->excludes(shape);
      app.add_option("--math", o->maths, "compute modes (default all that kernels support)")
          ->one_of(math_names());
      app.group("Kernels");
      app.add_option("--path", o->paths, "portable, native (default both)")->one_of({"portable", "native"});
      app.add_option("--backend", o->backends, listed(backend_names()) + " (default the one that is here)")
          ->one_of(backend_names());
      add_gpu_option(app, o->gpu);
      app.group("Products");
      auto* layouts = app.add_option("--layout", o->layouts, "r or c for each of A, B, C; may be repeated")
                          ->capture_default_str();
      app.add_option("--replay", o->replay, "the single products of a log that ROOFTILE_LOG wrote")
          ->excludes(shape, suite, layouts);
      app.group("Times");
      app.add_option("--margin", o->margin, "smallest gain over the model's choice for a line in the table")
          ->transform(number(0, 10))
          ->capture_default_str();
      add_samples_option(app, o->samples, "timed runs of each product's finalists");
      add_seed_option(app, o->seed, "of the random operands");
      app.group("Output");
      app.add_flag("--json", o->json, "print what was found as JSON");
      return [o] {
        for (const std::string& text : o->shapes) {
          const auto [m, n, k] = parse_shape(text);
          if (std::min({m, n, k}) > 0) continue;
          throw Error(fmt::format("nothing to time (--shape {}): take extents of 1 or more", text));
        }
        for (const std::string& layout : o->layouts) require_layout(layout);
        return Tune(*o).run();
      };
    }};

}  // namespace
}  // namespace rooftile::perf
