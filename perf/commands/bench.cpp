// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <unistd.h>

#include "../command.hpp"
#include "../host_memory.hpp"
#include "../options.hpp"
#include "../output_file.hpp"
#include "../parse.hpp"
#include "../sampler.hpp"
#include "rooftile/choose.hpp"

namespace rooftile::perf {
namespace {

struct Options {
  std::vector<std::string> shapes, dtypes, paths, backends, kernels;  // empty: all
  std::string tile = "default", layout = "rrr";
  std::optional<std::string> json;
  double alpha = 1, beta = 0;
  std::uint64_t seed = 20261121;
  Sampling sampling;
};

bool is_gpu(const Device& device) {
  return device.backend == "cuda" || device.backend == "hip";
}

/// The products of a plain run: what shows a device's ceilings, a ragged size, and shapes that starve it.
std::vector<GemmShape> default_shapes(const Device& device) {
  if (is_gpu(device)) {
    return {{512, 512, 512},    {1000, 1000, 1000}, {1024, 1024, 1024}, {2048, 2048, 2048},
            {4096, 4096, 4096}, {2000, 3000, 2500}, {4095, 4097, 4093}, {16384, 64, 4096},
            {64, 64, 65536},    {8192, 8192, 64}};
  }
  return {{256, 256, 256}, {512, 512, 512}, {500, 500, 500}, {4096, 64, 512}, {64, 64, 16384}};
}

/// An empty list is no restriction.
bool contains(const std::vector<std::string>& list, const std::string& item) {
  return list.empty() || std::find(list.begin(), list.end(), item) != list.end();
}

/// Whether the row's default tile, or the one tile that the rung has, is meant by `tile`.
template <class T>
bool tile_wanted(const Candidate<T>& candidate, const std::string& tile) {
  if (tile == "all" || candidate.path == "vendor") return true;
  const Rung& rung = rung_of(find_kernel(candidate.kernel));
  if (tile == "default") return rung.tiles.empty() || to_string(rung.default_tile) == candidate.tile;
  return candidate.tile == tile;
}

/// One line on the terminal that the next one overwrites; nothing where nobody watches.
class Progress {
 public:
  void operator()(const std::string& text) const {
    if (watched_) fmt::print(stderr, "\r\033[K{}", text);
  }
  ~Progress() {
    if (watched_) fmt::print(stderr, "\r\033[K");
  }

 private:
  bool watched_ = isatty(STDERR_FILENO) != 0;
};

class Bench {
 public:
  /// @throws Error where the options ask for what cannot be run or written, before anything is measured
  explicit Bench(const Options& options) : options_(options), machine_(find_machine()) {
    if (options_.json) file_.emplace("--json", *options_.json);
    require_candidates();
    for (const auto& device : machine_.devices) {
      if (!wanted(*device)) continue;
      for (const GemmShape& shape : shapes_on(*device)) require_memory(*device, shape);
    }
  }

  int run() {
    for (const Absent& absent : machine_.absent) fmt::print("{:<9} not here: {}\n", absent.what, absent.why);
    for (const auto& device : machine_.devices) {
      if (wanted(*device)) run_on(*device);
    }
    if (file_) file_->write(json().dump(1) + '\n');
    return std::any_of(results_.begin(), results_.end(), [](const Result& r) { return r.status == "failed"; })
               ? check_failed
               : ok;
  }

 private:
  /// Whether the options ask for a kernel, whatever its tile.
  template <class T>
  bool kernel_wanted(const Candidate<T>& c) const {
    return contains(options_.dtypes, sizeof(T) == 4 ? "fp32" : "fp64") && contains(options_.paths, c.path) &&
           contains(options_.backends, c.device->backend) &&
           (c.path == "vendor" || contains(options_.kernels, c.kernel));
  }

  template <class T>
  std::vector<const Candidate<T>*> candidates_on(const Device& device) {
    std::vector<const Candidate<T>*> candidates;
    for (const Candidate<T>& c : machine_.candidates<T>()) {
      if (c.device == &device && kernel_wanted(c) && tile_wanted(c, options_.tile)) candidates.push_back(&c);
    }
    return candidates;
  }

  bool wanted(const Device& device) {
    return !candidates_on<float>(device).empty() || !candidates_on<double>(device).empty();
  }

  void require_candidates() {
    std::map<std::string, std::set<std::string>> here;
    std::set<std::string> tiles;
    bool any = false, any_of_ladder = false;
    const auto look_at = [&](const auto& candidates) {
      for (const auto& c : candidates) {
        here[c.path + " on " + c.device->backend].insert(c.kernel);
        if (!kernel_wanted(c)) continue;
        any = true;
        any_of_ladder = any_of_ladder || c.path != "vendor";
        if (c.path != "vendor" && !c.tile.empty()) tiles.insert(c.tile);
      }
    };
    look_at(machine_.fp32);
    look_at(machine_.fp64);
    if (!any || (!options_.kernels.empty() && !any_of_ladder)) {
      std::string known;
      for (const auto& [path, kernels] : here) {
        known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", path, fmt::join(kernels, ", "));
      }
      throw Error(fmt::format("nothing to run here ({}): choose among {}", asked(), known));
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
         {std::pair{"--dtype", &options_.dtypes}, std::pair{"--path", &options_.paths},
          std::pair{"--backend", &options_.backends}, std::pair{"--kernel", &options_.kernels}}) {
      for (const std::string& value : *values)
        text += fmt::format("{}{} {}", text.empty() ? "" : " ", name, value);
    }
    return text.empty() ? "no option" : text;
  }

  std::vector<GemmShape> shapes_on(const Device& device) const {
    std::vector<GemmShape> shapes;
    for (const std::string& text : options_.shapes) shapes.push_back(parse_shape(text));
    return shapes.empty() ? default_shapes(device) : shapes;
  }

  void require_memory(const Device& device, const GemmShape& shape) const {
    const std::size_t element_size = contains(options_.dtypes, "fp64") ? sizeof(double) : sizeof(float);
    const double needed = host_bytes(shape, element_size, count_of_rows_to_check(shape), !is_gpu(device));
    const double available = available_memory();
    if (needed <= available) return;
    throw Error(
        fmt::format("product too large for this machine (--shape {}, {:.3g} GB needed, {:.3g} GB free): "
                    "take a smaller one",
                    to_string(shape), 1e-9 * needed, 1e-9 * available));
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
    for (const GemmShape& shape : shapes_on(device)) {
      run_product<float>(device, ceilings, shape, "fp32");
      run_product<double>(device, ceilings, shape, "fp64");
    }
    if (const std::string state = device.state(); !state.empty()) devices_.back()["state"] = state;
  }

  template <class T>
  void run_product(Device& device, const Ceilings& ceilings, const GemmShape& shape,
                   const std::string& dtype) {
    const std::vector<const Candidate<T>*> candidates = candidates_on<T>(device);
    if (candidates.empty()) return;
    const std::string title = dtype + ' ' + to_string(shape) + ' ' + options_.layout;
    progress_(title);
    Operands<T> operands(device, shape, {options_.layout}, static_cast<T>(options_.alpha),
                         static_cast<T>(options_.beta), options_.seed);
    std::vector<Result> results = sample(candidates, operands, options_.sampling,
                                         [&](const std::string& doing) { progress_(title + ": " + doing); });
    progress_("");

    double vendor_seconds = 0;
    for (const Result& r : results) {
      if (r.path == "vendor" && r.status == "ok") vendor_seconds = r.seconds.median;
    }
    const double intensity = shape.intensity(sizeof(T), options_.beta != 0);
    const double peak = ceilings.gflops(sizeof(T)), slope = intensity * ceilings.bandwidth_gbs;
    for (Result& r : results) {
      r.dtype = dtype, r.math = dtype, r.layout = options_.layout, r.intensity = intensity;
      r.bound = slope < peak ? "memory" : "compute";
      if (r.seconds.median > 0) {
        r.gflops = 1e-9 * shape.flops() / r.seconds.median;
        r.roofline_fraction = r.gflops / std::min(peak, slope);
        r.vendor_ratio = vendor_seconds / r.seconds.median;
      }
    }
    print_table(fmt::format("{}, {:.1f} FLOP/B if each operand moves once", title, intensity), results);
    results_.insert(results_.end(), results.begin(), results.end());
  }

  nlohmann::ordered_json json() const {
    nlohmann::ordered_json json = {{"schema", 1}, {"host", describe_host()}, {"devices", devices_}};
    for (const Absent& absent : machine_.absent)
      json["absent"].push_back({{"what", absent.what}, {"why", absent.why}});
    for (const Result& result : results_) json["results"].push_back(to_json(result));
    return json;
  }

  const Options& options_;
  Progress progress_;
  Machine machine_;
  std::optional<OutputFile> file_;
  std::vector<Result> results_;
  nlohmann::ordered_json devices_ = nlohmann::ordered_json::array();
};

void check(const Options& options) {
  for (const std::string& kernel : options.kernels) {
    try {
      find_kernel(kernel);
    } catch (const Error& error) {
      throw Error(std::string("--kernel: ") + error.what());
    }
  }
  for (const std::string& shape : options.shapes) parse_shape(shape);
  if (options.layout.size() != 3 || options.layout.find_first_not_of("rc") != std::string::npos) {
    throw Error(
        rooftile::detail::text("not a layout (--layout ", options.layout,
                               "): write r (row-major) or c (column-major) for A, B and C, such as rcr"));
  }
}

const Command command{
    "bench", "time every kernel on every path, verified, under the measured roofline", [](CLI::App& app) {
      auto options = std::make_shared<Options>();
      app.add_option("--shape", options->shapes, "MxNxK, or one size for all three; may be repeated");
      app.add_option("--dtype", options->dtypes, "fp32, fp64 (default both)")
          ->check(CLI::IsMember({"fp32", "fp64"}));
      app.add_option("--path", options->paths, "portable, native, vendor (default all)")
          ->check(CLI::IsMember({"portable", "native", "vendor"}));
      app.add_option("--backend", options->backends, "openmp, serial, cuda, hip (default all that are here)")
          ->check(CLI::IsMember({"openmp", "serial", "cuda", "hip"}));
      app.add_option("--kernel", options->kernels,
                     "one of " + rooftile::detail::kernel_names() + " (default all)");
      app.add_option("--tile", options->tile, "default, all, or one such as 16x16x16")->capture_default_str();
      app.add_option("--layout", options->layout, "r or c for each of A, B, C")->capture_default_str();
      app.add_option("--alpha", options->alpha)->check(finite())->capture_default_str();
      app.add_option("--beta", options->beta)->check(finite())->capture_default_str();
      app.add_option("--samples", options->sampling.samples, "timed runs of each kernel")
          ->check(CLI::Range(1, 100000))
          ->capture_default_str();
      app.add_option("--seed", options->seed, "of the random operands")->capture_default_str();
      app.add_option("--json", options->json, "write the results to this file");
      return [options] {
        check(*options);
        return Bench(*options).run();
      };
    }};

}  // namespace
}  // namespace rooftile::perf
