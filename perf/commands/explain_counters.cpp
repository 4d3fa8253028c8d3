// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "../measure/operands.hpp"
#include "../probes/counters.hpp"
#include "../record/counters.hpp"
#include "../record/json.hpp"
#include "../writers/output.hpp"
#include "explain.hpp"
#include "rooftile/find_kernel.hpp"

namespace rooftile::perf {
namespace {

template <class T>
void count_all(const ToCount& what, Machine& machine, Device& device, std::vector<Prediction>& predictions) {
  std::optional<Operands<T>> operands;
  std::vector<Prediction*> counted_ones;
  std::vector<std::function<void()>> calls;
  for (Prediction& p : predictions) {
    for (const Candidate<T>& c : machine.candidates<T>()) {
      if (!p.refusal.empty() || c.device != &device || c.chosen || c.path != what.path ||
          c.math != what.math || c.kernel != name_of(p) || (!c.tile.empty() && c.tile != to_string(p.tile)))
        continue;
      constexpr std::uint64_t seed = 1;
      if (!operands) {
        operands.emplace(device, what.product.shape, what.product.lies(), Scalar<T>(1), Scalar<T>(0), seed,
                         what.product.batch);
      }
      if (!c.refusal(operands->on_device()).empty()) continue;
      counted_ones.push_back(&p);
      calls.push_back(c.call(operands->on_device()));
      device.seconds(calls.back());  // includes the one-time costs of a first call
    }
  }
  if (calls.empty()) return;
  const MetricsOfCalls counters = counted({device, calls});
  for (std::size_t i = 0; i < calls.size(); ++i) counted_ones[i]->counters = counters[i];
}

bool are_counted(const std::vector<Prediction>& predictions) {
  return std::any_of(predictions.begin(), predictions.end(),
                     [](const Prediction& p) { return !p.counters.empty(); });
}

}  // namespace

std::string name_of(const Prediction& p) {
  return to_string(NamedKernel{p.rung->kernel, p.repack});
}

std::string add_counters(const ToCount& what, const std::string& measured,
                         std::vector<Prediction>& predictions) {
  if (are_counted(predictions)) return {};
  if (!measured.empty()) {
    return detail::text("the file has no counters of this product (--measured ", measured,
                        "): name one of `bench --counters`");
  }
  Machine machine = find_machine();
  std::string here;
  for (const auto& device : machine.devices) {
    here += (here.empty() ? "" : ", ") + device->name;
    if (!is_device(device->name, what.device)) continue;
    try {
      for_each_product_type([&]<class T>() {
        if (is_mode_of<T>(what.math)) count_all<T>(what, machine, *device, predictions);
      });
    } catch (const NoCounters& why) {
      return why.what();
    }
    if (are_counted(predictions)) return {};
    return detail::text("no kernel of the ", what.path, " path for this product is here (", device->name,
                        "): see `rooftile bench`");
  }
  return detail::text("there is no ", what.device.name, " here (but ", here,
                      "): run it there, or give --measured a file of `bench --counters`");
}

std::vector<Beside> beside_model(const Prediction& p, Index batch) {
  const double products = static_cast<double>(batch);
  std::vector<Beside> all;
  const auto add = [&](const char* what, const char* unit, double model, std::optional<double> counter) {
    if (counter && model > 0) all.push_back({what, unit, model, *counter});
  };
  add("operations", "FLOP", products * p.traffic.flops, counted_flops(p.counters));
  add("L1 and shared memory", "B", products * p.traffic.l1_bytes, counted_inner_bytes(p.counters));
  add("L2", "B", products * p.traffic.l2_bytes, counted_bytes(p.counters, "l2_bytes", "l1_misses"));
  add("DRAM", "B", products * p.traffic.dram_bytes, counted_bytes(p.counters, "dram_bytes", "l3_misses"));
  add("occupancy", "%", 100 * p.occupancy.fraction, counter(p.counters, "occupancy"));
  return all;
}

void print_counters(const std::vector<Prediction>& predictions, Index batch) {
  if (!are_counted(predictions)) return;
  fmt::print("\nOne call, by the model and by the hardware's counters:\n");
  Table table({"kernel", "tile", "of", "unit", "model", "counter", "difference"});
  for (const Prediction& p : predictions) {
    for (const Beside& b : beside_model(p, batch)) {
      table.add({name_of(p), to_string(p.tile), b.what, b.unit, fmt::format("{:.4g}", b.model),
                 fmt::format("{:.4g}", b.counter), fmt::format("{:+.2f} %", 100 * b.difference())});
    }
  }
  table.print();
}

}  // namespace rooftile::perf
