// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// `fields` lists each type's members once; the reader and the writer share the list.
#include "json.hpp"

#include <algorithm>
#include <concepts>
#include <vector>

#include "json_reader.hpp"
#include "plan/read_text.hpp"
#include "rooftile/error.hpp"
#include "rooftile/model/find_device.hpp"

namespace rooftile::perf {

using nlohmann::json;

template <class T, class Thing>
concept Of = std::same_as<std::remove_const_t<T>, Thing>;

template <class Fields, Of<Metric> T>
void fields(Fields& f, T& m) {
  f.required("tag", m.tag), f.required("value", m.value), f.required("unit", m.unit);
}

template <class Fields, Of<Seconds> T>
void fields(Fields& f, T& s) {
  f.required("median", s.median), f.required("min", s.min), f.required("max", s.max);
  f.positive("count", s.count);
  f.optional("samples", s.samples);
  f.optional("low", s.low), f.optional("high", s.high);
  f.optional("outliers", s.outliers), f.optional("clocks_mhz", s.clocks_mhz),
      f.optional("power_w", s.power_w);
}

template <class Fields, Of<Sharing> T>
void fields(Fields& f, T& s) {
  f.positive("ranks", s.ranks), f.required("grid", s.grid), f.required("block", s.block);
  f.optional("layers", s.layers);
}

template <class Fields, Of<Result> T>
void fields(Fields& f, T& r) {
  f.required("path", r.path), f.required("device", r.device), f.required("backend", r.backend);
  f.required("kernel", r.kernel), f.required("tile", r.tile);
  f.required("dtype", r.dtype), f.required("math", r.math);
  f.required("m", r.shape.m), f.required("n", r.shape.n), f.required("k", r.shape.k);
  f.positive("batch", r.batch);
  f.required("layout", r.layout), f.required("aligned", r.aligned);
  f.required("alpha", r.alpha), f.required("beta", r.beta), f.required("seed", r.seed);
  f.required("status", r.status);
  f.optional("smallest", r.smallest), f.optional("inner", r.inner);
  f.optional("pointers", r.pointers), f.optional("padding", r.padding), f.optional("offset", r.offset);
  f.optional("scales", r.scales);
  f.optional("operands", r.operands), f.optional("calls", r.calls), f.optional("cold", r.cold);
  f.optional("burst", r.burst);
  f.optional("shared", r.shared);
  f.optional("automatic", r.automatic), f.optional("tuned", r.tuned);
  f.optional("reason", r.reason), f.optional("disturbed", r.disturbed);
  if (r.status == "unsupported") return;
  f.object("error", [&](auto& error) {
    error.number_or_null("ratio", r.error_ratio), error.required("rows_checked", r.rows_checked);
  });
  if (!r.ok()) return;
  f.required("seconds", r.seconds);
  if (r.multiplied()) {
    f.positive("gflops", r.gflops), f.positive("intensity", r.intensity);
    f.optional("bound", r.bound), f.optional("roofline_fraction", r.roofline_fraction);
  }
  f.optional("request_intensity", r.request_intensity);
  f.optional("vendor_ratio", r.vendor_ratio), f.optional("peer_ratio", r.peer_ratio);
  f.optional("metrics", r.metrics), f.optional("counters", r.counters);
}

template <class Fields, Of<NamedRate> T>
void fields(Fields& f, T& r) {
  f.required("name", r.name), f.positive("rate", r.rate);
}

template <class Fields, Of<Ceilings> T>
void fields(Fields& f, T& c) {
  f.positive("fp32_gflops", c.fp32_gflops), f.positive("fp64_gflops", c.fp64_gflops);
  f.positive("bandwidth_gbs", c.bandwidth_gbs);
  f.optional("matrix_gflops", c.matrix_gflops), f.optional("levels_gbs", c.levels_gbs);
  f.optional("launch_us", c.launch_us), f.optional("clock_mhz", c.clock_mhz);
}

template <class Fields, Of<MeasuredDevice> T>
void fields(Fields& f, T& d) {
  f.required("name", d.name), f.required("backend", d.backend);
  f.optional("family", d.hardware.family);
  if (d.hardware.family > 0) f.required("model", d.hardware.model);
  f.optional("memory_gib", d.hardware.memory_gib);
  f.optional("number", d.number), f.optional("threads", d.threads), f.optional("ranks", d.ranks);
  f.required("ceilings", d.ceilings), f.optional("state", d.state);
}

template <class Fields, Of<Absent> T>
void fields(Fields& f, T& a) {
  f.required("what", a.what), f.required("why", a.why);
}

template <class Fields, Of<Origin> T>
void fields(Fields& f, T& o) {
  f.required("date", o.date), f.required("rooftile", o.rooftile);
  f.optional("commit", o.commit);
  f.required("compiler", o.compiler), f.positive("threads", o.threads);
}

template <class Fields, Of<Run> T>
void fields(Fields& f, T& run) {
  f.optional("arguments", run.arguments), f.required("host", run.origin);
  f.required("devices", run.devices), f.optional("absent", run.absent);
  f.optional("sampling", run.sampling), f.required("results", run.results);
}

namespace {

class Writer {
 public:
  template <class T>
  void required(const char* key, const T& value) {
    json[key] = json_of(value);
  }
  template <class T>
  void positive(const char* key, const T& value) {
    required(key, value);
  }
  template <class T>
  void optional(const char* key, const T& value) {
    const bool known = [&] {
      if constexpr (requires { value.empty(); }) {
        return !value.empty();
      } else {
        return value != T();
      }
    }();
    if (known) required(key, value);
  }
  void number_or_null(const char* key, double value) { required(key, value); }
  template <class F>
  void object(const char* key, const F& fields_of) {
    Writer part;
    fields_of(part);
    json[key] = part.json;
  }

  template <class T>
  static Json json_of(const T& value) {
    Writer writer;
    if constexpr (requires { fields(writer, value); }) {
      fields(writer, value);
      return writer.json;
    } else {
      return value;
    }
  }
  template <class T>
  static Json json_of(const std::vector<T>& values) {
    Json array = Json::array();
    for (const T& value : values) array.push_back(json_of(value));
    return array;
  }

  Json json = Json::object();
};

constexpr const char* advice = "name a file that `bench --json` wrote";

[[noreturn]] void refuse(std::string_view problem, const std::string& where, const std::string& what_to_do) {
  throw Error(detail::text(problem, " (", where, "): ", what_to_do));
}

void check_times(const Seconds& seconds, const std::string& where) {
  std::vector<double> times = seconds.samples;
  times.insert(times.end(), {seconds.median, seconds.min, seconds.max});
  const auto wrong = std::find_if(times.begin(), times.end(), [](double time) { return time < 0; });
  if (wrong != times.end()) refuse("a time below 0", detail::text(where, "/seconds ", *wrong), advice);
}

Run run_of(const json& file, const std::string& named) {
  if (file.at("schema") != record_schema) {
    refuse("format of another version", named + ", schema " + file.at("schema").dump(),
           detail::text("this program reads ", record_schema, ", so run `rooftile bench` again"));
  }
  Run run;
  run.complete = file.value("complete", true);
  const JsonReader reader(file, named + ", ", advice);
  fields(reader, run);
  if (run.results.empty()) refuse("no results", named + ", /results", advice);
  for (std::size_t i = 0; i < run.results.size(); ++i) {
    const Result& r = run.results[i];
    const std::string where = detail::text(named, ", /results/", i, ' ');
    if (std::none_of(run.devices.begin(), run.devices.end(),
                     [&](const MeasuredDevice& d) { return d.name == r.device && d.backend == r.backend; })) {
      refuse("result of a device that the file does not list", where + r.device + ", " + r.backend, advice);
    }
    if (!r.multiplied() && file["results"][i].contains("gflops")) {
      refuse("a rate where nothing is multiplied", where + to_string(r.shape), advice);
    }
    check_times(r.seconds, detail::text(named, ", /results/", i));
  }
  return run;
}

Json json_of(const Ratios& r) {
  Json written = {{"products", r.products}, {"missing", r.missing}};
  if (r.products > 0) {
    written["geometric_mean"] = r.geometric_mean;
    written["worst"] = r.worst;
    written["worst_product"] = r.worst_product;
    written["slow"] = r.slow;
  }
  return written;
}

Json json_of(const Regret& c) {
  return {{"products", c.products},
          {"regret", c.regret},
          {"worst_regret", c.worst_regret},
          {"worst_product", c.worst_product},
          {"noise", c.noise}};
}

}  // namespace

Json to_json(const Result& result) {
  return Writer::json_of(result);
}

Json to_json(const Summary& s) {
  Json written = {
      {"path", s.path},       {"backend", s.backend},          {"dtype", s.dtype},
      {"math", s.math},       {"aligned", json_of(s.aligned)}, {"unaligned", json_of(s.unaligned)},
      {"all", json_of(s.all)}};
  if (s.peer.products > 0) written["peer"] = json_of(s.peer);
  if (s.choice.products > 0) written["choice"] = json_of(s.choice);
  return written;
}

Json to_json(const Run& run) {
  Json written = {{"schema", record_schema}};
  if (!run.complete) written["complete"] = false;
  written.update(Writer::json_of(run));
  for (const Summary& summary : run.summaries) written["summary"].push_back(to_json(summary));
  return written;
}

Run read_run(const std::string& option, const std::string& file) {
  const std::string named = option.empty() ? file : option + ' ' + file;
  try {
    return run_of(json::parse(detail::read_text(file, named, advice)), named);
  } catch (const json::exception& problem) {
    refuse("not a benchmark", named + ", " + problem.what(), advice);
  }
}

Run read_whole_run(const std::string& file) {
  Run run = read_run("", file);
  if (!run.complete) refuse("a run that did not end", file + ", complete", "run it again, to its end");
  return run;
}

bool is_device(const std::string& reported, const model::Device& device) {
  return reported == device.name || model::built_in_like(reported) == &device;
}

}  // namespace rooftile::perf
