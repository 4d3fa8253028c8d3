// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/core.h>

#include "../command.hpp"
#include "../options.hpp"
#include "../providers/detect.hpp"
#include "../writers/output.hpp"
#include "cpu/instruction_set.hpp"
#include "rooftile/model/roofline.hpp"

namespace rooftile::perf {
namespace {

struct Options {
  std::vector<std::string> names;
  bool json = false;
};

constexpr model::Precision precisions[] = {
    model::Precision::fp64, model::Precision::fp32, model::Precision::tf32, model::Precision::bf16,
    model::Precision::fp16, model::Precision::int8, model::Precision::fp8};

/// A limit as text or JSON; an unreported limit becomes a dash or null.
std::string limit(model::Count value) {
  return value == model::unlimited || value == 0 ? "-" : std::to_string(value);
}
Json limit_json(model::Count value) {
  return value == model::unlimited || value == 0 ? Json(nullptr) : Json(value);
}

std::string kib(model::Count bytes) {
  return bytes == model::unlimited || bytes == 0 ? "-"
                                                 : fmt::format("{:g}", static_cast<double>(bytes) / 1024);
}

void print_devices(const std::vector<model::Device>& list) {
  Table table({"name", "arch", "SMs", "warp", "threads/SM", "blocks/SM", "regs/SM", "shared KiB/SM", "MHz",
               "GB/s", "L2 KiB", "fp64", "fp32", "tensor tf32", "tensor bf16"});
  for (const model::Device& d : list) {
    const bool gpu = d.has_sm_limits();
    table.add({std::string(d.name), std::string(d.architecture), std::to_string(d.sms),
               gpu ? std::to_string(d.limits.warp_size) : "-", limit(d.limits.threads),
               limit(d.limits.blocks), limit(d.limits.registers), kib(d.limits.shared), or_dash(d.clock_mhz),
               or_dash(d.bandwidth_gbs), kib(d.l2_bytes), or_dash(d.vector.fp64), or_dash(d.vector.fp32),
               or_dash(d.tensor.tf32), or_dash(d.tensor.bf16)});
  }
  table.print();
}

Json peaks_json(const model::Peaks& peaks) {
  Json json;
  for (const model::Precision p : precisions) json[std::string(model::name(p))] = or_null(peaks.of(p));
  return json;
}

Json limits_json(const model::SmLimits& limits) {
  const model::Granularity& g = limits.granularity;
  return {{"warp_size", limits.warp_size},
          {"threads", limit_json(limits.threads)},
          {"blocks", limit_json(limits.blocks)},
          {"threads_per_block", limit_json(limits.block_threads)},
          {"registers", limit_json(limits.registers)},
          {"registers_per_block", limit_json(limits.block_registers)},
          {"registers_per_thread", limit_json(limits.thread_registers)},
          {"register_unit", g.register_unit},
          {"register_partitions", g.partitions},
          {"shared_bytes", limit_json(limits.shared)},
          {"shared_bytes_per_block", limit_json(limits.block_shared_default)},
          {"shared_bytes_per_block_optin", limit_json(limits.block_shared)},
          {"shared_unit_bytes", g.shared_unit},
          {"shared_reserved_bytes_per_block", g.shared_reserved},
          {"carveouts_kib", std::vector<int>(limits.carveouts_kib.begin(), limits.carveouts_kib.end())},
          {"barriers", limit_json(limits.barriers)}};
}

Json to_json(const model::Device& d) {
  return {{"name", d.name},
          {"alias", d.alias},
          {"architecture", d.architecture},
          {"sms", d.sms},
          {"cores", d.cores},
          {"clock_mhz", or_null(d.clock_mhz)},
          {"fma_peak_gflops", or_null(model::peak_of_cores(d.cores, d.clock_mhz))},
          {"bandwidth_gbs", or_null(d.bandwidth_gbs)},
          {"l2_bytes", limit_json(d.l2_bytes)},
          {"l3_bytes", limit_json(d.l3_bytes)},
          {"l2_gbs", or_null(d.l2_gbs())},
          {"shared_gbs", or_null(d.shared_gbs())},
          {"peak_gflops", {{"vector", peaks_json(d.vector)}, {"tensor", peaks_json(d.tensor)}}},
          {"per_sm", d.has_sm_limits() ? limits_json(d.limits) : Json(nullptr)},
          {"source", d.source}};
}

/// The device as JSON, with the hardware identity if it is known.
Json to_json(const DetectedDevice& d) {
  Json json = to_json(static_cast<const model::Device&>(d));
  if (d.hardware.family > 0) json["family"] = d.hardware.family, json["model"] = d.hardware.model;
  if (d.hardware.memory_gib > 0) json["memory_gib"] = d.hardware.memory_gib;
  return json;
}

void print_peaks(const model::Device& d) {
  Table table({"pipe", "type", "GFLOP/s", "ridge FLOP/B"});
  for (const model::Pipe pipe : {model::Pipe::vector, model::Pipe::tensor}) {
    for (const model::Precision p : precisions) {
      const double peak = d.peak_gflops(p, pipe);
      if (peak <= 0) continue;
      table.add({std::string(name(pipe)), std::string(model::name(p)), or_dash(peak),
                 fmt::format("{:.2f}", model::ridge(peak, d.bandwidth_gbs))});
    }
  }
  table.print();
}

void print_device(const model::Device& d) {
  fmt::print("{} ({}), {}\n", d.name, d.alias, d.architecture);
  print_line("SMs", "{}, {} fp32 lanes at {} MHz: {} GFLOP/s by cores × clock × 2", d.sms, or_dash(d.cores),
             or_dash(d.clock_mhz), or_dash(model::peak_of_cores(d.cores, d.clock_mhz)));
  print_line("memory", "{} GB/s, KiB of L2 {}, of L3 {}", or_dash(d.bandwidth_gbs), kib(d.l2_bytes),
             kib(d.l3_bytes));
  print_line("inner bandwidth", "L2 {} GB/s, shared memory {} GB/s", or_dash(d.l2_gbs()),
             or_dash(d.shared_gbs()));
  if (d.has_sm_limits()) {
    const model::SmLimits& l = d.limits;
    const model::Granularity& g = l.granularity;
    print_line("an SM holds", "{} threads in warps of {}, {} blocks of at most {} threads", l.threads,
               l.warp_size, l.blocks, l.block_threads);
    print_line("registers", "{} per SM, {} per block, {} per thread; by {} to a {}, {} files", l.registers,
               limit(l.block_registers), l.thread_registers, g.register_unit,
               g.registers_to_block ? "block" : "warp", g.partitions);
    print_line("shared memory", "{} KiB per SM, {} per block, {} by opting in; by {} B, {} B reserved",
               kib(l.shared), kib(l.block_shared_default), kib(l.block_shared), g.shared_unit,
               g.shared_reserved);
  }
  print_line("source", "{}", d.source);
  print_peaks(d);
}

int run(const Options& options) {
  std::vector<model::Device> table(std::begin(model::devices), std::end(model::devices));
  if (!options.names.empty()) {
    table.clear();
    for (const std::string& wanted : options.names) table.push_back(model::find_device(wanted));
  }
  const std::vector<DetectedDevice> here =
      options.names.empty() ? detected_devices() : std::vector<DetectedDevice>{};
  const std::string_view taken = portable::instruction_sets[portable::chosen_set()];
  if (options.json) {
    Json json = {{"devices", Json::array()}, {"detected", Json::array()}};
    for (const model::Device& d : table) json["devices"].push_back(to_json(d));
    for (const DetectedDevice& d : here) json["detected"].push_back(to_json(d));
    json["instruction_set"] = taken;
    print_json(json);
    return ok;
  }
  if (!options.names.empty()) {
    for (const model::Device& d : table) print_device(d);
    return ok;
  }
  fmt::print("Built in (peaks in GFLOP/s; `rooftile devices NAME` tells more):\n");
  print_devices(table);
  fmt::print("\nDetected, and what is built in under that name:\n");
  std::vector<model::Device> rows;
  for (const DetectedDevice& d : here) {
    rows.push_back(d);
    rows.back().name = lasting(identity(std::string(d.name), d.hardware));
    if (const model::Device* row = model::built_in_like(d.name)) rows.push_back(*row);
  }
  print_devices(rows);
  fmt::print("\nCPUs' kernels take the instructions {}; ROOFTILE_ISA names one of {}.\n", taken,
             portable::sets_here());
  return ok;
}

const Command devices{"devices",
                      "Which devices does this machine have, and which does the model know?",
                      {"rooftile devices", "rooftile devices H100"},
                      [](Arguments& app) {
                        auto options = std::make_shared<Options>();
                        app.add_option("NAME", options->names, "tell all about these devices");
                        app.add_flag("--json", options->json, "as JSON");
                        return [options] { return run(*options); };
                      }};

}  // namespace
}  // namespace rooftile::perf
