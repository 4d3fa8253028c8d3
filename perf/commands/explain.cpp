// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "explain.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "../command.hpp"
#include "../machine.hpp"
#include "../measure/suite.hpp"
#include "../options.hpp"
#include "../record/json.hpp"
#include "../selection.hpp"
#include "../writers/output.hpp"
#include "plan/device_target.hpp"
#include "plan/plan.hpp"
#include "rooftile/find_kernel.hpp"
#include "rooftile/tuning_file.hpp"

namespace rooftile::perf {
namespace {

/// The host CPU. Its rates are measured, because data sheets of CPUs do not state them.
class MeasuredCpu {
 public:
  /// @param cpu  the device table's entry for CPUs
  explicit MeasuredCpu(const model::Device& cpu) : device_(cpu) {
    Device& host = *machine_.devices.front();
    const Ceilings ceilings = measured_ceilings(host);
    device_.name = host.name;
    device_.sms = host.threads;
    device_.clock_mhz = ceilings.clock_mhz;
    device_.bandwidth_gbs = ceilings.bandwidth_gbs;
    device_.vector = {.fp64 = ceilings.fp64_gflops, .fp32 = ceilings.fp32_gflops};
    device_.tensor = {.bf16 = ceilings.matrix("bf16"), .fp16 = ceilings.matrix("fp16")};
  }

  const model::Device& device() const { return device_; }

  /// The library's target for the path and mode on this CPU.
  /// @throws Error if the build has no such path on CPUs
  Target target(Path path, ComputeMode math) const {
    for (const Target& target : machine_.devices.front()->targets) {
      if (target.path == path && target.math == math) return target;
    }
    throw Error(detail::text("no ", to_string(path), " path for ", to_string(math), " on this CPU (",
                             device_.name, "): see `rooftile bench`"));
  }

 private:
  Machine machine_ = find_machine();
  model::Device device_;
};

struct Options {
  GemmShape shape;
  Index batch = 1;
  std::string device = "H200", math = "fp32", path = "native", layout = "rrr", scales = "none", kernel,
              measured, tuning;
  model::Count registers = 0;   ///< per thread; 0: not given
  model::Count workspace = -1;  ///< bytes; -1: gemm's default
  RanksOptions shared;
  bool all = false, counters = false, json = false, team = false;
};

/// The product as computed. Scales follow their operands.
GemmDesc product_of(const Options& o, ComputeMode math) {
  const Product p = as_computed({.shape = o.shape, .layout = o.layout});
  const Type result = mode_of(math).result;
  GemmDesc desc = describe(p.shape, type_of(math), o.batch, p.layout[0] == 'r', p.layout[1] == 'r');
  desc.result_type = result;
  desc.result.rows = p.shape.n % static_cast<Index>(16 / size_of(result)) == 0;
  const float anywhere = 1;
  const auto layout_of = [&](Index rows, bool wide) {
    Float8Scales scales = dense_scales(o.scales, rows, o.shape.k, wide);
    if (scales.rows > 0) scales.data = &anywhere;
    return detail::scale_layout_of(scales, rows, o.shape.k);
  };
  desc.scales_a = layout_of(o.shape.m, false), desc.scales_b = layout_of(o.shape.n, true);
  if (o.layout[2] == 'c') std::swap(desc.scales_a, desc.scales_b);
  return desc;
}

/// @param cpu  this machine's CPU; null if the device is a GPU
Target target_for(const Options& o, const model::Device& device, const MeasuredCpu* cpu) {
  const Path path = o.path == "native" ? Path::native : Path::portable;
  const ComputeMode math = math_named(o.math);
  return cpu ? cpu->target(path, math) : target_of(device, path, math);
}

void require_peak(const Options& o, const model::Device& device, ComputeMode math) {
  if (peak_of(device, math) > 0) return;
  throw Error(detail::text("no peak rate is known (--device ", device.name, " --math ", o.math,
                           "): take another device or mode, see `rooftile devices`"));
}

/// @throws Error if the bytes of an operand overflow 64 bits
void require_countable(const Options& o, std::size_t element_size) {
  const auto [m, n, k] = o.shape;
  for (const auto& [rows, cols] : {std::pair{m, k}, {k, n}, {m, n}}) {
    auto bytes = static_cast<Index>(element_size);
    const auto overflows = [&](Index factor) { return __builtin_mul_overflow(bytes, factor, &bytes); };
    if (!overflows(rows) && !overflows(cols) && !overflows(o.batch)) continue;
    throw Error(detail::text("operand too large (--m ", m, " --n ", n, " --k ", k, " --batch ", o.batch, ", ",
                             rows, " x ", cols, " elements of ", element_size,
                             " bytes): give extents whose operands have less than 2^63 bytes"));
  }
}

void require_registers(const Options& o, const model::Device& device) {
  if (o.registers == 0) return;
  const model::Count most = device.has_sm_limits() ? device.limits.thread_registers : 0;
  if (o.registers <= most) return;
  throw Error(detail::text("too many registers (--regs ", o.registers, ", a thread of ", device.name, " has ",
                           most, "): give fewer, or leave it out"));
}

/// Whether a measured result is of the asked product. Predictions assume beta = 0.
bool is_asked(const Result& r, const Options& o) {
  return r.ok() && r.gflops > 0 && r.path == o.path && r.math == o.math && r.shape == o.shape &&
         r.batch == o.batch && r.smallest == 0 && !r.pointers && r.layout == o.layout && r.beta == 0 &&
         (r.scales.empty() ? "none" : r.scales) == o.scales && r.padding == 0 && r.offset == 0 && !r.cold;
}

void add_measured(const Options& o, const model::Device& device, std::vector<Prediction>& predictions) {
  const Run bench = read_run("--measured", o.measured);
  bool any = false;
  std::string others;
  for (const Result& r : bench.results) {
    if (!is_asked(r, o)) continue;
    if (!is_device(r.device, device)) {
      if (others.find(r.device) == others.npos) others += (others.empty() ? "" : ", ") + r.device;
      continue;
    }
    for (Prediction& p : predictions) {
      if (p.measured_gflops > 0 || r.kernel != name_of(p)) continue;
      if (r.tile.empty() || r.tile == to_string(p.tile))
        p.measured_gflops = r.gflops, p.counters = r.counters, any = true;
    }
  }
  if (any) return;
  throw Error(detail::text("no measurement of this product on ", device.name, " (--measured ", o.measured,
                           ", ", o.math, ' ', to_string(o.shape), ' ', o.layout, " on the ", o.path, " path",
                           others.empty() ? "" : ", measured on " + others,
                           "): run `rooftile bench` on that device"));
}

Json to_json(const Options& o, const Prediction& p, const model::Device& device) {
  Json json = {{"kernel", name_of(p)}, {"tile", to_string(p.tile)}};
  if (!p.refusal.empty()) {
    json["reason"] = p.refusal;
    return json;
  }
  json["chosen"] = p.chosen;
  json["phases"] = p.traffic.phases;
  json["bytes"] = {{"requested", p.traffic.requested_bytes},
                   {"l1", p.traffic.l1_bytes},
                   {"l2", p.traffic.l2_bytes},
                   {"dram", p.traffic.dram_bytes}};
  json["request_intensity"] = p.traffic.request_intensity();
  if (device.has_sm_limits()) {
    json["occupancy"] = p.occupancy.fraction;
    json["limiters"] = Json::array();
    for (const model::Limiter limiter : p.occupancy.limiters()) json["limiters"].push_back(name(limiter));
    json["divergence"] = p.divergence;
  }
  json["attainable_gflops"] = p.attainable.gflops;
  json["bound"] = name(p.attainable.bound);
  json["ceiling"] = p.attainable.ceiling;
  if (p.measured_gflops > 0) json["measured_gflops"] = p.measured_gflops;
  if (!o.counters) return json;
  for (const Beside& b : beside_model(p, o.batch)) {
    json["counted"].push_back({{"of", b.what},
                               {"unit", b.unit},
                               {"model", b.model},
                               {"counter", b.counter},
                               {"difference", b.difference()}});
  }
  return json;
}

Json to_json(const GemmPlan& plan) {
  Json json = {{"kernel", to_string(NamedKernel{plan.kernel, plan.repack})},
               {"tile", to_string(plan.tile)},
               {"math", to_string(plan.math)},
               {"why", plan.why},
               {"steps", steps_of(plan)},
               {"workspace_bytes", plan.workspace}};
  if (plan.seconds > 0) json["seconds"] = plan.seconds;
  return json;
}

std::vector<GemmPlan> closest(const GemmPlan& chosen, const GemmOptions& wanted, const Target& target) {
  std::vector<GemmPlan> all = alternatives(chosen.desc, {.workspace = wanted.workspace}, target);
  std::erase_if(all, [&](const GemmPlan& plan) {
    return plan.kernel == chosen.kernel && plan.tile == chosen.tile && plan.repack == chosen.repack;
  });
  if (all.size() > 2) all.resize(2);
  return all;
}

/// The row of the cost model's figures; empty for a CPU.
std::string row_of(const Target& target) {
  if (target.sms == 0) return {};
  const model::Costs& costs = target.costs;
  return std::string(costs.kernels.name) +
         (costs.is_generic ? ", by the rates of this device's data sheet: run rooftile calibrate on it" : "");
}

/// Adds the modelled time, at least the roofline's time.
void add_time(Prediction& p, const GemmPlan& plan) {
  if (plan.seconds > 0) p.expected_ms = std::max(1e3 * plan.seconds, p.least_ms);
}

void add_times(GemmOptions wanted, const GemmPlan& chosen, const Target& target,
               std::vector<Prediction>& predictions) {
  for (Prediction& p : predictions) {
    p.chosen = p.rung->kernel == chosen.kernel && p.tile == chosen.tile && p.repack == chosen.repack;
    if (!p.refusal.empty()) continue;
    wanted.kernel = p.rung->kernel, wanted.tile = p.tile, wanted.repack = p.repack;
    try {
      const GemmPlan candidate = plan(chosen.desc, wanted, target);
      add_time(p, candidate);
      p.possible = candidate.repack == p.repack;
    } catch (const Unsupported&) {
      p.possible = false;
    }
  }
}

void print(const Options& o, const std::vector<Prediction>& predictions, const GemmPlan& plan,
           const Target& target, const model::Device& device, const std::vector<GemmPlan>& next, bool named) {
  const std::string products = o.batch > 1 ? fmt::format("{} products of ", o.batch) : "";
  const std::string product =
      fmt::format("{}{} {} on {}, {} path", products, o.math, to_string(o.shape), device.name, o.path);
  const char* const chooser = plan.tuned ? "the tuning table" : "the model";
  const std::string why = named ? std::string(plan.why) : fmt::format("chosen by {}: {}", chooser, plan.why);
  Prediction taken = predict({device, target, plan.desc.shape, o.batch, o.registers}, rung_of(plan.kernel),
                             plan.tile, plan.repack);
  add_time(taken, plan);
  print_explained({product, plan, why, taken, predictions, device, next, row_of(target)}, o.all);
}

int run(const Options& o) {
  const model::Device& built_in = device_option(o.device);
  const bool is_cpu = built_in.vendor == model::Vendor::cpu;
  if (o.path == "native" && built_in.vendor != model::Vendor::nvidia) {
    throw Error(detail::text("no native path (--device ", o.device, "): take --path portable"));
  }
  require_layout(o.layout);
  const auto cpu = is_cpu ? std::make_unique<const MeasuredCpu>(built_in) : nullptr;
  const model::Device& device = is_cpu ? cpu->device() : built_in;
  if (o.team) return explain_team({o.math, o.shape, device, peak_of(device, math_named(o.math)), o.json});
  Target target = target_for(o, device, cpu.get());
  require_peak(o, device, target.math);
  require_countable(o, size_of(mode_of(target.math).result));
  if (o.scales != "none" && target.type() != Type::fp8) {
    throw Error(detail::text("only 8-bit floats have scales (--scales ", o.scales, " --math ", o.math,
                             "): add --math fp8_bf16"));
  }
  if (o.shared.ranks > 0) {
    if (is_mixed(target.math)) {
      throw Error(detail::text("no distributed products of mixed types (--ranks ", o.shared.ranks, " --math ",
                               o.math, "): take a mode of one type"));
    }
    const Type type = target.type();
    return explain_ranks(o.shared, o.math,
                         {.m = o.shape.m,
                          .n = o.shape.n,
                          .k = o.shape.k,
                          .element_bytes = static_cast<model::Count>(size_of(type)),
                          .flops = 2.0 * real_multiply_adds(type)},
                         std::string(device.name), peak_of(device, target.math), o.json);
  }
  require_registers(o, device);
  const bool automatic = o.kernel.empty() || o.kernel == "automatic";
  GemmOptions wanted;
  if (!automatic) {
    const NamedKernel named = find_named(o.kernel);
    wanted.kernel = named.kernel, wanted.repack = named.repack;
  }
  if (!automatic && !o.tuning.empty()) {
    throw Error(detail::text("nothing here uses a tuning table (--tuning ", o.tuning,
                             "): leave out --kernel ", o.kernel));
  }
  TuningTable tuning;
  if (!o.tuning.empty()) {
    tuning = read_tuning(o.tuning);
    // The driver's name of a GPU is longer than the name in the device table.
    const bool same = model::built_in_like(tuning.device) == &device ||
                      (!device.alias.empty() && tuning.device.find(device.alias) != std::string::npos);
    if (!is_cpu) target.device = same ? tuning.device : device.name;
    wanted.tuning = &tuning;
  }
  if (o.workspace >= 0) wanted.workspace.bytes = static_cast<std::size_t>(o.workspace);
  const GemmPlan gemm = plan(product_of(o, target.math), wanted, target);
  target.math = gemm.math;  // plan() may replace tf32x3 by fp32, and fp64_int8 or cfp64_int8 by fp64
  std::vector<Prediction> predictions = predict_all({device, target, gemm.desc.shape, o.batch, o.registers});
  add_times(wanted, gemm, target, predictions);
  if (wanted.tuning != nullptr) target.costs = model::costs_over(tuning.on(target.device), target.costs);
  const std::vector<GemmPlan> next = closest(gemm, wanted, target);
  if (!o.measured.empty()) add_measured(o, device, predictions);
  const ToCount to_count{{.shape = o.shape, .layout = o.layout, .batch = o.batch, .scales = o.scales},
                         o.path,
                         target.math,
                         device};
  const std::string uncounted = o.counters ? add_counters(to_count, o.measured, predictions) : "";
  if (!o.json) {
    print(o, predictions, gemm, target, device, next, !automatic);
    if (o.counters) print_counters(predictions, o.batch);
    if (!uncounted.empty()) fmt::print("\nNot counted: {}\n", uncounted);
    return ok;
  }
  Json json = {{"device", device.name}, {"batch", o.batch}, {"choice", to_json(gemm)}};
  for (const GemmPlan& plan : next) json["alternatives"].push_back(to_json(plan));
  if (target.sms > 0) json["costs"] = row_of(target);
  for (const Prediction& p : predictions) json["kernels"].push_back(to_json(o, p, device));
  if (!uncounted.empty()) json["not_counted"] = uncounted;
  print_json(json);
  return ok;
}

Command::Run setup(Arguments& app) {
  auto o = std::make_shared<Options>();
  const Check extent = whole(1, std::numeric_limits<Index>::max());
  app.group("Product");
  app.add_option("--m", o->shape.m, "rows of A and C")->transform(extent)->required();
  app.add_option("--n", o->shape.n, "columns of B and C")->transform(extent)->required();
  app.add_option("--k", o->shape.k, "columns of A, rows of B")->transform(extent)->required();
  app.add_option("--batch", o->batch, "products of this shape in one call; traffic is for one product")
      ->transform(whole(1))
      ->capture_default_str();
  add_device_option(app, o->device)->capture_default_str();
  app.add_option("--dtype,--math", o->math, listed(all_math_names()))
      ->one_of(all_math_names())
      ->capture_default_str();
  app.group("Kernels");
  app.add_option("--path", o->path, "portable, native")
      ->one_of({"portable", "native"})
      ->capture_default_str();
  app.group("Product");
  app.add_option("--layout", o->layout, "r or c for each of A, B, C")->capture_default_str();
  app.add_option("--scales", o->scales, "of 8-bit floats, as in `bench`: none, one, lines, blocks")
      ->one_of({std::begin(scale_names), std::end(scale_names)})
      ->capture_default_str();
  app.group("Kernels");
  app.add_option("--kernel", o->kernel, "explain this kernel instead of automatic, gemm's own choice");
  app.add_flag("--team", o->team, "explain team_gemm, a product inside a user's team kernel");
  app.add_option(
         "--regs", o->registers,
         "registers per thread, for the occupancy (default 32, or what the launch bounds leave a thread "
         "that keeps several elements of C)")
      ->transform(whole(1));
  add_bytes_option(app, "--workspace", o->workspace, "device memory that gemm may take beside the operands",
                   0);
  app.add_option("--tuning", o->tuning, "a table of `rooftile tune`, which gemm's own choice reads first");
  app.group("Measurements");
  app.add_option("--measured", o->measured,
                 "file of `bench --json`, to print its measurements beside the predictions");
  app.add_flag(
      "--counters", o->counters,
      "hardware counters of one call of each kernel, beside the model: counted now on this device, or read "
      "from --measured");
  app.group("Output");
  app.add_flag(
      "--all", o->all,
      "all candidates, with their traffic and occupancy, and each refusal, instead of the five best");
  add_ranks_options(app, o->shared);
  app.group("Output");
  app.add_flag("--json", o->json, "as JSON");
  return [o] { return run(*o); };
}

const Command explain{"explain",
                      "Which kernel does a product get, why, and what bounds it?",
                      {"rooftile explain --m 4096 --n 4096 --k 4096 --device H100 --math fp64",
                       "rooftile explain --m 1000 --n 1000 --k 1000 --device CPU --path portable"},
                      setup};

}  // namespace
}  // namespace rooftile::perf
