// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "arguments.hpp"
#include "bench_options.hpp"
#include "machine.hpp"
#include "measure/ceilings.hpp"
#include "measure/sampler.hpp"
#include "measure/shared_operands.hpp"
#include "progress.hpp"
#include "ranks/device.hpp"
#include "ranks/ranks.hpp"
#include "record/json.hpp"
#include "record/last_run.hpp"
#include "selection.hpp"
#include "writers/output.hpp"
#include "writers/output_file.hpp"
#include "writers/result_table.hpp"

/// `rooftile bench --ranks`: distributed products, compared with other libraries.
namespace rooftile::perf {

struct SharingOptions {
  bool asked = false;
  std::string grid = "auto";        ///< auto, or rows and columns, such as 2x3
  std::vector<std::string> blocks;  ///< such as 64 or 48x80
  std::vector<std::string> layers;  ///< auto, or a number
  std::vector<std::string> peers;   ///< library files; empty: the known libraries
};

/// Reads two whole numbers of at least 1; one number sets both. @throws Error that names the option
inline std::pair<Index, Index> parse_pair(const std::string& option, const std::string& text) {
  std::vector<Index> extents = extents_in(text);
  if (extents.size() == 1) extents.push_back(extents.front());
  constexpr Index max_extent = 1'000'000'000;
  if (extents.size() == 2 && std::min(extents[0], extents[1]) >= 1 &&
      std::max(extents[0], extents[1]) <= max_extent)
    return {extents[0], extents[1]};
  throw Error(detail::text("not rows and columns (", option, ' ', text, "): write them as 2x3, 1 to ",
                           max_extent, " each"));
}

class RanksBench {
 public:
  /// @pre the options are equal on all processes
  /// @throws Error on all processes, before any measurement, if the options cannot run or be written
  RanksBench(Ranks& ranks, const BenchOptions& options, const SharingOptions& sharing)
      : ranks_(ranks), options_(options), own_(host_device()), device_(*own_, ranks) {
    ranks.agree("", std::hash<std::string>()(fmt::format("{}", fmt::join(options.arguments, " "))));
    for (const std::string& text : options.shapes) shapes_.push_back(parse_shape(text));
    if (shapes_.empty()) shapes_ = {parse_shape("1000"), parse_shape("2000")};
    for (const std::string& text : sharing.blocks) blocks_.push_back(parse_pair("--block", text));
    if (blocks_.empty()) blocks_ = {{64, 64}};
    for (const std::string& text : sharing.layers) layers_.push_back(parse_layers(text));
    if (layers_.empty()) layers_ = {0};
    for (const GemmShape& shape : shapes_) require_work(shape);
    bool any = false;
    for_each_type([&]<class T>() { any = true; });
    if (!any) {
      throw Error(fmt::format(
          "no distributed product for these options ({}): take fp32, fp64, cfp32 or cfp64, portable or peer",
          in_words(options)));
    }
    distributed::Grid grid{0, 0};
    if (sharing.grid != "auto") {
      const auto [rows, cols] = parse_pair("--grid", sharing.grid);
      grid = {static_cast<int>(rows), static_cast<int>(cols)};
    }
    run_ = {false, options.arguments, origin_here(), {}, {}, in_words(options.sampling), {}, {}};
    company_ = ranks.use(grid, sharing.peers);
    standing_ = {company_.grid, ranks.rank()};
    run_.absent = company_.absent;
    if (const int asked = *std::max_element(layers_.begin(), layers_.end()); asked > standing_.grid.size()) {
      throw Error(detail::text("more layers than processes (--layers ", asked, ", ", standing_.grid.size(),
                               "): take at most as many"));
    }
    together(ranks, [&] {
      if (options.json && ranks.rank() == 0) file_.emplace("--json", *options.json);
    });
  }

  /// @return the exit code on rank 0, which prints and writes; `ok` on the other ranks
  int run() {
    for (const Absent& absent : run_.absent) fmt::print("{:<9} not here: {}\n", absent.what, absent.why);
    for (const std::string& warning : company_.warnings) fmt::print("warning: {}\n", warning);
    measure_processes();
    for (const GemmShape& shape : shapes_) {
      for (const auto& [mb, nb] : blocks_) {
        standing_.mb = mb, standing_.nb = nb;
        for_each_type([&]<class T>() { run_product<T>(shape); });
      }
    }
    if (ranks_.rank() > 0) return ok;
    run_.complete = true;
    const std::string json = to_json(run_).dump(1) + '\n';
    keep_last_run(json);
    if (file_) file_->write(json);
    return verdict_of(run_.results, contains(options_.paths, "portable"));
  }

 private:
  int parse_layers(const std::string& text) const {
    int layers = 0;
    if (text == "auto" || read_whole(text, 1, 1'000'000, layers) == Reading::fine) return layers;
    throw Error(detail::text("not a number of layers (--layers ", text,
                             "): write auto, or how many processes share K, 1 or more"));
  }

  static void require_work(const GemmShape& shape) {
    if (std::min({shape.m, shape.n, shape.k}) >= 1) return;
    throw Error(detail::text("nothing to time (--shape ", to_string(shape), "): take extents of 1 or more"));
  }

  template <class F>
  void for_each_type(const F& f) const {
    if (!contains(options_.paths, "portable") && !contains(options_.paths, "peer")) return;
    const auto call = [&]<class T>() {
      if (contains(options_.dtypes, to_string(type_of<T>()))) f.template operator()<T>();
    };
    call.template operator()<float>(), call.template operator()<double>();
    call.template operator()<complex<float>>(), call.template operator()<complex<double>>();
  }

  /// Measures the ceilings of all processes at once, and the bandwidth of the links between them.
  void measure_processes() {
    progress_("ceilings of " + device_.name);
    together(ranks_, [&] { require_host_memory(2.0 * static_cast<double>(copy_bytes)); });
    own_ceilings_ = measured_ceilings(device_);
    constexpr std::size_t large = std::size_t{1} << 22;
    const auto seconds = [&](std::size_t bytes) {
      return best_seconds(device_, [&] { ranks_.exchange(bytes); });
    };
    const double latency = seconds(8), transfer = std::max(seconds(large) - latency, 0.1 * latency);
    bandwidth_gbs_ = 1e-9 * static_cast<double>(large) / transfer, latency_us_ = 1e6 * latency;
    progress_("");
    const Index count = standing_.grid.size();
    const auto of_all = [&](double& rate) { rate *= static_cast<double>(count); };
    Ceilings all = own_ceilings_;
    of_all(all.fp32_gflops), of_all(all.fp64_gflops), of_all(all.bandwidth_gbs);
    for (NamedRate& rate : all.matrix_gflops) of_all(rate.rate);
    for (NamedRate& rate : all.levels_gbs) of_all(rate.rate);
    run_.devices.push_back(
        {device_.name, device_.backend, 0, device_.threads, all, company_.peers, count, device_.hardware});
    fmt::print("{} (openmp, {} of {}): measured ceilings of all {}\n", device_.name,
               counted(count, "process", "processes"), counted(device_.threads, "thread"), in_words(all));
    fmt::print("a process sends {:.3g} GB/s, a message takes {:.3g} us\n", bandwidth_gbs_, latency_us_);
    if (!company_.peers.empty()) fmt::print("peers: {}\n", company_.peers);
  }

  std::string grid_in_words() const { return fmt::format("{}x{}", standing_.grid.rows, standing_.grid.cols); }
  std::string block_in_words() const { return fmt::format("{}x{}", standing_.mb, standing_.nb); }

  template <class T>
  void run_product(const GemmShape& shape) {
    Product product = options_.product;
    product.shape = shape, product.layout = "ccc";
    require_scalars<T>(product);
    const std::string title = fmt::format("{} {} on {} in {}", to_string(type_of<T>()), to_string(product),
                                          grid_in_words(), block_in_words());
    progress_(title);
    SharedOperands<T> operands(device_, standing_, shape, static_cast<Real<T>>(product.alpha),
                               static_cast<Real<T>>(product.beta), options_.seed);
    std::vector<Way> ways;
    std::vector<Result> results;
    for (const Values values : {Values::integers, Values::uniform}) {
      operands.fill(values, options_.sampling.reference);
      ways = ways_of(operands);
      if (results.empty()) results = results_of<T>(ways, product);
      for (std::size_t i = 0; i < ways.size(); ++i) {
        progress_(title + ": verify " + ways[i].kernel);
        if (results[i].ok()) verify(operands, values, ways[i], results[i]);
      }
    }
    time(title, ways, results);
    compare_with_baselines(results);
    const double intensity = intensity_of<T>(shape, product.beta != 0);
    const Ceilings& all = run_.devices.front().ceilings;
    for (Result& r : results) {
      if (r.multiplied()) set_rate(r, flops_of(shape, type_of<T>()), intensity, own_mode<T>(), all);
    }
    print_table(title, results);
    run_.results.insert(run_.results.end(), results.begin(), results.end());
    if (file_) file_->keep(to_json(run_).dump(1) + '\n');
  }

  template <class T>
  std::vector<Way> ways_of(const SharedOperands<T>& operands) {
    const model::Process process{own_ceilings_.gflops(own_mode<T>()), bandwidth_gbs_, latency_us_};
    std::vector<Way> ways = ranks_.ways(operands.args(), layers_, process);
    std::erase_if(ways, [&](const Way& way) { return !contains(options_.paths, way.path); });
    return ways;
  }

  template <class T>
  std::vector<Result> results_of(const std::vector<Way>& ways, const Product& product) const {
    std::vector<Result> results;
    for (const Way& way : ways) {
      Result& r = results.emplace_back();
      set_product(r, product);
      r.path = way.path, r.kernel = way.kernel, r.automatic = way.automatic;
      r.device = device_.name, r.backend = device_.backend, r.seed = options_.seed;
      r.dtype = to_string(type_of<T>()), r.math = to_string(own_mode<T>());
      r.shared = {standing_.grid.size(), grid_in_words(), block_in_words(), way.layers};
      r.aligned = standing_.mb == standing_.nb;
      r.reason = way.refusal, r.status = way.refusal.empty() ? "ok" : "unsupported";
      if (way.layers == 0 || !r.ok()) continue;
      r.metrics = {{"moved", 1e-6 * way.bytes_moved, "MB"},
                   {"workspace", 1e-6 * way.workspace, "MB"},
                   {"modelled", 1e3 * way.modelled, "ms"}};
    }
    return results;
  }

  /// Each process verifies its own part. A failure on one process fails the product on all.
  template <class T>
  void verify(SharedOperands<T>& operands, Values values, const Way& way, Result& r) {
    operands.reset();
    way.run();
    const Verification found = operands.worst();
    r.error_ratio = std::max(r.error_ratio, ranks_.max(found.ratio));
    r.rows_checked = operands.rows_checked(options_.sampling.reference);
    const std::string problem =
        found.passed()
            ? ""
            : detail::text("wrong result", values == Values::integers ? " of integers" : "", " (row ",
                           found.row, ", column ", found.col, ", ",
                           values == Values::integers ? std::string("not exact")
                                                      : detail::text(found.ratio, " times its error bound"),
                           "): report this");
    try {
      ranks_.agree(problem);
    } catch (const Error& error) {
      r.status = "failed", r.reason = error.what();
    }
  }

  void time(const std::string& title, const std::vector<Way>& ways, std::vector<Result>& results) {
    time_rows(
        results, options_.sampling, [&](const std::string& doing) { progress_(title + ": " + doing); },
        [&](std::size_t i) -> std::optional<Timed> {
          if (!results[i].ok()) return {};
          return Timed{ways[i].path + ' ' + ways[i].kernel, &device_, ways[i].run};
        });
    progress_("");
  }

  Ranks& ranks_;
  const BenchOptions& options_;
  std::unique_ptr<Device> own_;
  DeviceOfRanks device_;
  std::vector<GemmShape> shapes_;
  std::vector<std::pair<Index, Index>> blocks_;
  std::vector<int> layers_;
  Company company_;
  Standing standing_;
  Ceilings own_ceilings_;
  double bandwidth_gbs_ = 0, latency_us_ = 0;
  Progress progress_;
  std::optional<OutputFile> file_;  ///< on rank 0 only
  Run run_;
};

void add_sharing_options(Arguments& app, SharingOptions& o);

/// Runs on each process of the MPI launch. Rank 0 prints, writes and determines the exit code.
int bench_ranks(const BenchOptions& options, const SharingOptions& sharing);

}  // namespace rooftile::perf
