// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench_options.hpp"
#include "bench_team.hpp"
#include "command.hpp"
#include "interrupt.hpp"
#include "measure/group.hpp"
#include "measure/memory_budget.hpp"
#include "options.hpp"
#include "probes/counters.hpp"
#include "probes/probe.hpp"
#include "progress.hpp"
#include "record/data_sheet.hpp"
#include "record/json.hpp"
#include "record/last_run.hpp"
#include "rooftile/tuning_file.hpp"
#include "selection.hpp"
#include "writers/counters_table.hpp"
#include "writers/output.hpp"
#include "writers/output_file.hpp"
#include "writers/result_table.hpp"

/// `rooftile bench`: runs the selected products and reports the results.
namespace rooftile::perf {

class Bench {
 public:
  /// @throws Error before any measurement if the options request something that cannot run or be written
  explicit Bench(const BenchOptions& options)
      : options_(options),
        suite_(options.replay ? Suite{} : products_asked(options)),
        tuning_(options.tuning ? std::optional(read_tuning(*options.tuning)) : std::nullopt),
        replay_(options.replay ? read_replay(*options.replay) : Replay{}),
        machine_(find_machine(tuning_ ? &*tuning_ : nullptr, options.gpu)) {
    if (options_.json) file_.emplace("--json", *options_.json);
    require_candidates();
    require_products();
    if (options_.replay) require_layouts(*options_.replay, replay_);
    for (const auto& device : machine_.devices) {
      if (!wanted(*device)) continue;
      for (const Product& product : suite_.on(*device)) {
        for_each_math(*device, product, []<class T>(const auto&, const auto& p) { require_scalars<T>(p); });
        require_memory(*device, product);
      }
    }
  }

  int run() {
    run_ = {false, options_.arguments, origin_here(), {}, {}, in_words(options_.sampling), {}, {}};
    note_absent(machine_.absent);
    fmt::print("samples   {}\n", run_.sampling);
    for (const std::string& warning : machine_.warnings) fmt::print("warning: {}\n", warning);
    const Interrupts interrupts;
    try {
      for (const auto& device : machine_.devices) {
        if (wanted(*device)) run_on(*device);
      }
      if (options_.team) wrong_examples_ = time_team_examples(machine_, run_.devices, options_.sampling);
    } catch (const Interrupted&) {
    }
    summarise_suite();
    if (const int signal = Interrupts::noted(); signal != 0) return end_early(signal);
    print_end();
    run_.complete = true;
    const std::string json = to_json(run_).dump(1) + '\n';
    keep_last_run(json);
    if (file_) file_->write(json);
    if (wrong_examples_ > 0) return check_failed;
    const int verdict = verdict_of(run_.results, ladder_asked());
    if (replay_.too_large.empty() || verdict != ok) return verdict;
    fmt::print(stderr, "rooftile: {} left out: {}\n", counted(replay_.too_large.size(), "call"),
               replay_.too_large.front());
    return check_failed;
  }

 private:
  /// Mixed types are measured only if a mode is named or a log is replayed.
  bool is_asked(ComputeMode math) const {
    return !is_mixed(math) || !options_.maths.empty() || options_.replay;
  }

  /// Whether the options select the kernel, ignoring its tile. "all" excludes the library's own choice, which
  /// repeats one of the other kernels.
  template <class T>
  bool kernel_wanted(const Candidate<T>& c) const {
    const bool named = !options_.kernels.empty() &&
                       (contains(options_.kernels, c.kernel) || contains(options_.kernels, "all"));
    const bool kernel =
        c.chosen || c.on_request ? named : is_baseline(c.path) || options_.kernels.empty() || named;
    return kernel && is_asked(c.math) && contains(options_.dtypes, to_string(type_of<T>())) &&
           contains(options_.maths, to_string(c.math)) && contains(options_.paths, c.path) &&
           contains(options_.backends, c.device->backend);
  }

  /// The selected candidates. Baselines do not run alone unless the options exclude both ladders.
  template <class T>
  std::vector<const Candidate<T>*> candidates_on(const Device& device, ComputeMode math) {
    std::vector<const Candidate<T>*> candidates;
    for (const Candidate<T>& c : machine_.candidates<T>()) {
      if (c.device == &device && c.math == math && kernel_wanted(c) && tile_wanted(c, options_.tile))
        candidates.push_back(&c);
    }
    const bool any_of_ladder = std::any_of(candidates.begin(), candidates.end(),
                                           [](const Candidate<T>* c) { return !is_baseline(c->path); });
    if (ladder_asked() && !any_of_ladder) candidates.clear();
    return candidates;
  }

  bool ladder_asked() const {
    return contains(options_.paths, "portable") || contains(options_.paths, "native");
  }

  /// Calls f.operator()<T>(candidates, product) for each math mode in which the device runs something.
  template <class F>
  void for_each_math(const Device& device, const Product& product, const F& f) {
    for_each_product_type([&]<class T>() {
      for (const ComputeMode math : all_modes) {
        if (!is_mode_of<T>(math) || !contains(product.modes, to_string(math))) continue;
        if (product.scales != "none" && type_of(math) != Type::fp8) continue;
        if (is_measured_if_named(math) && options_.maths.empty() && product.modes.empty()) continue;
        const auto candidates = candidates_on<T>(device, math);
        if (!candidates.empty()) f.template operator()<T>(candidates, product);
      }
    });
  }

  /// Calls f for each call of the log and each math mode that the device supports.
  template <class F>
  void for_each_call(const Device& device, const F& f) {
    for (const ReplayedCall& call : replay_.calls) {
      with_product_type(call, [&]<class T>() {
        const auto candidates = candidates_on<T>(device, call.product.math);
        if (!candidates.empty()) f.template operator()<T>(candidates, call);
      });
    }
  }

  bool wanted(const Device& device) {
    bool any = false;
    for (const Product& product : suite_.on(device))
      for_each_math(device, product, [&]<class T>(const auto&, const auto&) { any = true; });
    for_each_call(device, [&]<class T>(const auto&, const auto&) { any = true; });
    return any;
  }

  void require_candidates() {
    std::map<std::string, std::set<std::string>> here;
    std::set<std::string> tiles, maths;
    bool any = false, any_of_ladder = false;
    for_each_product_type([&]<class T>() {
      for (const Candidate<T>& c : machine_.candidates<T>()) {
        if (runs_here(c)) here[c.path + " on " + c.device->backend].insert(c.kernel);
        if (!is_baseline(c.path)) maths.insert(std::string(to_string(c.math)));
        if (!kernel_wanted(c)) continue;
        any = true;
        any_of_ladder = any_of_ladder || !is_baseline(c.path);
        if (!is_baseline(c.path) && !c.tile.empty()) tiles.insert(c.tile);
      }
    });
    if (!any || (ladder_asked() && !any_of_ladder)) {
      const std::string known = listed(here, [](const auto& path) {
        return fmt::format("{} ({})", path.first, fmt::join(path.second, ", "));
      });
      throw Error(fmt::format("nothing to run here ({}): choose among {}, in {}", in_words(options_), known,
                              fmt::join(maths, ", ")));
    }
    if (options_.tile != "default" && options_.tile != "all" && tiles.count(options_.tile) == 0) {
      tiles.insert({"default", "all"});
      throw Error(fmt::format("no selected kernel has this tile here (--tile {}): take one of {}",
                              options_.tile, fmt::join(tiles, ", ")));
    }
  }

  /// Refuses a suite or log without a product for the selected devices and modes.
  void require_products() {
    if (std::any_of(machine_.devices.begin(), machine_.devices.end(),
                    [this](const auto& device) { return wanted(*device); }))
      return;
    throw Error(
        options_.replay
            ? fmt::format("no call of the log matches the options (--replay {}, {}): take another log",
                          *options_.replay, in_words(options_))
            : fmt::format("no product of the suite matches the options (--suite {}, {}): take another suite",
                          options_.suite.value_or("default"), in_words(options_)));
  }

  void require_memory(const Device& device, const Product& product) {
    std::size_t element_size = 0;
    for_each_math(device, product, [&]<class T>(const auto&, const auto&) {
      element_size = std::max(element_size, sizeof(Out<T>));
    });
    perf::require_memory(product, element_size, options_.sampling.reference, !is_gpu(device));
  }

  void run_on(Device& device) {
    progress_("ceilings of " + device.name);
    Ceilings ceilings = measured_ceilings(device);
    disturbance_ = disturbance_of(device.name, ceilings);
    if (!disturbance_.empty()) {  // measure again: the disturbance may be over
      ceilings = largest_of(ceilings, measured_ceilings(device));
      disturbance_ = disturbance_of(device.name, ceilings);
    }
    progress_("");
    fmt::print("{} ({}): measured ceilings {}{}\n", device.name, device.backend, in_words(ceilings),
               share_of_data_sheet(device.name, ceilings, "; of its data sheet "));
    if (!disturbance_.empty()) fmt::print("warning: {}: its ratios do not count\n", disturbance_);
    if (!options_.all) print_headings_of_best();
    run_.devices.push_back(
        {device.name, device.backend, device.number, device.threads, ceilings, {}, 0, device.hardware});
    std::vector<double> work;
    const auto note_work = [&]<class T>(const auto& candidates, const Product& p) {
      work.push_back(work_of(p, candidates.size(), options_.sampling.reference));
    };
    for_each_call(device, [&]<class T>(const auto& candidates, const ReplayedCall& call) {
      note_work.template operator()<T>(candidates, product_of(call.product));
    });
    for (const Product& product : suite_.on(device)) for_each_math(device, product, note_work);
    progress_.expect(work);
    for_each_call(device, [&]<class T>(const auto& candidates, const ReplayedCall& call) {
      if (Interrupts::noted() != 0) throw Interrupted();
      replay<T>(device, ceilings, call, candidates);
      progress_.step();
    });
    for (const Product& product : suite_.on(device)) {
      for_each_math(device, product, [&]<class T>(const auto& candidates, const Product& p) {
        if (Interrupts::noted() != 0) throw Interrupted();
        run_product<T>(device, ceilings, p, candidates);
        progress_.step();
      });
    }
    raise_ceilings(device);
    run_.devices.back().state = device.state();
  }

  /// Measures the ceilings again if a sample exceeds them, and updates the results.
  void raise_ceilings(Device& device) {
    const auto of_device = [&](const Result& r) {
      return r.device == device.name && r.backend == device.backend && r.roofline_fraction > 0;
    };
    const auto exceeds = [&](const Result& r) { return of_device(r) && r.roofline_fraction > 1; };
    if (std::none_of(run_.results.begin(), run_.results.end(), exceeds)) return;
    Ceilings& ceilings = run_.devices.back().ceilings;
    ceilings = largest_of(ceilings, measured_ceilings(device));
    for (Result& r : run_.results) {
      if (!of_device(r)) continue;
      const double flops = 1e9 * r.gflops * r.seconds.median / static_cast<double>(r.batch);
      set_rate(r, flops, r.intensity, math_named(r.math), ceilings);
    }
    fmt::print(
        "ceilings measured again, since samples exceeded them: {}; {} still above 100 %: ceiling too low\n",
        in_words(ceilings),
        counted(std::count_if(run_.results.begin(), run_.results.end(), exceeds), "result"));
  }

  template <class T>
  void run_product(Device& device, const Ceilings& ceilings, const Product& product,
                   const std::vector<const Candidate<T>*>& candidates) {
    const std::string title =
        title_of(product, candidates.front()->math) + (options_.sampling.cold ? " cold" : "");
    progress_(title);
    Result like;
    set_product(like, product), like.aligned = is_aligned(product, sizeof(In<T>));
    if (product.smallest > 0) {
      Group<T> group(device, product, options_.seed);
      std::vector<Result> results = group.sample(
          candidates, options_.sampling, [&](const std::string& doing) { progress_(title + ": " + doing); });
      like.intensity = group.intensity();
      const double flops = group.flops() / static_cast<double>(product.batch);
      return take(ceilings, title, results, like, flops, candidates.front()->math);
    }
    Operands<T> operands(device, product.shape, product.lies(), static_cast<Scalar<T>>(product.alpha),
                         static_cast<Scalar<T>>(product.beta), options_.seed, product.batch,
                         product.pointers ? Places::by_pointers : Places::at_distances);
    measure(device, ceilings, title, operands, candidates, like);
  }

  template <class T>
  void replay(Device& device, const Ceilings& ceilings, const ReplayedCall& call,
              const std::vector<const Candidate<T>*>& candidates) {
    const std::string title = title_of(call) + (options_.sampling.cold ? " cold" : "");
    progress_(title);
    std::string lack =
        lack_of<T>(call.product, options_.sampling.reference, !is_gpu(device), available_memory());
    try {
      if (lack.empty()) {
        Operands<T> operands(device, call.product, options_.seed);
        return measure(device, ceilings, title, operands, candidates, result_of(call));
      }
    } catch (const OutOfMemory& error) {
      lack = error.lack;
    } catch (const std::bad_alloc&) {
      lack = "the host has no more memory";
    }
    leave_out<T>(title, call, candidates, lack);
  }

  /// Records a call that does not fit in memory; the remaining calls still run.
  template <class T>
  void leave_out(const std::string& title, const ReplayedCall& call,
                 const std::vector<const Candidate<T>*>& candidates, const std::string& lack) {
    replay_.too_large.push_back(too_large(*options_.replay, call, lack));
    std::vector<Result> results = results_left_out(call, candidates, replay_.too_large.back());
    for (Result& r : results) r.seed = options_.seed, r.cold = options_.sampling.cold;
    progress_("");
    fmt::print("\n{}\n{}\n", title, replay_.too_large.back());
    keep(results);
  }

  void note_absent(const std::vector<Absent>& all) {
    std::string line;
    for (const Absent& absent : all)
      line += fmt::format("{}{} ({})", line.empty() ? "" : "; ", absent.what, absent.why);
    if (!all.empty()) fmt::print("not here  {}\n", line);
    run_.absent.insert(run_.absent.end(), all.begin(), all.end());
  }

  /// @param like  properties of the product to copy into the results
  template <class T>
  void measure(Device& device, const Ceilings& ceilings, const std::string& title, Operands<T>& operands,
               const std::vector<const Candidate<T>*>& candidates, Result like) {
    std::vector<Result> results = sample(candidates, operands, options_.sampling,
                                         [&](const std::string& doing) { progress_(title + ": " + doing); });
    std::vector<Result*> timed;
    std::vector<std::function<void()>> calls;
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!results[i].ok() || Interrupts::noted() != 0) continue;
      progress_(title + ": probe " + title_of(*candidates[i]));
      timed.push_back(&results[i]);
      calls.push_back(candidates[i]->call(operands.on_device()));
      results[i].metrics = probed(device, calls.back());
    }
    if (options_.counters && !calls.empty() && Interrupts::noted() == 0) {
      progress_(title + ": count");
      MetricsOfCalls counted = counters_.of({device, calls, options_.sampling.cold});
      for (std::size_t i = 0; i < timed.size(); ++i) timed[i]->counters = std::move(counted[i]);
    }
    const GemmShape shape = operands.on_host().shape();
    like.intensity = intensity_of<T>(shape, like.beta != 0);
    take(ceilings, title, results, like, flops_of(shape, type_of<T>()), candidates.front()->math);
  }

  /// @param flops  FLOP of one product of the batch
  void take(const Ceilings& ceilings, const std::string& title, std::vector<Result>& results,
            const Result& like, double flops, ComputeMode math) {
    progress_("");
    note_absent(counters_.refused());

    std::erase_if(results, [](const Result& r) { return r.ok() && r.seconds.count == 0; });  // ended early
    compare_with_baselines(results);
    bool multiplied = false;
    for (Result& r : results) {
      r.layout = like.layout, r.aligned = like.aligned, r.operands = like.operands, r.calls = like.calls;
      r.padding = like.padding, r.offset = like.offset, r.inner = like.inner;
      r.scales = like.scales;
      r.alpha = like.alpha, r.beta = like.beta, r.seed = options_.seed;
      if (!disturbance_.empty()) r.disturbed = disturbance_;
      multiplied = r.multiplied();
      if (!multiplied) continue;
      set_rate(r, flops, like.intensity, math, ceilings);
    }
    if (options_.all) {
      print_table(
          title + (multiplied ? fmt::format(", {:.1f} FLOP/B if each operand moves once", like.intensity)
                              : ", nothing is multiplied"),
          results);
    } else {
      print_best(results);
    }
    print_counters(results);
    keep(results);
  }

  /// Writes the partial JSON, at intervals that limit writing to about 5 % of a long run.
  void keep(const std::vector<Result>& results) {
    run_.results.insert(run_.results.end(), results.begin(), results.end());
    const auto begin = std::chrono::steady_clock::now();
    if (!file_ || begin < next_keep_) return;
    summarise_suite();
    file_->keep(to_json(run_).dump(1) + '\n');
    const auto end = std::chrono::steady_clock::now();
    next_keep_ = end + 20 * (end - begin);
  }

  void summarise_suite() {
    if (options_.suite) run_.summaries = summaries_of(run_.results);
  }

  /// Writes FILE before printing: if the terminal was closed, standard output may fail.
  int end_early(int signal) const {
    std::string where;
    if (!run_.results.empty()) keep_last_run(to_json(run_).dump(1) + '\n');
    if (file_ && !run_.results.empty()) {
      const bool replaced = file_->write_early(to_json(run_).dump(1) + '\n');
      where = ", in " + file_->path();
      if (replaced) where += "; what was there is " + file_->before();
    }
    print_end();
    fmt::print(stderr, "rooftile: ended early, with {}{}\n", counted(run_.results.size(), "result"), where);
    return interrupted + signal;
  }

  void print_end() const {
    if (!run_.summaries.empty()) print_summaries(run_.summaries);
    if (options_.replay && !run_.results.empty()) print_replay(run_.results, left_out(replay_));
  }

  const BenchOptions& options_;
  const Suite suite_;
  Progress progress_;
  std::optional<TuningTable> tuning_;
  Replay replay_;
  Machine machine_;
  Counters counters_;
  int wrong_examples_ = 0;
  std::string disturbance_;  ///< of the current device
  std::optional<OutputFile> file_;
  std::chrono::steady_clock::time_point next_keep_{};
  Run run_;
};

}  // namespace rooftile::perf
