// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "../command.hpp"
#include "../host_memory.hpp"
#include "../options.hpp"
#include "../output_file.hpp"
#include "../parse.hpp"
#include "../progress.hpp"
#include "../sampler.hpp"
#include "../selection.hpp"
#include "../suite.hpp"
#include "rooftile/choose.hpp"
#include "rooftile/tuning_file.hpp"

namespace rooftile::perf {
namespace {

struct Options {
  std::vector<std::string> shapes, dtypes, maths, paths, backends, kernels;  // empty: all
  std::vector<std::string> suites;                                           // paths; empty: no suite
  std::string tile = "default", layout = "rrr";
  std::optional<std::string> json, tuning;
  double alpha = 1, beta = 0;
  Index batch = 1;
  std::uint64_t seed = 20261121;
  Sampling sampling;
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
  explicit Bench(const Options& options)
      : options_(options),
        tuning_(options.tuning ? std::optional(read_tuning(*options.tuning)) : std::nullopt),
        machine_(find_machine(tuning_ ? &*tuning_ : nullptr)) {
    if (options_.json) file_.emplace("--json", *options_.json);
    require_candidates();
    for (const auto& device : machine_.devices) {
      if (!wanted(*device)) continue;
      for (const Product& product : products_on(*device)) require_memory(*device, product.shape);
    }
  }

  int run() {
    for (const Absent& absent : machine_.absent) fmt::print("{:<9} not here: {}\n", absent.what, absent.why);
    for (const auto& device : machine_.devices) {
      if (wanted(*device)) run_on(*device);
    }
    if (!options_.suites.empty()) print_summaries(summaries_of(results_));
    if (file_) file_->write(json(true).dump(1) + '\n');
    return std::any_of(results_.begin(), results_.end(), [](const Result& r) { return r.status == "failed"; })
               ? check_failed
               : ok;
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
    for_each_type([&]<class T>() {
      for (const Math math : all_maths) {
        if (type_of(math) == type_of<T>() && !candidates_on<T>(device, math).empty())
          f.template operator()<T>(math);
      }
    });
  }

  bool wanted(const Device& device) {
    bool any = false;
    for_each_math(device, [&]<class T>(Math) { any = true; });
    return any;
  }

  void require_candidates() {
    std::map<std::string, std::set<std::string>> here;
    std::set<std::string> tiles, maths;
    bool any = false, any_of_ladder = false;
    for_each_type([&]<class T>() {
      for (const Candidate<T>& c : machine_.candidates<T>()) {
        here[c.path + " on " + c.device->backend].insert(c.kernel);
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
    const Ceilings ceilings = device.measure_ceilings(device);
    progress_("");
    fmt::print("{} ({}): measured ceilings {:.0f} GFLOP/s fp32, {:.0f} GFLOP/s fp64, {:.0f} GB/s\n",
               device.name, device.backend, ceilings.fp32_gflops, ceilings.fp64_gflops,
               ceilings.bandwidth_gbs);
    devices_.push_back({{"name", device.name},
                        {"backend", device.backend},
                        {"ceilings",
                         {{"fp32_gflops", ceilings.fp32_gflops},
                          {"fp64_gflops", ceilings.fp64_gflops},
                          {"bandwidth_gbs", ceilings.bandwidth_gbs}}}});
    for (const Product& product : products_on(device)) {
      for_each_math(device, [&]<class T>(Math math) { run_product<T>(device, ceilings, product, math); });
    }
    if (const std::string state = device.state(); !state.empty()) devices_.back()["state"] = state;
  }

  template <class T>
  void run_product(Device& device, const Ceilings& ceilings, const Product& product, Math math) {
    const std::string title =
        fmt::format("{}{} {} {}", options_.batch > 1 ? fmt::format("{} products in ", options_.batch) : "",
                    to_string(math), to_string(product.shape), product.layout);
    progress_(title);
    Operands<T> operands(device, product.shape, {product.layout}, static_cast<Scalar<T>>(options_.alpha),
                         static_cast<Scalar<T>>(options_.beta), options_.seed, options_.batch);
    std::vector<Result> results = sample(candidates_on<T>(device, math), operands, options_.sampling,
                                         [&](const std::string& doing) { progress_(title + ": " + doing); });
    progress_("");

    compare_with_baselines(results);
    const double intensity = product.shape.intensity(sizeof(T), options_.beta != 0);
    const double peak = ceilings.gflops(math), slope = intensity * ceilings.bandwidth_gbs;
    for (Result& r : results) {
      r.layout = product.layout, r.aligned = is_aligned(product, sizeof(T)), r.intensity = intensity;
      if (peak > 0) r.bound = slope < peak ? "memory" : "compute";
      if (r.seconds.median > 0) {
        r.gflops = 1e-9 * static_cast<double>(options_.batch) * product.shape.flops() / r.seconds.median;
        r.roofline_fraction = peak > 0 ? r.gflops / std::min(peak, slope) : 0;
      }
    }
    print_table(fmt::format("{}, {:.1f} FLOP/B if each operand moves once", title, intensity), results);
    results_.insert(results_.end(), results.begin(), results.end());
    if (file_) file_->keep(json(false).dump(1) + '\n');
  }

  nlohmann::ordered_json json(bool complete) const {
    nlohmann::ordered_json json = {{"schema", 1}, {"host", describe_host()}, {"devices", devices_}};
    if (!complete) json["complete"] = false;
    for (const Absent& absent : machine_.absent)
      json["absent"].push_back({{"what", absent.what}, {"why", absent.why}});
    for (const Result& result : results_) json["results"].push_back(to_json(result));
    if (!options_.suites.empty()) {
      for (const Summary& summary : summaries_of(results_)) json["summary"].push_back(to_json(summary));
    }
    return json;
  }

  const Options& options_;
  Progress progress_;
  std::optional<TuningTable> tuning_;
  Machine machine_;
  std::optional<OutputFile> file_;
  std::vector<Result> results_;
  nlohmann::ordered_json devices_ = nlohmann::ordered_json::array();
};

void check(const Options& options) {
  for (const std::string& kernel : options.kernels) {
    if (kernel == "automatic") continue;
    try {
      find_kernel(kernel);
    } catch (const Error& error) {
      throw Error(std::string("--kernel: ") + error.what());
    }
  }
  for (const std::string& shape : options.shapes) parse_shape(shape);
  require_layout(options.layout);
  const bool automatic = !options.kernels.empty() && contains(options.kernels, "automatic");
  if (options.tuning && !automatic && options.suites.empty()) {
    throw Error(rooftile::detail::text("nothing here asks a tuning table (--tuning ", *options.tuning,
                                       "): add --kernel automatic, or take a --suite"));
  }
}

/// The paths of the suites beside the vendor, each with the kernel that the library chooses.
void take_suite(Options& options) {
  std::set<std::string> known;
  for (const Product& product : suite_products(true)) known.insert(to_string(product.shape));
  for (std::string& shape : options.shapes) {
    shape = to_string(parse_shape(shape));
    if (known.count(shape) == 0) {
      throw Error(
          fmt::format("not in the suite (--shape {}): take one of {}", shape, fmt::join(known, ", ")));
    }
  }
  options.paths = options.suites;
  options.paths.insert(options.paths.end(), {"vendor", "peer"});
  options.kernels = {"automatic"};
  // The many products share the time that a few would take.
  options.sampling.reference = std::min(options.sampling.reference, 2e9);
}

const Command command{
    "bench", "time every kernel on every path, verified, under the measured roofline", [](CLI::App& app) {
      auto options = std::make_shared<Options>();
      auto* suite =
          app.add_option("--suite", options->suites,
                         "portable, native: what a user of the path gets, on a fixed set of products, and a "
                         "summary against the vendor")
              ->check(CLI::IsMember({"portable", "native"}));
      app.add_option("--shape", options->shapes,
                     "MxNxK, or one size for all three; may be repeated; with --suite: of its products");
      app.add_option("--dtype", options->dtypes, "fp32, fp64, fp16, bf16 (default all that kernels are for)")
          ->check(CLI::IsMember({"fp32", "fp64", "fp16", "bf16"}));
      app.add_option("--math", options->maths,
                     "what products are computed in: a type's own, or tf32, tf32x3 for fp32 (default all)")
          ->check(CLI::IsMember({"fp32", "fp64", "fp16", "bf16", "tf32", "tf32x3"}));
      auto* path = app.add_option("--path", options->paths, "portable, native, vendor, peer (default all)")
                       ->check(CLI::IsMember({"portable", "native", "vendor", "peer"}));
      app.add_option("--backend", options->backends, "openmp, serial, cuda, hip (default all that are here)")
          ->check(CLI::IsMember({"openmp", "serial", "cuda", "hip"}));
      auto* kernel = app.add_option(
          "--kernel", options->kernels,
          "one of " + rooftile::detail::kernel_names() + " (default all), or automatic: what gemm takes");
      auto* tile = app.add_option("--tile", options->tile, "default, all, or one such as 16x16x16")
                       ->capture_default_str();
      auto* layout =
          app.add_option("--layout", options->layout, "r or c for each of A, B, C")->capture_default_str();
      auto* batch = app.add_option("--batch", options->batch,
                                   "products of each shape in one call, gemm_strided_batched")
                        ->check(CLI::Range(1, 1000000))
                        ->capture_default_str();
      suite->excludes(path, kernel, tile, layout, batch);
      app.add_option("--alpha", options->alpha)->check(finite())->capture_default_str();
      app.add_option("--beta", options->beta)->check(finite())->capture_default_str();
      app.add_option("--samples", options->sampling.samples, "timed runs of each kernel")
          ->check(CLI::Range(1, 100000))
          ->capture_default_str();
      app.add_option("--reference", options->sampling.reference,
                     "multiply-adds of each of the two references; of larger products some rows are checked")
          ->check(CLI::PositiveNumber);
      app.add_option("--seed", options->seed, "of the random operands")->capture_default_str();
      app.add_option("--tuning", options->tuning,
                     "a table of `rooftile tune`, for the kernel automatic and the suites");
      app.add_option("--json", options->json,
                     "write the results to this file; until the run ends, those so far to FILE.part");
      return [options] {
        check(*options);
        if (!options->suites.empty()) take_suite(*options);
        return Bench(*options).run();
      };
    }};

}  // namespace
}  // namespace rooftile::perf
