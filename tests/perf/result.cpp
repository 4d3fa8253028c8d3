// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Results as JSON and as tables.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <unistd.h>

#include "perf/record/data_sheet.hpp"
#include "perf/record/json.hpp"
#include "perf/record/record.hpp"
#include "perf/writers/result_table.hpp"
#include "tests/perf/as_read.hpp"
#include "tests/support/refused.hpp"
#include "tests/support/scratch_folder.hpp"

namespace rooftile::perf {
namespace {

Result result(const std::string& status) {
  Result r;
  r.path = "portable", r.device = "Z80", r.backend = "openmp", r.kernel = "tiled", r.tile = "16x16x16",
  r.dtype = "fp32";
  r.math = "fp32", r.layout = "rcr", r.shape = {2, 3, 4};
  r.alpha = 0.5, r.beta = -2, r.seed = 77;
  r.seconds = {0.5, 0.25, 0.75, 2, {0.75, 0.25}};
  r.metrics = {{"host_time", 5.5, "us"}};
  r.counters = {{"dram_bytes", 96, "B"}};
  r.gflops = 12, r.intensity = 3.5, r.request_intensity = 4, r.bound = "memory", r.roofline_fraction = 0.8;
  r.vendor_ratio = 0.6, r.peer_ratio = 12, r.error_ratio = 0.01, r.rows_checked = 2, r.status = status;
  return r;
}

std::set<std::string> keys(const nlohmann::ordered_json& json) {
  std::set<std::string> found;
  for (const auto& item : json.items()) found.insert(item.key());
  return found;
}

const std::set<std::string> always = {"path",    "device", "backend", "kernel", "tile",  "dtype",
                                      "math",    "m",      "n",       "k",      "batch", "layout",
                                      "aligned", "alpha",  "beta",    "seed",   "status"};

std::set<std::string> with(std::set<std::string> names, const std::set<std::string>& more) {
  names.insert(more.begin(), more.end());
  return names;
}

TEST_CASE("a right result is written with all that was measured", "[result]") {
  CHECK(nlohmann::json(as_read(to_json(result("ok")))) == nlohmann::json::parse(R"({
      "path": "portable", "device": "Z80", "backend": "openmp", "kernel": "tiled", "tile": "16x16x16",
      "dtype": "fp32", "math": "fp32", "m": 2, "n": 3, "k": 4, "batch": 1, "layout": "rcr", "aligned": false,
      "alpha": 0.5, "beta": -2, "seed": 77, "status": "ok", "error": {"ratio": 0.01, "rows_checked": 2},
      "seconds": {"median": 0.5, "min": 0.25, "max": 0.75, "count": 2, "samples": [0.75, 0.25]},
      "gflops": 12, "intensity": 3.5, "request_intensity": 4, "bound": "memory", "roofline_fraction": 0.8,
      "vendor_ratio": 0.6, "peer_ratio": 12, "metrics": [{"tag": "host_time", "value": 5.5, "unit": "us"}],
      "counters": [{"tag": "dram_bytes", "value": 96, "unit": "B"}]})"));
}

TEST_CASE("unknown values are not written", "[result]") {
  Result r = result("ok");
  r.request_intensity = r.roofline_fraction = 0, r.bound = "", r.vendor_ratio = r.peer_ratio = 0;
  r.metrics.clear(), r.counters.clear();
  CHECK(keys(as_read(to_json(r))) == with(always, {"error", "seconds", "gflops", "intensity"}));
}

TEST_CASE("there is no rate where nothing is multiplied", "[result]") {
  for (const auto& [alpha, shape] : {std::pair{0.0, GemmShape{2, 3, 4}},
                                     {1.0, GemmShape{2, 3, 0}},
                                     {1.0, GemmShape{0, 3, 4}},
                                     {1.0, GemmShape{2, 0, 4}}}) {
    Result r = result("ok");
    r.alpha = alpha, r.shape = shape, r.bound = "";
    const auto json = as_read(to_json(r));
    for (const char* rate : {"gflops", "intensity", "roofline_fraction"}) CHECK_FALSE(json.contains(rate));
    CHECK(json["seconds"]["median"] == 0.5);
  }
}

/// A result of a path with this time. 0: the kernel did not run.
Result timed(const std::string& path, double seconds) {
  Result r;
  r.path = path, r.status = seconds > 0 ? "ok" : "unsupported", r.seconds.median = seconds;
  return r;
}

TEST_CASE("a result's ratios are to the fastest vendor and to the fastest peer", "[result]") {
  using Ratios = std::vector<std::pair<double, double>>;
  const auto ratios = [](std::vector<Result> results) {
    compare_with_baselines(results);
    Ratios found;
    for (const Result& r : results) found.emplace_back(r.vendor_ratio, r.peer_ratio);
    return found;
  };
  const Result portable = timed("portable", 2), peer = timed("peer", 10), vendor = timed("vendor", 1);
  CHECK(ratios({portable, peer, vendor, timed("native", 0)}) == Ratios{{0.5, 5}, {0.1, 1}, {1, 10}, {0, 0}});
  CHECK(ratios({portable, timed("peer", 0), vendor})[0] == std::pair{0.5, 0.0});
  CHECK(ratios({portable, timed("vendor", 3), vendor, timed("vendor", 4)})[0].first == 0.5);
  CHECK(ratios({portable, peer})[0] == std::pair{0.0, 5.0});
  std::vector<Result> results{timed("native", 1), timed("vendor", 6)};
  results[0].automatic = true;
  compare_with_baselines(results);
  CHECK(results[0].disturbed == "6 times as fast as the vendor");
}

TEST_CASE("the flags of a result are written where they are set", "[result]") {
  for (const auto& [name, flag] : {std::pair{"automatic", &Result::automatic}, {"tuned", &Result::tuned}}) {
    Result r = result("ok");
    CHECK_FALSE(as_read(to_json(r)).contains(name));
    r.*flag = true;
    CHECK(as_read(to_json(r))[name] == true);
  }
}

TEST_CASE("a wrong or unsupported result is written with its reason and without times", "[result]") {
  for (const bool wrong : {true, false}) {
    Result r = result(wrong ? "failed" : "unsupported");
    r.reason = "a reason";
    const auto json = as_read(to_json(r));
    CHECK(keys(json) ==
          with(always, wrong ? std::set<std::string>{"error", "reason"} : std::set<std::string>{"reason"}));
    CHECK((json["status"] == r.status && json["reason"] == r.reason));
  }
}

TEST_CASE("a run names its date, threads, commit and compiler", "[result]") {
  const Origin origin = origin_here();
  REQUIRE(origin.date.size() == std::string("2026-11-21T06:00:00Z").size());
  CHECK((origin.date[4] == '-' && origin.date[10] == 'T' && origin.date.back() == 'Z'));
  CHECK(origin.threads > 0);
  CHECK_FALSE(origin.commit.empty());
  CHECK(origin.compiler.find_first_of("0123456789") != std::string::npos);  // its version
}

/// A run with every optional member.
Run run() {
  Run run;
  run.arguments = {"--shape", "8"};
  run.origin = {"2026-11-21T06:00:00Z", "1.2.3", "abc-dirty", "GNU 1", 9};
  run.devices = {{"Z80", "openmp", 0, 4, {3, 2, 1}, {}, 0, {26, 0, 0}},
                 {"GPU", "cuda", 1, 0, {30, 20, 10}, "hot", 0, {0, 0, 80}}};
  run.absent = {{"hip", "no driver"}};
  Result wrong = result("failed"), off = result("unsupported"), nothing = result("ok"), chosen = result("ok");
  wrong.reason = off.reason = "why", wrong.error_ratio = HUGE_VAL;
  nothing.alpha = 0;
  chosen.automatic = chosen.tuned = chosen.aligned = chosen.pointers = true;
  chosen.batch = 3;
  run.results = {result("ok"), wrong, off, nothing, chosen};
  run.summaries = summaries_of(run.results);
  return run;
}

TEST_CASE("a run is read as it was written", "[result]") {
  const testing::ScratchFolder folder;
  const std::string file = folder / "run.json";
  const auto json = as_read(to_json(run()));
  CHECK((json["schema"] == record_schema && json["summary"].size() == 1 && !json.contains("complete")));
  std::ofstream(file) << json;
  Run again = read_run("", file);
  CHECK(as_read(to_json(again)).dump() != json.dump());  // summaries are recomputed, not read
  again.summaries = summaries_of(again.results);
  CHECK(as_read(to_json(again)).dump() == json.dump());
}

TEST_CASE("a file's device has a family and a model, or a memory, or in older files neither", "[result]") {
  const testing::ScratchFolder folder;
  const std::string file = folder / "run.json";
  auto json = as_read(to_json(run()));
  auto &cpu = json["devices"][0], &gpu = json["devices"][1];
  const auto read = [&] {
    std::ofstream(file) << json;
    const auto devices = read_run("", file).devices;
    return identity(devices[0]) + "; " + identity(devices[1]);
  };
  CHECK(read() == "Z80, family 26, model 0; GPU, 80 GiB");
  cpu.erase("family"), cpu.erase("model"), gpu.erase("memory_gib");
  CHECK(read() == "Z80; GPU");
  cpu["family"] = 26;
  CHECK(testing::refused(read).starts_with("missing member (" + file + ", /devices/0/model)"));
  cpu["model"] = -1;
  CHECK(testing::refused(read).starts_with("not a whole number (" + file + ", /devices/0/model -1)"));
}

/// Returns the standard output of `print`.
std::string printed(const std::function<void()>& print) {
  std::fflush(stdout);
  const int before = dup(STDOUT_FILENO);
  std::FILE* const file = std::tmpfile();
  REQUIRE((before >= 0 && file != nullptr));
  dup2(fileno(file), STDOUT_FILENO);
  print();
  std::fflush(stdout);
  dup2(before, STDOUT_FILENO);
  close(before);
  std::rewind(file);
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

Result measured() {
  Result r;
  r.path = "portable", r.backend = "openmp", r.kernel = "tiled", r.tile = "16x16x16", r.status = "ok";
  r.shape = {2, 3, 4}, r.layout = "rcr";
  r.seconds = {0.5, 0.25, 0.75, 7, {}};
  r.gflops = 12.34, r.request_intensity = 4, r.bound = "memory", r.roofline_fraction = 0.812;
  r.vendor_ratio = 0.6, r.peer_ratio = 12, r.error_ratio = 0.0125;
  return r;
}

/// The words of the only row of the table.
std::string row_of(const Result& r) {
  const std::string text = printed([&] { print_table("a product", {r}); });
  std::string words;
  for (const char c : text.substr(text.find("error\n") + 6)) {
    if (c != ' ' || words.empty() || words.back() != ' ') words += c;
  }
  return words;
}

TEST_CASE("a table's row has milliseconds, percentages, and the peer's ratio as a factor", "[tables]") {
  CHECK(row_of(measured()) ==
        "portable openmp tiled 16x16x16 500.0000 100.0% 12.3 4.00 memory 81.2% 60.0% 12.00x 0.013\n");
}

TEST_CASE("a table has a dash for each unknown value", "[tables]") {
  Result r = measured();
  r.request_intensity = r.roofline_fraction = r.vendor_ratio = r.peer_ratio = 0;
  r.bound = "", r.shape.k = 0;  // nothing is multiplied
  CHECK(row_of(r) == "portable openmp tiled 16x16x16 500.0000 100.0% - - - - - - 0.013\n");
}

TEST_CASE("a table says who chose a kernel, and why there is no time", "[tables]") {
  Result r = measured();
  r.automatic = true;
  CHECK(row_of(r).starts_with("portable openmp tiled (auto) 16x16x16 500"));
  r.tuned = true;
  CHECK(row_of(r).starts_with("portable openmp tiled (tuned) 16x16x16 500"));
  r.status = "failed", r.reason = "too large";
  CHECK(row_of(r) == "portable openmp tiled (tuned) 16x16x16 FAILED: too large\n");
}

TEST_CASE("refused kernels are one line below the table, by the problem", "[tables]") {
  Result naive = measured(), tiled = measured(), tuned = measured();
  naive.kernel = "naive", naive.tile = "", naive.reason = "too many threads (9): take fewer";
  tiled.reason = "tile does not divide (m 5): take another", tuned.reason = "tile does not divide (m 6): no";
  tuned.automatic = tuned.tuned = true;
  for (Result* r : {&naive, &tiled, &tuned}) r->status = "unsupported";
  const auto text = [](const std::vector<Result>& results) {
    return printed([&] { print_table("a product", results); });
  };
  CHECK(text({tiled}) ==
        "\na product\nn/a: portable tiled 16x16x16: tile does not divide (m 5): take another\n");
  CHECK(text({tiled, naive, tuned}) ==
        "\na product\nn/a: tile does not divide (portable tiled 16x16x16, portable tiled (tuned) 16x16x16); "
        "too many threads (portable naive)\n");
  const std::string table = text({tiled, measured()});
  CHECK(std::count(table.begin(), table.end(), '\n') == 5);  // an empty line, the product, the columns
  CHECK(table.ends_with("0.013\nn/a: portable tiled 16x16x16: tile does not divide (m 5): take another\n"));
}

TEST_CASE("a summary's table has a row for each path and mode, and one for a peer", "[tables]") {
  Summary s;
  s.path = "native", s.backend = "cuda", s.dtype = "fp32", s.math = "tf32";
  CHECK(printed([&] { print_summaries({s}); }).find("native") == std::string::npos);
  Result r = measured();
  s.all.add(r, 2), s.all.add(r, 0.5), s.all.add(r, 0);
  std::string text = printed([&] { print_summaries({s}); });
  CHECK(text.find("tf32  1.00   0.50   50%         2        1  2x3x4 rcr\n") != std::string::npos);
  CHECK(text.find("to peer") == std::string::npos);
  s.peer.add(r, 3);
  text = printed([&] { print_summaries({s}); });
  CHECK(text.find("native to peer") != std::string::npos);
  CHECK(text.find("Regret") == std::string::npos);
  s.choice = {1.25, 1.5, "2x3x4 rcr", 0.01, 7};
  text = printed([&] { print_summaries({s}); });
  CHECK(text.find("tf32   1.250   1.50   1.0%         7  2x3x4 rcr\n") != std::string::npos);
}

TEST_CASE("a product's line has each path's fastest time and the faster one's ratio, roof and bound",
          "[tables]") {
  std::vector<Result> results{measured(), measured(), measured(), measured()};
  results[1].path = "native", results[1].kernel = "pipelined", results[1].seconds.median = 0.25;
  results[1].vendor_ratio = 1.2, results[1].roofline_fraction = 1.02, results[1].math = "fp32";
  results[2].path = "native", results[2].seconds.median = 0.75;
  results[3].path = "vendor", results[3].seconds.median = 0.3;
  const std::string text = printed([&] { print_best(results); });
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
  CHECK(text.find(
            "500000.00  250000.00  300000.00    1.20   102% memory   native pipelined 16x16x16; ceiling too "
            "low\n") != std::string::npos);
  results[1].disturbed = "why";
  CHECK(printed([&] { print_best(results); }).find("; ratio does not count: why") != std::string::npos);
  results[0].status = "failed", results[0].reason = "wrong result";
  CHECK(printed([&] {
          print_best(results);
        }).starts_with("FAILED: portable tiled 16x16x16,  2x3x4 rcr: wrong"));
  results[1].status = results[2].status = results[3].status = "unsupported";
  CHECK(printed([&] { print_best({results[1], results[2], results[3]}); }).empty());
}

TEST_CASE("a kernel's bound is the resource that takes it the longest", "[result]") {
  Ceilings ceilings{100, 50, 10};
  Result r = measured();
  const auto bound = [&](double flops, double intensity) {
    set_rate(r, flops, intensity, ComputeMode::fp32, ceilings);
    return r.bound;
  };
  r.request_intensity = 0;
  CHECK((bound(1e9, 20) == "compute" && bound(1e9, 5) == "memory"));
  ceilings.levels_gbs = {{"L2", 30}};
  r.request_intensity = 2;
  CHECK(bound(1e9, 20) == "cache");
  ceilings.launch_us = 1e6;
  CHECK(bound(1e9, 20) == "launch");
  CHECK(r.roofline_fraction == r.gflops / 100);
}

TEST_CASE("the larger of two measurements is a ceiling, and the shorter launch", "[result]") {
  const Ceilings both =
      largest_of({3, 2, 1, {{"fp64", 7}}, {{"L2", 9}}, 5, 1}, {2, 4, 8, {{"fp64", 8}}, {{"L2", 1}}, 6, 2});
  CHECK((both.fp32_gflops == 3 && both.fp64_gflops == 4 && both.bandwidth_gbs == 8));
  CHECK((both.matrix("fp64") == 8 && both.level("L2") == 9 && both.launch_us == 5 && both.clock_mhz == 2));
}

TEST_CASE("ceilings of a disturbed device are told", "[result]") {
  Ceilings c;
  CHECK(disturbance_of("some CPU", c).empty());
  c.launch_us = 6000;
  CHECK(disturbance_of("some CPU", c).starts_with("a launch takes 6000 us"));
  c = {30000, 60000, 4000};
  CHECK(disturbance_of("NVIDIA H200", c).starts_with("fp32 at 0.4"));
  c.fp32_gflops = 60000, c.fp64_gflops = 30000;
  CHECK(disturbance_of("NVIDIA H200", c).empty());
}

}  // namespace
}  // namespace rooftile::perf
