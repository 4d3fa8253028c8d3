// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/model/memory.hpp"

#include <memory>

#include <fmt/core.h>

#include "../command.hpp"
#include "../options.hpp"
#include "../writers/output.hpp"

namespace rooftile::perf {
namespace {

using model::Count;

struct Options {
  Count blocks = 0, threads = 0, shared_values = 0, value_bytes = 4;
  Count bus_bits = 0, transfers = 2, stride = 0, lanes = 32, banks = 32;
  double clock_ghz = 0, wanted_gbs = 0, lookup_ns = 0, transfer_ns = 0;
  bool json = false;
};

class Answers {
 public:
  template <class... Values>
  void add(const std::string& key, const Json& value, std::string_view name,
           fmt::format_string<Values...> format, Values&&... values) {
    json_[key] = value;
    lines_.emplace_back(name, fmt::format(format, std::forward<Values>(values)...));
  }
  bool empty() const { return lines_.empty(); }
  void print(bool as_json) const {
    if (as_json) return print_json(json_);
    for (const auto& [name, text] : lines_) print_line(name, "{}", text);
  }

 private:
  Json json_;
  std::vector<std::pair<std::string, std::string>> lines_;
};

void add_launch(const Options& o, Answers& answers) {
  const model::VariableCopies copies = model::variable_copies(o.blocks, o.threads);
  answers.add("copies",
              {{"automatic", copies.automatic}, {"shared", copies.shared}, {"global", copies.global}},
              "copies", "{} of an automatic variable, {} of a shared one, {} of a global one",
              copies.automatic, copies.shared, copies.global);
  if (o.shared_values == 0) return;
  answers.add("shared_bytes_per_block", o.shared_values * o.value_bytes, "shared memory",
              "{} bytes per block", o.shared_values * o.value_bytes);
}

void add_bus(const Options& o, Answers& answers) {
  const double channel = model::channel_gbs(o.bus_bits, o.clock_ghz, o.transfers);
  answers.add("channel_gbs", channel, "a channel", "{:g} GB/s", channel);
  if (o.wanted_gbs <= 0) return;
  const Count needed = model::channels_needed(o.wanted_gbs, channel);
  answers.add("channels", needed, "channels", "{} for {:g} GB/s", needed, o.wanted_gbs);
}

/// Prints the table of variables, the output of the command without options.
int run_placements(bool as_json) {
  if (as_json) {
    Json json = {{"variables", Json::array()}, {"constant_memory_bytes", model::constant_memory_bytes}};
    for (const auto& v : model::variable_placements) {
      json["variables"].push_back({{"declaration", v.declaration},
                                   {"memory", v.memory},
                                   {"scope", v.scope},
                                   {"lifetime", v.lifetime}});
    }
    print_json(json);
    return ok;
  }
  Table table({"variable", "memory", "scope", "lifetime"});
  for (const auto& v : model::variable_placements) {
    table.add(
        {std::string(v.declaration), std::string(v.memory), std::string(v.scope), std::string(v.lifetime)});
  }
  table.print();
  fmt::print("constant memory: {} bytes in all\n", model::constant_memory_bytes);
  return ok;
}

Command::Run setup(Arguments& app) {
  auto o = std::make_shared<Options>();
  auto* blocks = app.add_option("--blocks", o->blocks, "blocks of a launch; prints the copies of a variable")
                     ->transform(whole(1));
  auto* threads = app.add_option("--threads", o->threads, "per block")->transform(whole(1));
  auto* shared = app.add_option("--shared-values", o->shared_values, "values in a block's shared memory")
                     ->transform(whole(1));
  app.add_option("--value-bytes", o->value_bytes, "bytes of a value (4)")->transform(whole(1))->needs(shared);
  auto* bits = app.add_option("--bus-bits", o->bus_bits, "width of a memory channel; prints its bandwidth")
                   ->transform(whole(1));
  auto* clock = app.add_option("--clock-ghz", o->clock_ghz, "clock of the memory bus")->transform(positive());
  app.add_option("--transfers", o->transfers, "transfers per clock (2, double data rate)")
      ->transform(whole(1))
      ->needs(bits);
  auto* wanted =
      app.add_option("--wanted-gbs", o->wanted_gbs, "required bandwidth; prints the number of channels")
          ->transform(positive());
  auto* lookup = app.add_option("--lookup-ns", o->lookup_ns,
                                "latency of a DRAM bank; prints the banks that keep a channel busy")
                     ->transform(positive());
  auto* transfer =
      app.add_option("--transfer-ns", o->transfer_ns, "transfer time of one burst")->transform(positive());
  auto* stride =
      app.add_option("--stride", o->stride, "words between the lanes of a warp; prints bank conflicts")
          ->transform(whole(0));
  app.add_option("--lanes", o->lanes, "lanes that access together (32)")->transform(whole(1))->needs(stride);
  app.add_option("--banks", o->banks, "banks of shared memory (32)")->transform(whole(1))->needs(stride);
  app.add_flag("--json", o->json, "as JSON");
  blocks->needs(threads);
  threads->needs(blocks);
  shared->needs(blocks);
  bits->needs(clock);
  clock->needs(bits);
  wanted->needs(bits);
  lookup->needs(transfer);
  transfer->needs(lookup);
  return [o, blocks, bits, lookup, stride] {
    Answers answers;
    if (*blocks) add_launch(*o, answers);
    if (*bits) add_bus(*o, answers);
    if (*lookup) {
      const Count banks = model::banks_needed(o->lookup_ns, o->transfer_ns);
      answers.add("dram_banks", banks, "DRAM banks", "{} keep a channel busy", banks);
    }
    if (*stride) {
      const Count ways = model::bank_conflicts(o->stride, o->lanes, o->banks);
      answers.add("bank_conflict_ways", ways, "bank conflicts", "{}-way", ways);
    }
    if (answers.empty()) return run_placements(o->json);
    answers.print(o->json);
    return static_cast<int>(ok);
  };
}

const Command memory{"memory",
                     "How many copies of a variable, memory channels, banks or bank conflicts are there?",
                     {"rooftile memory --blocks 100 --threads 256", "rooftile memory --stride 2"},
                     setup};

}  // namespace
}  // namespace rooftile::perf
