// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <memory>
#include <random>

#include <fmt/core.h>

#include "../command.hpp"
#include "../measure/random_shapes.hpp"
#include "../measure/sampler.hpp"
#include "../options.hpp"
#include "../progress.hpp"
#include "../selection.hpp"
#include "../writers/output.hpp"
#include "rooftile/reference.hpp"

namespace rooftile::perf {
namespace {

struct Options {
  Index count = 1000, min = 16, max = 256;
  std::vector<std::string> maths{"fp32"}, backends;
  std::uint64_t seed = 20261124;
  Sampling sampling{.reference = 1e9};
  int gpu = 0;
  bool json = false;
};

/// A way to compute the group, and how it went.
struct Way {
  std::string path, how;
  std::function<void()> launch;
  std::string fault{};
  std::vector<double> samples{};
};

/// One group on one device in one mode: each way is verified, and then they are timed in turn.
template <class T>
class GroupOfProducts {
 public:
  GroupOfProducts(const Options& options, Machine& machine, Device& device, Math math)
      : options_(options), device_(device), math_(math) {
    for (const GemmShape& shape : draw({options.count, options.min, options.max, options.seed})) {
      operands_.emplace_back(device, shape, Layout(), Scalar<T>(1), Scalar<T>(0), seed_of(operands_.size()));
      products_.push_back(operands_.back().on_device().first);
    }
    for (const Candidate<T>& c : machine.candidates<T>()) {
      if (c.device != &device || c.math != math) continue;
      if (c.group) ways_.push_back({c.path, "in one call", c.group(products_)});
      if (c.chosen || c.path == "vendor") ways_.push_back({c.path, "one by one", one_by_one(c)});
    }
  }

  std::vector<Way>& ways() { return ways_; }

  void measure() {
    verify(Values::integers), verify(Values::uniform);
    for (bool running = true; running;) {
      running = false;
      for (Way& way : ways_) {
        const double spent = std::accumulate(way.samples.begin(), way.samples.end(), 0.0);
        const Sampling& s = options_.sampling;
        if (!way.fault.empty() || way.samples.size() >= s.samples ||
            (way.samples.size() >= s.least && spent > s.seconds))
          continue;
        progress_("time " + way.path + ' ' + way.how);
        way.samples.push_back(device_.seconds(way.launch));
        running = true;
      }
    }
  }

  double flops() const {
    double sum = 0;
    for (const GemmArgs<T>& product : products_) sum += flops_of(product.shape(), type_of<T>());
    return sum;
  }

 private:
  std::uint64_t seed_of(std::size_t product) const { return options_.seed + product; }

  std::function<void()> one_by_one(const Candidate<T>& candidate) const {
    std::vector<std::function<void()>> calls;
    for (const GemmArgs<T>& product : products_) calls.push_back(candidate.call(product));
    return [calls] {
      for (const auto& call : calls) call();
    };
  }

  /// As `rooftile bench` does it, of evenly spread products.
  void verify(Values values) {
    const bool exact = values == Values::integers;
    for (Operands<T>& operands : operands_) operands.fill(values);
    const auto checked = evenly_spread(options_.count, 200);
    std::deque<Reference<T>> references;
    for (const Index i : checked)
      references.emplace_back(operands_[static_cast<std::size_t>(i)].on_host().first, math_);
    for (Way& way : ways_) {
      if (!way.fault.empty()) continue;
      progress_("verify " + way.path + ' ' + way.how);
      for (Operands<T>& operands : operands_) operands.reset();
      device_.seconds(way.launch);
      for (std::size_t i = 0; i < references.size() && way.fault.empty(); ++i) {
        const MatrixRef<const Out<T>> c = operands_[static_cast<std::size_t>(checked[i])].result()[0];
        const Verification found = exact ? references[i].compare_exact(c) : references[i].compare(c);
        if (!found.passed())
          way.fault = fmt::format("wrong result (product {}, row {}, column {}): report it", checked[i],
                                  found.row, found.col);
      }
    }
  }

  const Options& options_;
  Device& device_;
  Math math_;
  Progress progress_;
  std::deque<Operands<T>> operands_;
  std::vector<GemmArgs<T>> products_;
  std::vector<Way> ways_;
};

/// What a table and the JSON say of a way.
struct Row {
  Seconds seconds;
  double gflops = 0, vendor_ratio = 0;  ///< of the vendor's faster way
};

Row row_of(const Way& way, const std::vector<Way>& ways, double flops) {
  if (way.samples.empty()) return {};
  Row row{summarise(way.samples)};
  row.gflops = 1e-9 * flops / row.seconds.median;
  for (const Way& other : ways) {
    if (other.path != "vendor" || other.samples.empty()) continue;
    const double ratio = summarise(other.samples).median / row.seconds.median;
    if (row.vendor_ratio == 0 || ratio < row.vendor_ratio) row.vendor_ratio = ratio;
  }
  return row;
}

class Groups {
 public:
  explicit Groups(const Options& options) : options_(options), machine_(find_machine(nullptr, options.gpu)) {
    check_extents(options.min, options.max);
  }

  int run() {
    bool wrong = false;
    Json::Array groups;
    for (const auto& device : machine_.devices) {
      if (!contains(options_.backends, device->backend)) continue;
      for (const std::string& name : options_.maths) {
        for_each_product_type([&]<class T>() {
          if (!is_mode_of<T>(math_named(name))) return;
          GroupOfProducts<T> group(options_, machine_, *device, math_named(name));
          if (group.ways().empty()) return;
          group.measure();
          wrong = print(*device, name, group.ways(), group.flops(), groups) || wrong;
        });
      }
    }
    if (groups.empty()) throw Error("nothing to run here: take another --backend or --math");
    const Origin origin = origin_here();
    if (options_.json) {
      print_json({{"date", origin.date},
                  {"rooftile", origin.rooftile},
                  {"commit", origin.commit},
                  {"compiler", origin.compiler},
                  {"groups", groups}});
    }
    return wrong ? check_failed : ok;
  }

 private:
  /// @return whether a way of ours is wrong
  bool print(Device& device, const std::string& math, const std::vector<Way>& ways, double flops,
             Json::Array& groups) const {
    const Options& o = options_;
    const auto failed = [](const Way& way) { return !way.fault.empty(); };
    Json rows = Json::array();
    Table table({"path", "", "ms", "spread", "GFLOP/s", "vendor"});
    for (const Way& way : ways) {
      const auto [seconds, gflops, vendor_ratio] = row_of(way, ways, flops);
      rows.push_back({{"path", way.path},
                      {"how", way.how},
                      {"status", failed(way) ? way.fault : "ok"},
                      {"gflops", or_null(gflops)},
                      {"vendor_ratio", or_null(vendor_ratio)},
                      {"seconds", {{"median", seconds.median}, {"samples", seconds.samples}}}});
      if (failed(way)) {
        table.add({way.path, way.how, "FAILED: " + way.fault});
        continue;
      }
      table.add({way.path, way.how, fmt::format("{:.3f}", 1e3 * seconds.median),
                 percent((seconds.max - seconds.min) / seconds.median), fmt::format("{:.1f}", gflops),
                 vendor_ratio > 0 ? percent(vendor_ratio) : "-"});
    }
    groups.push_back(Json{{"device", device.name},
                          {"backend", device.backend},
                          {"threads", device.threads},
                          {"state", device.state()},
                          {"math", math},
                          {"count", o.count},
                          {"min", o.min},
                          {"max", o.max},
                          {"seed", o.seed},
                          {"flops", flops},
                          {"ways", rows}});
    if (!o.json) {
      fmt::print("{} ({}): {} products in {}, extents {} to {}\n", device.name, device.backend, o.count, math,
                 o.min, o.max);
      table.print();
    }
    return std::any_of(ways.begin(), ways.end(),
                       [&](const Way& way) { return failed(way) && !is_baseline(way.path); });
  }

  const Options& options_;
  Machine machine_;
};

const Command command{
    "groups", "time products of random shapes: in one call, one by one, and the vendor's",
    [](Arguments& app) {
      auto o = std::make_shared<Options>();
      app.add_option("--count", o->count, "products")->transform(whole(1, 100000))->capture_default_str();
      app.add_option("--min", o->min, "the smallest extent")
          ->transform(whole(1, 4096))
          ->capture_default_str();
      app.add_option("--max", o->max, "the largest extent")->transform(whole(1, 4096))->capture_default_str();
      app.add_option("--math", o->maths, "what products are computed in; may be repeated")
          ->one_of(all_math_names())
          ->capture_default_str();
      app.add_option("--backend", o->backends, "openmp, serial, cuda, hip (default all that are here)")
          ->one_of({"openmp", "serial", "cuda", "hip"});
      app.add_option("--samples", o->sampling.samples, "timed runs of each way")
          ->transform(whole(1, 100000))
          ->capture_default_str();
      app.add_option("--seed", o->seed, "of the shapes and the operands")
          ->transform(random_seed())
          ->capture_default_str();
      add_gpu_option(app, o->gpu);
      app.add_flag("--json", o->json, "as JSON");
      return [o] { return Groups(*o).run(); };
    }};

}  // namespace
}  // namespace rooftile::perf
