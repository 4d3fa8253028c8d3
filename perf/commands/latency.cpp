// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/model/latency.hpp"

#include <memory>

#include "../command.hpp"
#include "../options.hpp"
#include "../writers/output.hpp"

namespace rooftile::perf {
namespace {

struct Options {
  std::string device;
  double cycles = 0, issue = 4, per_access = 4;
  double nanoseconds = 0, bandwidth = 0, access_bytes = 4, accesses = 1;
  bool json = false;
};

int run_cycles(const Options& o) {
  const model::Count warps = model::warps_to_hide(o.cycles, o.issue, o.per_access);
  const double exact = o.cycles / (o.issue * o.per_access);
  print_either(o.json, {{"warps", warps}, {"exact", exact}}, [&] {
    print_line("warps", "{} ({:.6g} before rounding up) hide {:g} cycles", warps, exact, o.cycles);
  });
  return ok;
}

int run_bytes(const Options& o) {
  double bandwidth = o.bandwidth;
  model::Count sms = 0;
  if (!o.device.empty()) {
    const model::Device& device = device_option(o.device);
    if (bandwidth == 0) bandwidth = device.bandwidth_gbs;
    sms = device.sms;
  }
  if (bandwidth <= 0) throw Error("no bandwidth: give --bandwidth-gbs, or a --device that has one");
  const double bytes = model::bytes_in_flight(o.nanoseconds, bandwidth);
  const model::Count threads = model::threads_in_flight(bytes, o.access_bytes, o.accesses);
  const model::Count per_sm = sms > 0 ? model::ceil_div(threads, sms) : 0;
  if (o.json) {
    print_json(
        {{"bytes_in_flight", bytes}, {"threads", threads}, {"threads_per_sm", or_null(double(per_sm))}});
    return ok;
  }
  print_line("bytes in flight", "{:.0f} for {:g} GB/s at {:g} ns", bytes, bandwidth, o.nanoseconds);
  print_line("threads", "{} with {:g} independent accesses of {:g} bytes each", threads, o.accesses,
             o.access_bytes);
  if (sms > 0) print_line("threads per SM", "{}", per_sm);
  return ok;
}

Command::Run setup(Arguments& app) {
  auto o = std::make_shared<Options>();
  auto* cycles = app.add_option("--cycles", o->cycles, "latency in cycles: how many warps hide it")
                     ->transform(positive());
  app.add_option("--issue", o->issue, "cycles that one instruction of a warp takes (4)")
      ->transform(positive())
      ->needs(cycles);
  app.add_option("--per-access", o->per_access, "instructions of which one accesses memory (4)")
      ->transform(positive())
      ->needs(cycles);
  auto* ns = app.add_option("--ns", o->nanoseconds, "latency in ns: how many bytes must be under way")
                 ->transform(positive());
  add_device_option(app, o->device)->needs(ns);
  app.add_option("--bandwidth-gbs", o->bandwidth, "memory bandwidth, if not the device's")
      ->transform(positive())
      ->needs(ns);
  app.add_option("--access-bytes", o->access_bytes, "bytes that a thread's access loads (4)")
      ->transform(positive())
      ->needs(ns);
  app.add_option("--accesses", o->accesses, "independent accesses of a thread (1)")
      ->transform(positive())
      ->needs(ns);
  app.add_flag("--json", o->json, "as JSON");
  cycles->excludes(ns);
  return [o, cycles, ns] {
    if (*cycles) return run_cycles(*o);
    if (*ns) return run_bytes(*o);
    throw Error("no latency: give --cycles or --ns");
  };
}

const Command latency{"latency",
                      "How many warps or bytes in flight hide a latency?",
                      {"rooftile latency --cycles 400", "rooftile latency --ns 600 --device H100"},
                      setup};

}  // namespace
}  // namespace rooftile::perf
