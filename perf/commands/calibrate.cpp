// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>

#include "../command.hpp"
#include "../interrupt.hpp"
#include "../measure/fit.hpp"
#include "../measure/sweep.hpp"
#include "../options.hpp"
#include "../progress.hpp"
#include "../selection.hpp"
#include "../writers/output.hpp"
#include "../writers/output_file.hpp"
#include "plan/device_target.hpp"
#include "plan/read_text.hpp"
#include "rooftile/tuning_file.hpp"

namespace rooftile::perf {
namespace {

struct Options {
  std::string table, device;
  std::vector<std::string> sweeps, unseen;
  Index products = 100;
  std::uint64_t seed = 20261121;
  int gpu = 0;
  bool json = false;
};

struct Calibrated {
  FittedMode fit;
  ChoiceScore unseen;  ///< on products that were not used for the fit
};

class Calibrate {
 public:
  /// @throws Error if there is no GPU, a sweep cannot be read, or the table cannot be written
  explicit Calibrate(const Options& options) : options_(options), file_("--table", options.table) {
    for (const std::string& name : options.sweeps) seen_.push_back(read(name, "--sweep"));
    for (const std::string& name : options.unseen) unseen_.push_back(read(name, "--unseen"));
    if (seen_.empty()) {
      measure();
    } else {
      const model::Device& device = device_option(options.device);
      target_ = [&device](Path path, ComputeMode math) { return target_of(device, path, math); };
    }
  }

  int run() {
    if (ended_) return ended_;
    progress_("fit costs");
    for (FittedMode& fit : fitted(seen_, target_)) {
      ChoiceScore unseen = score_of(fit, unseen_, target_(fit.mode.path, fit.mode.math));
      found_.push_back({std::move(fit), std::move(unseen)});
    }
    progress_("");
    const TuningTable table = table_of_findings();
    write_and_print([&] { file_.write(to_text(table, seen_.front().remarks)); },
                    [&] { print_either(options_.json, json(table), [&] { print(table); }); });
    return ok;
  }

 private:
  static Sweep read(const std::string& name, const std::string& option) {
    const std::string named = option + ' ' + name;
    return sweep_of(detail::read_text(name, named, "name a file that `rooftile sweep` wrote"), named);
  }

  /// Measures two sweeps: one for the fit, and one to validate the choices.
  void measure() {
    const Interrupts interrupts;
    machine_ = find_machine(nullptr, options_.gpu);
    Device& device = find_gpu();
    int wrong = 0;
    for (const Index part : {Index{1}, Index{2}}) {
      const SweepOptions sweep{sweep_products(std::max<Index>(options_.products / part, 1),
                                              options_.seed + static_cast<std::uint64_t>(part))};
      (part == 1 ? seen_ : unseen_).push_back(measured_sweep(machine_, device, sweep, progress_, wrong));
      if (wrong > 0) ended_ = check_failed;
    }
    if (Interrupts::noted() != 0) ended_ = interrupted + Interrupts::noted();
    const Origin origin = origin_here();
    seen_.front().remarks = {fmt::format("costs: {}, {} rooftile {} ({}), {} products, seed {}", device.name,
                                         origin.date, origin.rooftile, origin.commit, options_.products,
                                         options_.seed)};
    target_ = [&device](Path path, ComputeMode math) {
      for (const Target& target : device.targets) {
        if (target.path == path && target.math == math) return target;
      }
      Target none = device.targets.front();
      none.path = path, none.math = math;
      return none;
    };
  }

  Device& find_gpu() const {
    for (const auto& device : machine_.devices) {
      if (is_gpu(*device) && !device->targets.empty()) return *device;
    }
    const std::string names = listed(machine_.devices, [](const auto& device) { return device->backend; });
    throw Error(fmt::format(
        "no GPU to calibrate ({} here): the costs are a GPU's; a CPU's choices follow from its caches",
        names));
  }

  TuningTable table_of_findings() const {
    TuningTable table = table_there(options_.table);
    if (table.device != seen_.front().device) table = {seen_.front().device, {}};
    table.modes.clear(), table.tiles.clear();
    for (const Calibrated& found : found_) {
      model::ModeCosts mode = found.fit.mode;
      mode.first = table.tiles.size(), mode.count = found.fit.tiles.size();
      table.modes.push_back(mode);
      table.tiles.insert(table.tiles.end(), found.fit.tiles.begin(), found.fit.tiles.end());
    }
    // These entries state the model's choice, which the new costs may change.
    std::erase_if(table.entries, [](const TuningEntry& e) { return e.kernel == Kernel::automatic; });
    return table;
  }

  void print(const TuningTable& table) const {
    Table rows({"mode", "products", "regret", "over 1.1", "worst", "unseen", "regret", "over 1.1", "worst"});
    for (const Calibrated& found : found_) {
      std::vector<std::string> row{
          fmt::format("{} {}", to_string(found.fit.mode.path), to_string(found.fit.mode.math))};
      for (const ChoiceScore* score : {&found.fit.score, &found.unseen}) {
        row.push_back(std::to_string(score->products));
        row.push_back(fmt::format("{:.3f}", score->regret));
        row.push_back(percent(score->over));
        row.push_back(fmt::format("{:.2f}", score->worst));
      }
      rows.add(row);
    }
    rows.print();
    fmt::print("\ncosts of {} and {} in {}; regret: time of the choice over that of the fastest way\n",
               counted(table.modes.size(), "mode"), counted(table.tiles.size(), "tile"), options_.table);
  }

  static Json json_of(const ChoiceScore& score) {
    return {{"products", score.products}, {"regret", score.regret},      {"over", score.over},
            {"worst", score.worst},       {"product", score.worst_name}, {"residual", score.residual}};
  }

  Json json(const TuningTable& table) const {
    Json json = {{"device", table.device}, {"modes", Json::array()}};
    for (const Calibrated& found : found_) {
      json["modes"].push_back({{"path", to_string(found.fit.mode.path)},
                               {"math", to_string(found.fit.mode.math)},
                               {"tiles", found.fit.tiles.size()},
                               {"fit", json_of(found.fit.score)},
                               {"unseen", json_of(found.unseen)}});
    }
    return json;
  }

  const Options& options_;
  OutputFile file_;
  Progress progress_;
  Machine machine_;
  std::function<Target(Path, ComputeMode)> target_;
  std::vector<Sweep> seen_, unseen_;
  std::vector<Calibrated> found_;
  int ended_ = 0;  ///< exit code of an interrupted run or of wrong results
};

const Command command{
    "calibrate",
    "What do the model's choices cost on this GPU?",
    {"rooftile calibrate --table h100.tuning",
     "rooftile calibrate --table h100.tuning --sweep a.sweep --unseen b.sweep --device H100"},
    [](Arguments& app) {
      auto o = std::make_shared<Options>();
      app.add_option("--table", o->table, "write the costs to this file, and keep its measured kernels")
          ->required();
      auto* const sweep =
          app.add_option("--sweep", o->sweeps, "fit to these files of `rooftile sweep`; default: measure");
      app.add_option("--unseen", o->unseen, "files of other products, to validate the choices")->needs(sweep);
      add_device_option(app, o->device)->needs(sweep);
      add_gpu_option(app, o->gpu)->excludes(sweep);
      app.add_option("--products", o->products, "measured random products in each mode")
          ->transform(whole(10, 100000))
          ->capture_default_str()
          ->excludes(sweep);
      add_seed_option(app, o->seed, "of the products")->excludes(sweep);
      app.add_flag("--json", o->json, "print the quality of the choices as JSON");
      return [o] { return Calibrate(*o).run(); };
    }};

}  // namespace
}  // namespace rooftile::perf
