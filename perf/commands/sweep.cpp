// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "../measure/sweep.hpp"

#include <memory>

#include <fmt/format.h>

#include "../command.hpp"
#include "../interrupt.hpp"
#include "../options.hpp"
#include "../progress.hpp"
#include "../selection.hpp"
#include "../writers/output.hpp"
#include "../writers/output_file.hpp"

namespace rooftile::perf {
namespace {

struct Options {
  std::string file, backend = "cuda";
  Index products = 400;
  std::uint64_t seed = 20261127;
  SweepOptions sweep{};
  int gpu = 0;
};

Device& device_named(const Machine& machine, const std::string& backend) {
  for (const auto& device : machine.devices) {
    if (device->backend == backend && !device->targets.empty()) return *device;
  }
  const std::string names = listed(machine.devices, [](const auto& device) { return device->backend; });
  throw Error(fmt::format("no such device here (--backend {}): take one of {}", backend, names));
}

int run(Options& options) {
  const OutputFile file("--out", options.file);
  const Interrupts interrupts;
  Machine machine = find_machine(nullptr, options.gpu);
  Device& device = device_named(machine, options.backend);
  options.sweep.products = sweep_products(options.products, options.seed);
  Progress progress;
  int wrong = 0;
  Sweep sweep = measured_sweep(machine, device, options.sweep, progress, wrong);
  progress("");
  const Origin origin = origin_here();
  sweep.remarks = {fmt::format("{} rooftile {} ({}), {}, seed {}, {}", origin.date, origin.rooftile,
                               origin.commit, options.sweep.cold ? "cold" : "hot", options.seed,
                               device.state())};
  std::size_t times = 0;
  for (const SweptProduct& product : sweep.products) times += product.times.size();
  write_and_print([&] { file.write(to_text(sweep)); },
                  [&] {
                    fmt::print("{}, {} in {}\n", counted(sweep.products.size(), "product"),
                               counted(times, "time"), options.file);
                  });
  return wrong > 0 ? check_failed : ok;
}

const Command command{
    "sweep",
    "How long does every kernel and tile take on random products?",
    {"rooftile sweep --out h100.sweep", "rooftile sweep --out fp64.sweep --math fp64 --products 50 --seed 7"},
    [](Arguments& app) {
      auto o = std::make_shared<Options>();
      app.add_option("--out", o->file, "write the times to this file")->required();
      app.add_option("--backend", o->backend, listed(backend_names()))
          ->one_of(backend_names())
          ->capture_default_str();
      add_gpu_option(app, o->gpu);
      app.add_option("--path", o->sweep.paths, "portable, native (default all)")
          ->one_of({"portable", "native"});
      app.add_option("--math", o->sweep.maths, "compute modes (default all except fp64_int8 and cfp64_int8)")
          ->one_of(math_names());
      app.add_option("--products", o->products, "random products in each mode")
          ->transform(whole(1, 100000))
          ->capture_default_str();
      add_seed_option(app, o->seed, "of the products");
      app.add_option("--seconds", o->sweep.seconds, "begin no product after this time")
          ->transform(positive());
      app.add_flag("--cold", o->sweep.cold, "flush the caches between the untimed call and the sample");
      return [o] { return run(*o); };
    }};

}  // namespace
}  // namespace rooftile::perf
