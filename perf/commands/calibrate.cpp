// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>

#include "../command.hpp"
#include "../measure/calibration.hpp"
#include "../measure/sampler.hpp"
#include "../options.hpp"
#include "../progress.hpp"
#include "../providers/detect.hpp"
#include "../selection.hpp"
#include "../writers/output.hpp"
#include "../writers/output_file.hpp"
#include "rooftile/model/find_device.hpp"
#include "rooftile/tuning_file.hpp"

namespace rooftile::perf {
namespace {

struct Options {
  std::string table;
  std::uint64_t seed = 20261121;
  std::size_t samples = 16;
  int gpu = 0;
  bool json = false;
};

class Calibrate {
 public:
  /// @throws Error where there is no GPU or the table cannot be written, before anything is measured
  explicit Calibrate(const Options& options)
      : options_(options),
        file_("--table", options.table),
        machine_(find_machine(nullptr, options.gpu)),
        device_(find_gpu()),
        targets_(targets_of(device_)),
        row_(targets_.front().costs),
        costs_(row_) {}

  int run() {
    find_clock();
    const double launch = summarise(samples_of(timer_of(launch_kernel))).median;
    for (const Experiment& experiment : experiments(targets_)) {
      for (const CalibratedCost& cost : measured(experiment, launch)) {
        if (cost.problem.empty()) costs_.*cost.figure = cost.value;
        found_.push_back(cost);
      }
    }
    progress_("");
    const TuningTable table = table_of_findings();
    const bool any = !table.costs.empty();
    write_and_print(
        [&] {
          if (any) file_.write(to_text(table, remarks()));
        },
        [&] {
          if (options_.json) {
            print_json(json(table));
          } else {
            print(table);
          }
        });
    if (!any) fmt::print(stderr, "rooftile: nothing was calibrated: {} is as it was\n", options_.table);
    return any ? ok : check_failed;
  }

 private:
  /// Times one run of a kernel, in seconds.
  using Timer = std::function<double()>;

  static constexpr double max_seconds = 2;  ///< of an experiment: all together stay below a minute

  Device& find_gpu() const {
    std::string names;
    for (const auto& device : machine_.devices) {
      if (is_gpu(*device) && !device->targets.empty()) return *device;
      names += (names.empty() ? "" : ", ") + device->backend;
    }
    throw Error(fmt::format(
        "no GPU to calibrate ({} here): the costs are a GPU's; a CPU's choices follow from its caches",
        names));
  }

  /// Of the native path, if it is there, else of the portable one: costs are the device's.
  static std::vector<Target> targets_of(const Device& device) {
    const auto native = [](const Target& target) { return target.path == Path::native; };
    const bool any = std::any_of(device.targets.begin(), device.targets.end(), native);
    std::vector<Target> targets;
    for (const Target& target : device.targets) {
      if (native(target) == any) targets.push_back(target);
    }
    return targets;
  }

  const Target* target_in(Math math) const {
    const auto found = std::find_if(targets_.begin(), targets_.end(),
                                    [&](const Target& target) { return target.math == math; });
    return found == targets_.end() ? nullptr : &*found;
  }

  template <class T>
  Timer timer_in(const TimedKernel& timed) {
    const Candidate<T>& c = candidate<T>(timed);
    auto operands = std::make_shared<Operands<T>>(device_, timed.shape, Layout{timed.layout}, Scalar<T>(1),
                                                  Scalar<T>(0), options_.seed);
    if (const Refusal problem = c.refusal(operands->on_device()); !problem.empty()) throw Refused(problem);
    operands->fill(Values::uniform);
    return [&c, operands] {
      Index runs = 1;
      return seconds_of(c, *operands, runs);
    };
  }

  template <class T>
  const Candidate<T>& candidate(const TimedKernel& timed) {
    const std::string path(to_string(targets_.front().path));
    const std::string kernel = to_string(timed.kernel), tile = to_string(timed.tile);
    for (const Candidate<T>& c : machine_.candidates<T>()) {
      if (c.device == &device_ && c.math == timed.math && c.path == path && c.kernel == kernel &&
          c.tile == tile)
        return c;
    }
    throw Error(fmt::format("kernel not here ({} {} in {}): build the library with it", kernel, tile,
                            to_string(timed.math)));
  }

  Timer timer_of(const TimedKernel& timed) {
    progress_(fmt::format("prepare {} {} {}", to_string(timed.kernel), to_string(timed.math),
                          to_string(timed.shape)));
    Timer timer;
    for_each_element([&]<class T>() {
      if (type_of<T>() == type_of(timed.math)) timer = timer_in<T>(timed);
    });
    return timer;
  }

  /// Cycles of one kernel alone, once it is warm.
  std::vector<double> samples_of(const Timer& timer) const {
    for (int warm = 0; warm < 3; ++warm) timer();
    std::vector<double> samples;
    for (std::size_t i = 0; i < options_.samples; ++i) samples.push_back(cycles_of(timer()));
    return samples;
  }

  double cycles_of(double seconds) const { return seconds * 1e6 * clock_mhz_; }

  /// Its kernels are timed in turn, so that they share what the machine does meanwhile. A kernel that cannot
  /// run costs the experiment, not the others.
  std::vector<CalibratedCost> measured(const Experiment& experiment, double launch) {
    try {
      std::vector<Timer> timers;
      for (const TimedKernel& timed : experiment.kernels) timers.push_back(timer_of(timed));
      progress_(fmt::format("time {}", model::name_of(experiment.figures.front())));
      for (int warm = 0; warm < 2; ++warm) {
        for (const Timer& timer : timers) timer();
      }
      std::vector<std::vector<double>> cycles(timers.size());
      double spent = 0;
      for (std::size_t i = 0; i < options_.samples && (i < 4 || spent < max_seconds); ++i) {
        for (std::size_t t = 0; t < timers.size(); ++t) {
          const double seconds = timers[t]();
          spent += seconds;
          cycles[t].push_back(cycles_of(seconds));
        }
      }
      return calibrated(experiment, costs_, launch, cycles);
    } catch (const Error& error) {
      std::vector<CalibratedCost> none;
      for (const auto figure : experiment.figures) none.push_back({figure, 0, 0, error.what()});
      return none;
    }
  }

  /// The clock while products keep the GPU busy, where the driver tells it, else the greatest.
  void find_clock() {
    for (const model::Device& found : detected_devices()) {
      if (found.name == device_.name) clock_mhz_ = found.clock_mhz;
    }
    if (const model::Device* known = model::built_in_like(device_.name)) clock_mhz_ = known->clock_mhz;
    if (const double told = clock_under_load(); told > 0) clock_mhz_ = told, under_load_ = true;
    if (clock_mhz_ > 0) return;
    throw Error(fmt::format("clock not known ({}): the costs are in cycles, take a GPU whose driver tells it",
                            device_.name));
  }

  /// Of half a second of products that wait in the queue while the driver is asked; 0: not told.
  double clock_under_load() {
    const Target* const fp32 = target_in(Math::fp32);
    if (fp32 == nullptr) return 0;
    const TileShape tile = detail::tile_of_size(rung_of(Kernel::pipelined), *fp32, 128, 128);
    if (!tile) return 0;
    Operands<float> operands(device_, {2048, 2048, 2048}, {"crr"}, 1, 0, options_.seed);
    operands.fill(Values::uniform);
    const Candidate<float>& kernel = candidate<float>({Math::fp32, {Kernel::pipelined}, tile, {}, {}});
    const std::function<void()> call = kernel.call(operands.on_device());
    const double one = device_.seconds(call);
    const double enough = std::clamp(0.5 / one, 1.0, 2000.0);
    double told = 0;
    device_.seconds([&] {
      for (int i = 0; i < enough; ++i) call();
      told = device_.clock_mhz();
    });
    return told;
  }

  TuningTable table_of_findings() const {
    TuningTable table = table_there(options_.table);
    if (table.device != device_.tuning_name) table = {device_.tuning_name, {}};
    table.costs.clear();
    for (const CalibratedCost& cost : found_) {
      if (cost.problem.empty()) table.costs.push_back({cost.figure, cost.value});
    }
    // Which kernel the model takes may be another now.
    std::erase_if(table.entries, [](const TuningEntry& e) { return e.kernel == Kernel::automatic; });
    return table;
  }

  std::vector<std::string> remarks() const {
    const Origin origin = origin_here();
    return {fmt::format("costs: {}, {} rooftile {} ({}), {:.0f} MHz, {}", device_.name, origin.date,
                        origin.rooftile, origin.commit, clock_mhz_, clock_text())};
  }

  std::string clock_text() const {
    return under_load_ ? "the clock under load"
                       : "the device's greatest clock, since none under load is told";
  }

  void print(const TuningTable& table) const {
    fmt::print("{}, {:.0f} MHz: {}\n\n", device_.name, clock_mhz_, clock_text());
    Table rows({"cost", "today", "measured", "halves differ by"});
    for (const CalibratedCost& cost : found_) {
      const bool is = cost.problem.empty();
      rows.add({std::string(model::name_of(cost.figure)), fmt::format("{:.4g}", row_.*cost.figure),
                is ? fmt::format("{:.4g}", cost.value) : "-", is ? percent(cost.spread) : "-"});
    }
    rows.print();
    for (const CalibratedCost& cost : found_) {
      if (!cost.problem.empty()) fmt::print("left out: {}: {}\n", model::name_of(cost.figure), cost.problem);
    }
    if (table.costs.empty()) return;
    fmt::print("\n{} in {}; what `rooftile tune` found by other costs: run it again\n",
               counted(table.costs.size(), "cost"), options_.table);
  }

  Json json(const TuningTable& table) const {
    Json json = {{"device", table.device},
                 {"clock_mhz", clock_mhz_},
                 {"clock_under_load", under_load_},
                 {"costs", Json::array()}};
    for (const CalibratedCost& cost : found_) {
      Json row = {{"cost", model::name_of(cost.figure)}, {"today", row_.*cost.figure}};
      if (cost.problem.empty()) {
        row["measured"] = cost.value, row["spread"] = cost.spread;
      } else {
        row["problem"] = cost.problem;
      }
      json["costs"].push_back(row);
    }
    return json;
  }

  const Options& options_;
  OutputFile file_;
  Progress progress_;
  Machine machine_;
  Device& device_;
  std::vector<Target> targets_;
  const model::Costs row_;
  model::Costs costs_;  ///< with what was measured so far
  double clock_mhz_ = 0;
  bool under_load_ = false;
  std::vector<CalibratedCost> found_;
};

const Command command{
    "calibrate",
    "What do the model's choices cost on this GPU?",
    {"rooftile calibrate --table h100.tuning", "rooftile calibrate --table h100.tuning --gpu 1"},
    [](Arguments& app) {
      auto o = std::make_shared<Options>();
      app.add_option("--table", o->table, "write the costs to this file, whose measured kernels stay")
          ->required();
      add_gpu_option(app, o->gpu);
      app.add_option("--samples", o->samples, "timed runs of each kernel")
          ->transform(whole(4, 100000))
          ->capture_default_str();
      app.add_option("--seed", o->seed, "of the random operands")
          ->transform(random_seed())
          ->capture_default_str();
      app.add_flag("--json", o->json, "print what was found as JSON");
      return [o] { return Calibrate(*o).run(); };
    }};

}  // namespace
}  // namespace rooftile::perf
