// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/model/roofline.hpp"

#include <memory>

#include <fmt/core.h>

#include "../command.hpp"
#include "../machine.hpp"
#include "../options.hpp"
#include "../parse.hpp"
#include "../record/json.hpp"
#include "../writers/output.hpp"
#include "rooftile/ladder.hpp"

namespace rooftile::perf {
namespace {

struct Options {
  std::string device, measure, dtype = "fp32", pipe = "vector", tile, per_thread = "1x1";
  double peak = 0, bandwidth = 0, intensity = 0, flops = 0, bytes = 0;
  GemmShape shape;
  int gpu = 0;
  bool json = false;
};

struct Roof {
  std::string device;  ///< empty: rates are given individually
  model::Precision precision = model::Precision::fp32;
  model::Ceilings ceilings;
  model::Count warp = 32;
};

template <class Enum, std::size_t count>
Enum named(const std::array<std::string_view, count>& names, const std::string& name) {
  return static_cast<Enum>(std::find(names.begin(), names.end(), name) - names.begin());
}

/// Suffix of a device's name if its ceilings were measured in this run.
constexpr const char* measured_now = ", measured";

void measure(const std::string& backend, int gpu, Roof& roof) {
  const Machine machine = find_machine(nullptr, gpu);
  Device* device = machine.device(backend);
  if (device == nullptr) {
    const std::string known = listed(machine.devices, [](const auto& here) { return here->backend; });
    throw Error(detail::text("no such device here (--measure ", backend, "): take one of ", known));
  }
  const bool vector = roof.ceilings.pipe == model::Pipe::vector;
  const Ceilings measured = measured_ceilings(*device);
  roof.device = device->name + measured_now;
  roof.ceilings.peak_gflops = !vector ? measured.matrix(model::name(roof.precision))
                              : roof.precision == model::Precision::fp32 ? measured.fp32_gflops
                              : roof.precision == model::Precision::fp64 ? measured.fp64_gflops
                                                                         : 0;
  roof.ceilings.dram_gbs = measured.bandwidth_gbs, roof.ceilings.l2_gbs = measured.level("L2");
  if (vector) roof.ceilings.l1_gbs = std::max(measured.level("shared memory"), measured.level("L1"));
}

Roof roof_of(const Options& o) {
  Roof roof;
  roof.precision = named<model::Precision>(model::precision_names, o.dtype);
  const auto pipe = named<model::Pipe>(model::pipe_names, o.pipe);
  if (!o.device.empty()) {
    const model::Device& device = device_option(o.device);
    roof.device = device.name;
    roof.ceilings = model::ceilings(device, roof.precision, pipe);
    roof.warp = device.limits.warp_size;
  }
  roof.ceilings.pipe = pipe;
  if (!o.measure.empty()) measure(o.measure, o.gpu, roof);
  if (o.peak > 0) roof.ceilings.peak_gflops = o.peak;
  if (o.bandwidth > 0) roof.ceilings.dram_gbs = o.bandwidth;
  if (roof.ceilings.peak_gflops <= 0) {
    throw Error(detail::text("no peak (--dtype ", o.dtype, " --pipe ", o.pipe, ' ',
                             roof.device.empty() ? "without --device" : "on " + roof.device,
                             "): give --peak-gflops, or another device, type or pipe"));
  }
  if (roof.ceilings.dram_gbs <= 0)
    throw Error("no bandwidth: give --bandwidth-gbs, or a --device that has one");
  return roof;
}

double intensity_of(const Options& o) {
  return o.flops > 0 ? o.flops / o.bytes : o.intensity;
}

struct Kernel {
  std::string name;
  TileShape tile;
};

std::vector<Kernel> kernels_of(const Options& o) {
  if (!o.tile.empty()) return {{"", parse_tile(o.tile, o.per_thread)}};
  std::vector<Kernel> kernels;
  for (const Rung& rung : ladder) {
    for (const TileShape tile : rung.tiles) kernels.push_back({std::string(rung.name), tile});
  }
  return kernels;
}

Json attainable_json(const model::Attainable& a) {
  return {{"attainable_gflops", a.gflops},
          {"bound", name(a.bound)},
          {"fraction_of_peak", a.fraction_of_peak},
          {"ceiling", a.ceiling}};
}

Json to_json(const Roof& roof) {
  const model::Ceilings& c = roof.ceilings;
  const double ridge = model::ridge(c.peak_gflops, c.dram_gbs);
  return {{"device", roof.device.empty() ? Json(nullptr) : Json(roof.device)},
          {"dtype", model::name(roof.precision)},
          {"pipe", name(c.pipe)},
          {"ceilings",
           {{"peak_gflops", c.peak_gflops},
            {"dram_gbs", c.dram_gbs},
            {"l2_gbs", or_null(c.l2_gbs)},
            {"l1_gbs", or_null(c.l1_gbs)}}},
          {"ridge", ridge},
          {"ridge_flop_per_value", ridge * model::bytes_of(roof.precision)},
          {"gvalues_per_second", c.dram_gbs / model::bytes_of(roof.precision)}};
}

void print(const Roof& roof) {
  const model::Ceilings& c = roof.ceilings;
  const int size = model::bytes_of(roof.precision);
  const double ridge = model::ridge(c.peak_gflops, c.dram_gbs);
  print_line("device", "{}, {} on the {} pipe", roof.device.empty() ? "rates as given" : roof.device,
             model::name(roof.precision), name(c.pipe));
  print_line("peak", "{:.6g} GFLOP/s", c.peak_gflops);
  print_line("memory", "{:.6g} GB/s, {:.6g} Gvalues/s; L2 {} GB/s, L1 and shared memory {} GB/s", c.dram_gbs,
             c.dram_gbs / size, or_dash(c.l2_gbs), or_dash(c.l1_gbs));
  print_line("ridge", "{:.4g} FLOP/B, {:.4g} FLOP per {}-byte value", ridge, ridge * size, size);
}

Json kernel_json(const Kernel& kernel, const model::Traffic& t, const model::Attainable& a) {
  Json json = {{"kernel", kernel.name},
               {"tile", to_string(kernel.tile)},
               {"phases", t.phases},
               {"requests", t.requests},
               {"loads_per_element", {{"a", t.a_loads}, {"b", t.b_loads}}},
               {"bytes",
                {{"requested", t.requested_bytes},
                 {"l1", t.l1_bytes},
                 {"l2", t.l2_bytes},
                 {"dram", t.dram_bytes},
                 {"dram_by_rows", t.dram_bytes_by_rows}}},
               {"intensity",
                {{"requested", t.request_intensity()},
                 {"l1", t.l1_intensity()},
                 {"l2", t.l2_intensity()},
                 {"dram", t.dram_intensity()},
                 {"dram_by_rows", t.dram_intensity_by_rows()}}}};
  json.update(attainable_json(a));
  return json;
}

std::vector<std::string> kernel_row(const Kernel& kernel, const model::Traffic& t,
                                    const model::Attainable& a) {
  const auto short_number = [](double x) { return fmt::format("{:.4g}", x); };
  return {kernel.name,
          to_string(kernel.tile),
          std::to_string(t.phases),
          fmt::format("{:g}, {:g}", t.a_loads, t.b_loads),
          short_number(t.requests),
          short_number(t.request_intensity()),
          short_number(t.l1_intensity()),
          short_number(t.l2_intensity()),
          short_number(t.dram_intensity_by_rows()),
          short_number(t.dram_intensity()),
          fmt::format("{:.0f}", a.gflops),
          percent(a.fraction_of_peak),
          std::string(a.ceiling)};
}

int run_kernels(const Options& o, const Roof& roof) {
  const auto element_size = static_cast<std::size_t>(model::bytes_of(roof.precision));
  Json json = to_json(roof);
  Table table({"kernel", "tile", "phases", "loads of A, B", "requests", "FLOP/B requested", "L1", "L2",
               "memory, by rows", "at best", "GFLOP/s at most", "of peak", "bound by"});
  for (const Kernel& kernel : kernels_of(o)) {
    const model::Traffic t = model::traffic(o.shape, kernel.tile, element_size, roof.warp);
    const model::Attainable a = model::attainable(roof.ceilings, t);
    json["kernels"].push_back(kernel_json(kernel, t, a));
    table.add(kernel_row(kernel, t, a));
  }
  print_either(o.json, json, [&] {
    print(roof);
    table.print();
  });
  return ok;
}

/// Prints the roofline, and the attainable rate at the intensity if one is given.
int run_intensity(const Options& o, const Roof& roof) {
  Json json = to_json(roof);
  if (!o.json) print(roof);
  if (const double intensity = intensity_of(o); intensity > 0) {
    const double slope = roof.ceilings.dram_gbs * intensity;
    const auto a = model::attainable(roof.ceilings.peak_gflops, roof.ceilings.dram_gbs, intensity);
    json["intensity"] = intensity;
    json["bandwidth_allows_gflops"] = slope;
    json.update(attainable_json(a));
    if (!o.json) {
      print_line("intensity", "{:.4g} FLOP/B", intensity);
      print_line("attainable", "{:.6g} GFLOP/s, {} of the peak", a.gflops, percent(a.fraction_of_peak));
      print_line("bound", "{}: bandwidth allows {:.6g} GFLOP/s", name(a.bound), slope);
    }
  }
  if (o.json) print_json(json);
  return ok;
}

Command::Run setup(Arguments& app) {
  auto o = std::make_shared<Options>();
  auto* device = add_device_option(app, o->device);
  auto* measure =
      app.add_option("--measure", o->measure, "instead: measure this machine's " + listed(backend_names()))
          ->excludes(device);
  add_gpu_option(app, o->gpu)->needs(measure);
  const auto texts = [](const auto& names) { return std::vector<std::string>(names.begin(), names.end()); };
  app.group("Ceilings");
  app.add_option("--dtype", o->dtype, "type of the operands (fp32)")->one_of(texts(model::precision_names));
  app.add_option("--pipe", o->pipe, "vector or tensor units (vector)")->one_of(texts(model::pipe_names));
  app.add_option("--peak-gflops", o->peak, "peak rate, if not the device's")->transform(positive());
  app.add_option("--bandwidth-gbs", o->bandwidth, "memory bandwidth, if not the device's")
      ->transform(positive());
  app.group("Kernel");
  auto* intensity =
      app.add_option("--intensity", o->intensity, "FLOP per byte of a kernel")->transform(positive());
  auto* flops = app.add_option("--flops", o->flops, "operations of a kernel, instead of its intensity")
                    ->transform(positive());
  auto* bytes = app.add_option("--bytes", o->bytes, "bytes that it moves")->transform(positive());
  auto* m =
      app.add_option("--m", o->shape.m, "rows of C: prints every kernel's traffic")->transform(whole(1));
  auto* n = app.add_option("--n", o->shape.n, "columns of C")->transform(whole(1));
  auto* k = app.add_option("--k", o->shape.k, "columns of A, rows of B")->transform(whole(1));
  auto* tile = app.add_option("--tile", o->tile, "one tile instead of the ladder's: T, BMxBN or BMxBNxBK");
  app.add_option("--thread-tile", o->per_thread, "TMxTN elements of C per thread (1x1)")->needs(tile);
  app.group("Output");
  app.add_flag("--json", o->json, "as JSON");
  flops->needs(bytes)->excludes(intensity);
  bytes->needs(flops);
  m->needs(n)->needs(k)->excludes(intensity)->excludes(flops);
  n->needs(m);
  k->needs(m);
  tile->needs(m);
  return [=] { return *m ? run_kernels(*o, roof_of(*o)) : run_intensity(*o, roof_of(*o)); };
}

const Command roofline{"roofline",
                       "Which rate does the roofline allow for an intensity or for each kernel?",
                       {"rooftile roofline --device A100 --intensity 0.25",
                        "rooftile roofline --device H200 --m 4096 --n 4096 --k 4096"},
                       setup};

}  // namespace
}  // namespace rooftile::perf
