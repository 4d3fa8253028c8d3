// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/core.h>

#include "../command.hpp"
#include "../options.hpp"
#include "../parse.hpp"
#include "../writers/output.hpp"
#include "rooftile/model/grid.hpp"
#include "rooftile/model/occupancy_advice.hpp"

namespace rooftile::perf {
namespace {

using model::Count;

constexpr Count default_step = 1024;  ///< bytes of shared memory from row to row of a sweep

struct Options {
  std::string device, mode, threads, grid, sweep;
  Count max_threads = 0, max_blocks = 0, max_registers = 0, max_shared = -1, max_block_threads = 0, sms = 0;
  Count keep = 0, step = default_step;
  model::Launch launch;
  bool json = false;
};

/// Upper limit of threads per SM or block: above the hardware's limits, low enough to try every block size.
constexpr Count max_threads = Count{1} << 20;

/// The checked input: the SM's limits in the selected mode, and the launch.
struct Question {
  std::string device;  ///< empty: limits are given individually
  std::string mode;
  model::SmLimits limits;
  Count sms = 1;
  model::Launch launch;
};

model::SmLimits limits_of(const Options& o) {
  model::SmLimits limits;
  if (!o.device.empty()) {
    const model::Device& device = device_option(o.device);
    if (!device.has_sm_limits()) {
      throw Error(detail::text("--device ", device.name, " has no resident blocks: name a GPU"));
    }
    limits = device.limits;
  } else if (o.max_threads == 0) {
    throw Error("no limits: give --device NAME or --max-threads and the other --max-… that matter");
  }
  if (o.max_threads > 0) limits.threads = o.max_threads;
  if (o.max_blocks > 0) limits.blocks = o.max_blocks;
  if (o.max_registers > 0) limits.registers = limits.block_registers = o.max_registers;
  if (o.max_shared >= 0) limits.shared = limits.block_shared = o.max_shared;
  if (o.max_block_threads > 0) limits.block_threads = o.max_block_threads;
  return limits;
}

Question ask(const Options& o) {
  Question q;
  q.limits = limits_of(o);
  q.mode = !o.mode.empty() ? o.mode : o.device.empty() ? "textbook" : "hardware";
  if (!o.device.empty()) {
    q.device = device_option(o.device).name;
    q.sms = device_option(o.device).sms;
  } else if (q.mode == "hardware") {
    throw Error("--mode hardware: allocation units are a device's own, so give --device");
  }
  if (o.sms > 0) q.sms = o.sms;
  if (q.mode == "textbook") q.limits = model::textbook(q.limits);
  if (q.mode == "textbook" && (o.launch.barriers != 1 || o.launch.carveout_percent != 100)) {
    throw Error(detail::text("textbook mode has no barriers or carve-out (--barriers ", o.launch.barriers,
                             ", --carveout ", o.launch.carveout_percent,
                             "): take --mode hardware and a --device"));
  }
  if (o.step != default_step && o.sweep != "smem") {
    throw Error(
        detail::text("step without a sweep of shared memory (--step ", o.step, "): take --sweep smem"));
  }
  q.launch = o.launch;
  q.launch.threads = parse_extents("--threads", o.threads);
  if (q.launch.threads > q.limits.block_threads) {
    throw Error(detail::text("block too large (--threads ", q.launch.threads, " > ", q.limits.block_threads,
                             "): a block of this device has at most ", q.limits.block_threads, " threads"));
  }
  if (q.launch.shared > q.limits.block_shared) {
    throw Error(detail::text("too much shared memory (--smem ", q.launch.shared, " > ", q.limits.block_shared,
                             "): a block of this device has at most ", q.limits.block_shared, " bytes"));
  }
  return q;
}

std::string names(const std::vector<model::Limiter>& limiters) {
  return listed(limiters, [](model::Limiter limiter) { return name(limiter); });
}

/// Maximum registers per thread and shared bytes per block (or thread); empty if no value is possible.
struct Most {
  std::optional<Count> registers;
  std::optional<Count> shared;
};

struct Answer {
  model::Occupancy found;
  std::vector<model::Step> next_steps;
  Most full;  ///< per thread, for full occupancy; empty: no limit
  Count kept_blocks = 0;
  std::optional<Most> keep;  ///< for `kept_blocks` blocks on an SM
  std::optional<model::GridOverSms> grid;
  std::vector<model::Step> sweep;
};

Answer answer(const Question& q, const Options& o) {
  Answer a;
  a.found = model::occupancy(q.limits, q.launch);
  a.next_steps = model::next_steps(q.limits, q.launch);
  const model::ThreadBudget budget = model::full_occupancy_budget(q.limits);
  if (q.limits.registers != model::unlimited) a.full.registers = budget.registers;
  if (q.limits.shared != model::unlimited) a.full.shared = budget.shared_bytes;
  if (o.keep > 0) {
    a.kept_blocks = o.keep;
    a.keep =
        Most{model::max_registers(q.limits, q.launch, o.keep), model::max_shared(q.limits, q.launch, o.keep)};
  }
  if (!o.grid.empty()) {
    const Count blocks = parse_extents("--grid", o.grid);
    if (a.found.blocks == 0) {
      throw Error(detail::text("no block of this launch runs (--grid ", o.grid, "): reduce ",
                               names(a.found.limiters()), " first"));
    }
    a.grid = model::grid_over_sms(blocks, q.launch.threads, a.found.blocks, q.sms, q.limits.warp_size);
  }
  if (o.sweep == "threads") a.sweep = model::sweep_threads(q.limits, q.launch);
  if (o.sweep == "regs") a.sweep = model::sweep_registers(q.limits, q.launch);
  if (o.sweep == "smem") a.sweep = model::sweep_shared(q.limits, q.launch, o.step);
  return a;
}

std::string change(const model::Launch& from, const model::Launch& to) {
  std::string text;
  const auto say = [&](Count before, Count after, const char* thing) {
    if (before == after) return;
    text += (text.empty() ? "" : ", ") + fmt::format("{} {} {} ({})", std::abs(after - before),
                                                     after < before ? "fewer" : "more", thing, after);
  };
  say(from.registers, to.registers, "registers per thread");
  say(from.shared, to.shared, "shared bytes per block");
  say(from.threads, to.threads, "threads per block");
  return text;
}

Json step_json(const model::Step& step) {
  return {{"threads", step.launch.threads},
          {"registers", step.launch.registers},
          {"shared_bytes", step.launch.shared},
          {"blocks_per_sm", step.reached.blocks},
          {"occupancy", step.reached.fraction}};
}

Json optional_json(std::optional<Count> value) {
  return value ? Json(*value) : Json(nullptr);
}

Json limits_json(const model::Occupancy& found) {
  Json json;
  for (std::size_t i = 0; i < found.blocks_by.size(); ++i) {
    const Count blocks = found.blocks_by[i];
    json[std::string(model::limiter_names[i])] = blocks == model::unlimited ? Json(nullptr) : Json(blocks);
  }
  return json;
}

Json grid_json(const model::GridOverSms& g, Count sms) {
  return {{"blocks", g.blocks},
          {"sms", sms},
          {"max_blocks_per_sm", g.max_per_sm},
          {"busiest_sms", g.busiest_sms},
          {"waves", g.waves},
          {"blocks_in_last_wave", g.last_wave},
          {"efficiency", g.efficiency},
          {"warps_per_block", g.warps_per_block},
          {"threads_in_last_warp", g.last_warp_threads}};
}

Json to_json(const Question& q, const Answer& answer) {
  const model::Occupancy& found = answer.found;
  Json json = {{"device", q.device.empty() ? Json(nullptr) : Json(q.device)},
               {"mode", q.mode},
               {"blocks_per_sm", found.blocks},
               {"threads", found.threads},
               {"warps", found.warps},
               {"occupancy", found.fraction},
               {"limiters", Json::array()},
               {"blocks_by", limits_json(found)},
               {"registers_per_block", found.block_registers},
               {"shared_bytes_per_block", found.block_shared},
               {"shared_bytes_per_thread", q.launch.shared / q.launch.threads},
               {"shared_bytes_per_sm", found.blocks * found.block_shared},
               {"full_occupancy",
                {{"registers_per_thread", optional_json(answer.full.registers)},
                 {"shared_bytes_per_thread", optional_json(answer.full.shared)}}},
               {"next_steps", Json::array()}};
  for (const model::Limiter limiter : found.limiters()) json["limiters"].push_back(name(limiter));
  for (const model::Step& step : answer.next_steps) json["next_steps"].push_back(step_json(step));
  if (answer.keep) {
    json["keep"] = {{"blocks", answer.kept_blocks},
                    {"registers_per_thread", optional_json(answer.keep->registers)},
                    {"shared_bytes_per_block", optional_json(answer.keep->shared)}};
  }
  if (answer.grid) json["grid"] = grid_json(*answer.grid, q.sms);
  for (const model::Step& row : answer.sweep) json["sweep"].push_back(step_json(row));
  return json;
}

std::string or_none(std::optional<Count> most) {
  return most ? fmt::format("at most {}", *most) : "no number of";
}

void print_grid(const model::GridOverSms& g, Count sms) {
  print_line("grid", "{} on {}: {} get {}, {} get {}", counted(g.blocks, "block"), counted(sms, "SM"),
             g.busiest_sms, g.max_per_sm, sms - g.busiest_sms, g.max_per_sm - 1);
  print_line("", "{}, {} in the last: {} of the slots used", counted(g.waves, "wave"),
             counted(g.last_wave, "block"), percent(g.efficiency));
  print_line("", "{} per block, the last with {}", counted(g.warps_per_block, "warp"),
             counted(g.last_warp_threads, "thread"));
}

void print_sweep(const std::vector<model::Step>& rows) {
  Table table({"threads", "shared bytes", "blocks/SM", "warps/SM", "occupancy", "limited by"});
  for (const model::Step& row : rows) {
    table.add({std::to_string(row.launch.threads), std::to_string(row.launch.shared),
               std::to_string(row.reached.blocks), std::to_string(row.reached.warps),
               percent(row.reached.fraction), names(row.reached.limiters())});
  }
  table.print();
}

void print(const Question& q, const Answer& answer) {
  const model::Occupancy& found = answer.found;
  print_line("device", "{}, {} mode", q.device.empty() ? "limits as given" : q.device, q.mode);
  print_line("occupancy", "{}: {} per SM, {} threads, {} warps", percent(found.fraction),
             counted(found.blocks, "block"), found.threads, found.warps);
  print_line("limited by", "{}", names(found.limiters()));
  std::string alone;
  for (std::size_t i = 0; i < found.blocks_by.size(); ++i) {
    if (found.blocks_by[i] == model::unlimited) continue;
    alone += fmt::format("{}{} {}", alone.empty() ? "" : ", ", model::limiter_names[i], found.blocks_by[i]);
  }
  print_line("blocks by each", "{}", alone);
  print_line("a block takes", "{} registers, {} shared bytes; all blocks {} shared bytes",
             found.block_registers, found.block_shared, found.blocks * found.block_shared);
  for (const model::Step& step : answer.next_steps) {
    print_line("next step", "{}: {}, {}", change(q.launch, step.launch),
               counted(step.reached.blocks, "block"), percent(step.reached.fraction));
  }
  const auto any = [](std::optional<Count> most) { return most ? std::to_string(*most) : "any"; };
  print_line("shared per thread", "{} bytes", q.launch.shared / q.launch.threads);
  print_line("full occupancy", "at most {} registers and {} shared bytes per thread",
             any(answer.full.registers), any(answer.full.shared));
  if (answer.keep) {
    print_line("to keep", "{}: {} registers per thread, {} shared bytes per block",
               counted(answer.kept_blocks, "block"), or_none(answer.keep->registers),
               or_none(answer.keep->shared));
  }
  if (answer.grid) print_grid(*answer.grid, q.sms);
  if (!answer.sweep.empty()) print_sweep(answer.sweep);
}

int run(const Options& options) {
  const Question question = ask(options);
  const Answer found = answer(question, options);
  print_either(options.json, to_json(question, found), [&] { print(question, found); });
  return ok;
}

Command::Run setup(Arguments& app) {
  auto o = std::make_shared<Options>();
  add_device_option(app, o->device);
  app.group("A device of your own");
  app.add_option("--max-threads", o->max_threads, "threads that an SM holds")
      ->transform(whole(1, max_threads));
  app.add_option("--max-blocks", o->max_blocks, "blocks that an SM holds")->transform(whole(1));
  app.add_option("--max-regs", o->max_registers, "registers of an SM")->transform(whole(1));
  add_bytes_option(app, "--max-smem", o->max_shared, "shared memory of an SM, such as 96KB", 0);
  app.add_option("--max-block-threads", o->max_block_threads, "threads of the largest block")
      ->transform(whole(1, max_threads));
  auto* sms =
      app.add_option("--sms", o->sms, "SMs that the grid is dealt to (the device's)")->transform(whole(1));
  app.add_option("--mode", o->mode,
                 "textbook: whole blocks; hardware: with allocation units (a device's default)")
      ->one_of({"textbook", "hardware"});
  app.group("Launch");
  app.add_option("--threads", o->threads, "threads per block, such as 256 or 16x16")->required();
  app.add_option("--regs", o->launch.registers, "registers per thread")->transform(whole(0));
  add_bytes_option(app, "--smem", o->launch.shared, "shared memory per block, such as 4KB", 0);
  app.add_option("--barriers", o->launch.barriers, "named barriers per block (1)")->transform(whole(0));
  app.add_option("--carveout", o->launch.carveout_percent,
                 "preferred share of shared memory, in percent (100)")
      ->transform(whole(0, 100));
  app.add_option("--assigned", o->launch.assigned, "blocks that the grid has for one SM")
      ->transform(whole(0));
  app.group("Questions");
  app.add_option("--keep", o->keep, "also say what the launch may use with this many blocks per SM")
      ->transform(whole(1));
  auto* grid = app.add_option("--grid", o->grid, "also deal a grid of blocks, such as 4x5x3, to the SMs");
  auto* sweep = app.add_option("--sweep", o->sweep,
                               "also show every block size, number of registers, or --step of shared memory")
                    ->one_of({"threads", "regs", "smem"});
  auto* step = add_bytes_option(app, "--step", o->step,
                                "shared memory from one row of the sweep to the next (1KB)", 1);
  app.group("Output");
  app.add_flag("--json", o->json, "as JSON");
  sms->needs(grid);
  step->needs(sweep);
  return [o] { return run(*o); };
}

const Command occupancy{"occupancy",
                        "How many blocks of a launch share an SM, and what limits them?",
                        {"rooftile occupancy --device A100 --threads 256 --regs 34 --smem 8KB",
                         "rooftile occupancy --device H100 --threads 16x16 --sweep regs"},
                        setup};

}  // namespace
}  // namespace rooftile::perf
