// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "command.hpp"
#include "measure/host_memory.hpp"
#include "measure/sampler.hpp"
#include "measure/suite.hpp"
#include "parse.hpp"
#include "probes/probe.hpp"
#include "progress.hpp"
#include "record/json.hpp"
#include "rooftile/tuning_file.hpp"
#include "selection.hpp"
#include "writers/output.hpp"
#include "writers/output_file.hpp"
#include "writers/result_table.hpp"

/// `rooftile bench`: what is run, and what is said of it.
namespace rooftile::perf {

struct BenchOptions {
  std::vector<std::string> shapes, dtypes, maths, paths, backends, kernels;  // empty: all
  std::vector<std::string> suites;                                           // paths; empty: no suite
  std::string tile = "default", layout = "rrr";
  std::optional<std::string> json, tuning;
  double alpha = 1, beta = 0;
  Index batch = 1;
  bool pointers = false;
  int gpu = 0;
  std::uint64_t seed = 20261121;
  Sampling sampling;
  std::vector<std::string> arguments;  ///< all of the above, as typed
};

/// Whether the row's default tile, or the one tile that the rung has, is meant by `tile`.
template <class T>
bool tile_wanted(const Candidate<T>& candidate, const std::string& tile) {
  if (tile == "all" || is_baseline(candidate.path) || candidate.chosen) return true;
  return tile == "default" ? candidate.default_tile : candidate.tile == tile;
}

class Bench {
 public:
  /// @throws Error where the options ask for what cannot be run or written, before anything is measured
  explicit Bench(const BenchOptions& options)
      : options_(options),
        tuning_(options.tuning ? std::optional(read_tuning(*options.tuning)) : std::nullopt),
        machine_(find_machine(tuning_ ? &*tuning_ : nullptr, options.gpu)) {
    if (options_.json) file_.emplace("--json", *options_.json);
    require_candidates();
    for (const auto& device : machine_.devices) {
      if (!wanted(*device)) continue;
      for (const Product& product : products_on(*device)) {
        for_each_math(*device, [&]<class T>(Math) { require_scalars<T>(product.shape); });
        require_memory(*device, product.shape);
      }
    }
  }

  int run() {
    run_ = {false, options_.arguments, origin_here(), {}, machine_.absent, {}, {}};
    for (const Absent& absent : run_.absent) fmt::print("{:<9} not here: {}\n", absent.what, absent.why);
    for (const std::string& warning : machine_.warnings) fmt::print("warning: {}\n", warning);
    for (const auto& device : machine_.devices) {
      if (wanted(*device)) run_on(*device);
    }
    run_.complete = true;
    if (!options_.suites.empty()) print_summaries(run_.summaries);
    if (file_) file_->write(to_json(run_).dump(1) + '\n');
    const std::vector<Result>& results = run_.results;
    const auto failed = [&](bool baseline) {
      return std::count_if(results.begin(), results.end(), [&](const Result& r) {
        return r.status == "failed" && is_baseline(r.path) == baseline;
      });
    };
    if (const auto wrong = failed(true); wrong > 0) {
      fmt::print("\n{} of another library: no ratio to it there\n", counted(wrong, "wrong result"));
    }
    if (failed(false) > 0) return check_failed;
    const auto measured = [this](const Result& r) {
      return r.ok() && !(ladder_asked() && is_baseline(r.path));
    };
    if (std::any_of(results.begin(), results.end(), measured)) return ok;
    const Result& first = results.front();
    fmt::print(stderr, "rooftile: nothing was measured ({} {} {}: {})\n", first.path, first.kernel,
               to_string(first.shape), first.reason);
    return check_failed;
  }

 private:
  /// Whether the options ask for a kernel, whatever its tile. The library's own choice is one of the others
  /// again, and hence not among "all".
  template <class T>
  bool kernel_wanted(const Candidate<T>& c) const {
    const bool kernel = c.chosen ? !options_.kernels.empty() && contains(options_.kernels, c.kernel)
                                 : is_baseline(c.path) || contains(options_.kernels, c.kernel);
    return kernel && contains(options_.dtypes, std::string(to_string(type_of<T>()))) &&
           contains(options_.maths, std::string(to_string(c.math))) && contains(options_.paths, c.path) &&
           contains(options_.backends, c.device->backend);
  }

  /// Other libraries alone are run only where they are asked for.
  template <class T>
  std::vector<const Candidate<T>*> candidates_on(const Device& device, Math math) {
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

  /// Calls f.operator()<T>(math) for each math mode in which the device runs something.
  template <class F>
  void for_each_math(const Device& device, const F& f) {
    for_each_element([&]<class T>() {
      for (const Math math : all_maths) {
        if (is_mode_of<T>(math) && !candidates_on<T>(device, math).empty())
          f.template operator()<T>(math);
      }
    });
  }

  bool wanted(const Device& device) {
    bool any = false;
    for_each_math(device, [&]<class T>(Math) { any = true; });
    return any;
  }

  /// Whether there is a product that the kernel takes on its device.
  template <class T>
  static bool runs_here(const Candidate<T>& c) {
    const GemmShape probe{32, 32, 32};  // whole tiles of those kernels that want such, and one block
    return c.refusal(Operands<T>(*c.device, probe, {}, Scalar<T>(1), Scalar<T>(0), 0).on_device()).empty();
  }

  void require_candidates() {
    std::map<std::string, std::set<std::string>> here;
    std::set<std::string> tiles, maths;
    bool any = false, any_of_ladder = false;
    for_each_element([&]<class T>() {
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
      std::string known;
      for (const auto& [path, kernels] : here) {
        known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", path, fmt::join(kernels, ", "));
      }
      throw Error(fmt::format("nothing to run here ({}): choose among {}, in {}", asked(), known,
                              fmt::join(maths, ", ")));
    }
    if (options_.tile != "default" && options_.tile != "all" && tiles.count(options_.tile) == 0) {
      tiles.insert({"default", "all"});
      throw Error(fmt::format("no kernel asked for has this tile here (--tile {}): take one of {}",
                              options_.tile, fmt::join(tiles, ", ")));
    }
  }

  /// The options that choose candidates, as they were given.
  std::string asked() const {
    std::string text;
    for (const auto& [name, values] :
         {std::pair{"--dtype", &options_.dtypes}, std::pair{"--math", &options_.maths},
          std::pair{"--path", &options_.paths}, std::pair{"--backend", &options_.backends},
          std::pair{"--kernel", &options_.kernels}}) {
      for (const std::string& value : *values)
        text += fmt::format("{}{} {}", text.empty() ? "" : " ", name, value);
    }
    return text.empty() ? "no option" : text;
  }

  std::vector<Product> products_on(const Device& device) const {
    std::vector<Product> products;
    if (!options_.suites.empty()) {
      for (const Product& product : suite_products(is_gpu(device))) {
        if (contains(options_.shapes, to_string(product.shape))) products.push_back(product);
      }
      return products;
    }
    for (const std::string& text : options_.shapes) products.push_back({parse_shape(text), options_.layout});
    if (!products.empty()) return products;
    for (const GemmShape& shape : default_shapes(device)) products.push_back({shape, options_.layout});
    return products;
  }

  /// Alpha and beta are numbers of the type, and what they make of operands in [-1, 1) is, too: a sum of k
  /// products strays by √k / 3, of which 24 times is never seen.
  template <class T>
  void require_scalars(const GemmShape& shape) const {
    const auto refuse = [&](const char* problem, const char* name, double value) {
      throw Error(fmt::format("{} ({} {}, {} {}): take one nearer to 1, or another type", problem, name,
                              value, to_string(type_of<T>()), to_string(shape)));
    };
    using Limits = std::numeric_limits<Scalar<T>>;
    for (const auto& [name, value] : {std::pair{"--alpha", options_.alpha}, {"--beta", options_.beta}}) {
      const double size = std::abs(value);
      if (size > static_cast<double>(Limits::max()) ||
          (size > 0 && size < static_cast<double>(Limits::denorm_min()))) {
        refuse("not a number of the type", name, value);
      }
    }
    const double k = static_cast<double>(shape.k), sum = std::min(k, 8 * std::sqrt(k));
    const double largest = static_cast<double>(std::numeric_limits<T>::max());
    if (std::abs(options_.beta) > largest) refuse("results beyond the type", "--beta", options_.beta);
    if (std::abs(options_.alpha) * sum > largest - std::abs(options_.beta)) {
      refuse("results beyond the type", "--alpha", options_.alpha);
    }
  }

  void require_memory(const Device& device, const GemmShape& shape) {
    std::size_t element_size = 0;
    for_each_math(device, [&]<class T>(Math) { element_size = std::max(element_size, sizeof(T)); });
    const double reference = options_.sampling.reference;
    const auto products = static_cast<Index>(products_to_check(shape, options_.batch, reference).size());
    const Index rows = products * count_of_rows_to_check(shape, reference / static_cast<double>(products));
    const double needed = host_bytes(shape, options_.batch, element_size, rows, !is_gpu(device));
    const double available = available_memory();
    if (needed <= available) return;
    throw Error(
        fmt::format("product too large for this machine (--shape {}{}, {:.3g} GB needed, {:.3g} GB free): "
                    "take a smaller one",
                    to_string(shape), options_.batch > 1 ? fmt::format(" --batch {}", options_.batch) : "",
                    1e-9 * needed, 1e-9 * available));
  }

  void run_on(Device& device) {
    progress_("ceilings of " + device.name);
    const Ceilings ceilings = measured_ceilings(device);
    progress_("");
    fmt::print("{} ({}): measured ceilings {:.0f} GFLOP/s fp32, {:.0f} GFLOP/s fp64, {:.0f} GB/s\n",
               device.name, device.backend, ceilings.fp32_gflops, ceilings.fp64_gflops,
               ceilings.bandwidth_gbs);
    run_.devices.push_back({device.name, device.backend, device.number, device.threads, ceilings, {}});
    for (const Product& product : products_on(device)) {
      for_each_math(device, [&]<class T>(Math math) { run_product<T>(device, ceilings, product, math); });
    }
    run_.devices.back().state = device.state();
  }

  /// What stands before the mode in a title; nothing for one product.
  std::string products_in_words() const {
    if (options_.pointers) return fmt::format("{} products by pointers in ", options_.batch);
    return options_.batch > 1 ? fmt::format("{} products in ", options_.batch) : "";
  }

  template <class T>
  void run_product(Device& device, const Ceilings& ceilings, const Product& product, Math math) {
    const std::string title = fmt::format("{}{} {} {}", products_in_words(), to_string(math),
                                          to_string(product.shape), product.layout);
    progress_(title);
    Operands<T> operands(device, product.shape, {product.layout}, static_cast<Scalar<T>>(options_.alpha),
                         static_cast<Scalar<T>>(options_.beta), options_.seed, options_.batch,
                         options_.pointers ? Places::by_pointers : Places::at_distances);
    const auto candidates = candidates_on<T>(device, math);
    std::vector<Result> results = sample(candidates, operands, options_.sampling,
                                         [&](const std::string& doing) { progress_(title + ": " + doing); });
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!results[i].ok()) continue;
      progress_(title + ": probe " + title_of(*candidates[i]));
      results[i].metrics = probed(device, candidates[i]->call(operands.on_device()));
    }
    progress_("");

    compare_with_baselines(results);
    const double intensity =
        product.shape.intensity(sizeof(T), options_.beta != 0) * real_multiply_adds(type_of<T>());
    const double peak = ceilings.gflops(math), slope = intensity * ceilings.bandwidth_gbs;
    bool multiplied = false;
    for (Result& r : results) {
      r.layout = product.layout, r.aligned = is_aligned(product, sizeof(T));
      r.alpha = options_.alpha, r.beta = options_.beta, r.seed = options_.seed;
      multiplied = r.multiplied();
      if (!multiplied) continue;
      r.intensity = intensity;
      if (peak > 0) r.bound = slope < peak ? "memory" : "compute";
      if (r.seconds.median > 0) {
        r.gflops = 1e-9 * static_cast<double>(options_.batch) * flops_of(product.shape, type_of<T>()) /
                   r.seconds.median;
        r.roofline_fraction = peak > 0 ? r.gflops / std::min(peak, slope) : 0;
      }
    }
    print_table(title + (multiplied ? fmt::format(", {:.1f} FLOP/B if each operand moves once", intensity)
                                    : ", nothing is multiplied"),
                results);
    run_.results.insert(run_.results.end(), results.begin(), results.end());
    if (!options_.suites.empty()) run_.summaries = summaries_of(run_.results);
    if (file_) file_->keep(to_json(run_).dump(1) + '\n');
  }

  const BenchOptions& options_;
  Progress progress_;
  std::optional<TuningTable> tuning_;
  Machine machine_;
  std::optional<OutputFile> file_;
  Run run_;
};

}  // namespace rooftile::perf
