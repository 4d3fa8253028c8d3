// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// `rooftile compare` and `portability`, which read benchmark files.
#include <fstream>

#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "program.hpp"

namespace rooftile::testing {
namespace {

using Catch::Matchers::WithinRel;

/// A kernel on n³ whose samples are all different and close to `seconds`.
json sampled(const std::string& path, int n, double seconds) {
  json r = bench_row("the one", "openmp", path, "fp32", n, 100);
  json samples = json::array();
  for (int i = 0; i < 15; ++i) samples.push_back(seconds * (1 + 0.001 * i));
  r["seconds"] = {{"median", seconds}, {"min", seconds}, {"max", 2 * seconds}, {"count", 15}};
  r["seconds"]["samples"] = samples;
  return r;
}

class Compared {
 public:
  /// The output of `compare` for two files with these results.
  Ran operator()(const std::vector<json>& before, const std::vector<json>& after,
                 const std::string& options = "") const {
    write("old.json", before), write("new.json", after);
    return run_program("compare " + options + " '" + (folder_ / "old.json").string() + "' '" +
                       (folder_ / "new.json").string() + "'");
  }

 private:
  void write(const std::string& name, const std::vector<json>& results) const {
    std::ofstream(folder_ / name) << bench_json({bench_device("the one", "openmp")}, results);
  }
  ScratchFolder folder_;
};

TEST_CASE("compare ends with 1 where a kernel of ours became slower", "[model]") {
  const Compared compared;
  const std::vector<json> before = {sampled("portable", 8, 1), sampled("portable", 16, 1),
                                    sampled("vendor", 8, 1)};
  const Ran same = compared(before, before);
  CHECK(same.status == 0);
  CHECK_THAT(same.text,
             ContainsSubstring("3 kernels and products: 0 slower, 0 faster, 0 ambiguous, 3 the same") &&
                 !ContainsSubstring("verdict"));
  CHECK_THAT(compared(before, before, "--all").text, ContainsSubstring("verdict"));

  const Ran slower =
      compared(before, {sampled("portable", 8, 1.05), sampled("portable", 16, 0.9), sampled("native", 8, 1)});
  CHECK(slower.status == 1);
  CHECK_THAT(slower.text, ContainsSubstring("+5.0 %") && ContainsSubstring("-10.0 %") &&
                              ContainsSubstring("2 kernels and products: 1 slower, 1 faster") &&
                              ContainsSubstring("old.json: 1, only in") &&
                              ContainsSubstring("new.json: 1\n"));
  CHECK(compared(before, {sampled("portable", 8, 1.05)}, "--threshold 0.06").status == 0);
  CHECK(compared(before, {sampled("portable", 8, 0.5)}).status == 0);

  const Ran machine = compared(before, {sampled("portable", 8, 1), sampled("vendor", 8, 2)});
  CHECK(machine.status == 0);
  CHECK_THAT(machine.text, ContainsSubstring("1 slower of other libraries'"));
}

TEST_CASE("compare ends with 1 where a kernel of ours became wrong", "[model]") {
  const Compared compared;
  json wrong = failed_row(sampled("portable", 8, 1), "wrong result");
  const Ran ran = compared({sampled("portable", 8, 1)}, {wrong});
  CHECK(ran.status == 1);
  CHECK_THAT(ran.text,
             ContainsSubstring("WRONG NOW: the one, openmp, portable tiled 8x8x8, fp32 8x8x8 rrr: wrong"));
  wrong["path"] = "vendor";
  CHECK(compared({sampled("vendor", 8, 1)}, {wrong}).status == 0);
}

TEST_CASE("compare as JSON has every pair", "[model]") {
  const Compared compared;
  const Ran ran = compared(
      {sampled("portable", 8, 1), sampled("portable", 16, 1)},
      {sampled("portable", 8, 1.25), sampled("portable", 16, 1), sampled("portable", 32, 1)}, "--json");
  CHECK(ran.status == 1);
  const json found = json::parse(ran.text);
  CHECK(found.at("threshold") == 0.03);
  CHECK(found.at("counts") == json::parse(R"({"slower": 1, "ambiguous": 0, "faster": 0, "same": 1, "wrong": 0,
                                              "only_before": 0, "only_after": 1})"));
  REQUIRE(found.at("pairs").size() == 2);
  const json& pair = found.at("pairs").at(0);
  CHECK((pair.at("verdict") == "slower" && pair.at("product") == "8x8x8 rrr"));
  CHECK((pair.at("samples") == json{15, 15} && pair.at("probability") < 1e-6));
  CHECK_THAT(pair.at("change").get<double>(), WithinRel(0.25, 1e-12));
}

TEST_CASE("compare refuses bad thresholds and files that cannot be compared", "[model]") {
  const Compared compared;
  const std::vector<json> good = {sampled("portable", 8, 1)};
  for (const auto& [ran, problem] :
       {std::pair{compared(good, {sampled("portable", 9, 1)}), "no product with a time in both files ("},
        {compared(good, good, "--threshold -1"), "--threshold: out of range (-1)"},
        {compared(good, good, "--false-alarms 0"), "--false-alarms: out of range (0)"},
        {run_program("compare /dev/null /dev/null"), "not a benchmark (/dev/null,"}}) {
    CHECK(ran.status == 2);
    CHECK_THAT(ran.text, ContainsSubstring(problem));
  }
  CHECK(run_program("compare one").status == 2);
  json few = good[0], slow = sampled("portable", 8, 2);
  few["seconds"]["samples"] = {1, 1, 1}, slow["seconds"]["samples"] = {2, 2, 2};
  const Ran ran = compared({few}, {slow});
  CHECK(ran.status == 0);
  CHECK_THAT(ran.text, ContainsSubstring("1 ambiguous for want of samples"));
}

/// A kernel on one product of n³, on the device of a backend.
json row(const std::string& backend, const std::string& path, const std::string& math, int n, double gflops,
         double of_vendor) {
  json r = bench_row("the " + backend + " one", backend, path, math, n, gflops);
  if (of_vendor > 0) r["vendor_ratio"] = of_vendor;
  if (gflops > 0) r["roofline_fraction"] = 0.123;  // with another run's ceilings
  return r;
}

/// The roof of the 8³ product by the ceilings of `bench_device`.
constexpr double roof = 80 * 8 / 6.0;

/// Benchmark files that exist as long as the object.
class Files {
 public:
  void add(const std::string& name, json bench) {
    const std::string file = folder_ / (name + ".json");
    bench["arguments"] = {"--json", name};
    std::ofstream(file) << bench;
    arguments_ += " '" + file + "'";
  }
  void add(const std::string& name, const std::string& backend, const std::vector<json>& results) {
    add(name, bench_json({bench_device("the " + backend + " one", backend)}, results));
  }
  Ran run(const std::string& options) const { return run_program("portability " + options + arguments_); }
  json of_math(const std::string& math) const {
    const Ran ran = run("--json");
    INFO(ran.text);
    REQUIRE(ran.status == 0);
    const json all = json::parse(ran.text);
    for (const json& found : all.at("maths")) {
      if (found.at("math") == math) return found;
    }
    FAIL("no " << math);
    return {};
  }

 private:
  ScratchFolder folder_;
  std::string arguments_;
};

double value(const json& found, const char* what) {
  return found.at("portability").at(what).get<double>();
}

TEST_CASE("performance portability is the harmonic mean of the platforms' efficiencies", "[model]") {
  Files files;
  files.add("gpu", "cuda",
            {row("cuda", "portable", "fp32", 8, 100, 0.5), row("cuda", "portable", "fp32", 8, 90, 0.4),
             row("cuda", "native", "fp32", 8, 200, 1), row("cuda", "portable", "fp32", 16, 100, 0.9)});
  files.add("cpu", "openmp", {row("openmp", "portable", "fp32", 8, 10, 1)});
  const json found = files.of_math("fp32");
  CHECK(found.at("products") == json::array({"8x8x8 rrr"}));  // the only common one, by its fastest kernel
  CHECK_THAT(value(found, "of_vendor"), WithinRel(2 / (1 / 0.5 + 1 / 1.0), 1e-12));
  CHECK_THAT(value(found, "of_roofline"), WithinRel(2 / (roof / 100 + roof / 10), 1e-12));
  CHECK_THAT(files.run("").text, ContainsSubstring("performance portability") && ContainsSubstring("0.667"));
}

TEST_CASE("a platform's efficiency is the geometric mean over the products", "[model]") {
  Files files;
  files.add("gpu", "cuda",
            {row("cuda", "portable", "fp32", 8, 100, 0.2), row("cuda", "portable", "fp32", 16, 100, 0.8)});
  CHECK_THAT(value(files.of_math("fp32"), "of_vendor"), WithinRel(0.4, 1e-12));
}

TEST_CASE("the library's choice counts, although another kernel is faster", "[model]") {
  Files files;
  json chosen = row("cuda", "portable", "fp32", 8, 50, 0.25);
  chosen["automatic"] = true;
  files.add("gpu", "cuda", {row("cuda", "portable", "fp32", 8, 100, 0.5), chosen});
  CHECK_THAT(value(files.of_math("fp32"), "of_vendor"), WithinRel(0.25, 1e-12));
}

TEST_CASE("a platform on which the path does not run makes it 0", "[model]") {
  Files files;
  files.add("gpu", "cuda",
            {row("cuda", "portable", "fp32", 8, 100, 0.5), row("cuda", "portable", "bf16", 8, 100, 0.5)});
  files.add("cpu", "openmp",
            {row("openmp", "portable", "fp32", 8, 0, 0), row("openmp", "vendor", "fp32", 8, 9, 1)});
  CHECK(value(files.of_math("fp32"), "of_vendor") == 0);
  const json bf16 = files.of_math("bf16");  // not measured on the other platform
  CHECK(value(bf16, "of_vendor") == 0);
  CHECK(bf16.at("portability").at("of_roofline").is_null());  // no ceiling is known
}

TEST_CASE("portability refuses files that are not benchmarks or have no product in common", "[model]") {
  Files files;
  files.add("gpu", "cuda", {row("cuda", "portable", "fp32", 8, 100, 0.5)});
  files.add("cpu", "openmp", {row("openmp", "portable", "fp32", 16, 10, 1)});
  const Ran apart = files.run("");
  CHECK(apart.status == 2);
  CHECK_THAT(apart.text, ContainsSubstring("no product in common (fp32)"));
  const ScratchFolder folder;
  const std::string joined = folder / "joined.json";
  std::ofstream(joined) << bench_json({bench_device("the cuda one", "cuda")},
                                      {row("cuda", "portable", "fp32", 8, 100, 0.5)});
  refused("portability '" + joined + "'",
          "ceilings of several runs (" + joined + ", no arguments): name a file");
  for (const auto& [file, problem] :
       {std::pair{"/no/such/file", "cannot read (/no/such/file, No such file or directory)"},
        {"/", "cannot read (/, Is a directory)"},
        {"/dev/zero", "cannot read (/dev/zero, more than"},
        {"/dev/null", "not a benchmark (/dev/null,"},
        {"", "FILE"}}) {
    refused(std::string("portability ") + file, problem);
  }
}

TEST_CASE("a file that differs from what bench writes is refused, and the value named", "[model]") {
  const json good =
      bench_json({bench_device("the cuda one", "cuda")}, {row("cuda", "portable", "fp32", 8, 100, 0.5)});
  REQUIRE([&] {
    Files files;
    files.add("good", good);
    return files.run("").status;
  }() == 0);
  const auto check_refused = [&](const char* pointer, const json& value, const std::string& words) {
    json bad = good;
    if (value.is_null()) {
      const json::json_pointer at(pointer);
      bad.at(at.parent_pointer()).erase(at.back());
    } else {
      bad[json::json_pointer(pointer)] = value;
    }
    Files files;
    files.add("bad", bad);
    const Ran ran = files.run("");
    CAPTURE(pointer, value, ran.text);
    CHECK(ran.status == 2);
    CHECK_THAT(ran.text, ContainsSubstring(words));
  };
  check_refused("/schema", 99, "bad.json, schema 99): this program reads 3");
  check_refused("/schema", nullptr, "not a benchmark (");
  check_refused("/complete", false, "a run that did not end (");
  check_refused("/results", json::array(), "no results (");
  check_refused("/results", 5, "not a list (");
  check_refused("/devices", json::array(), "result of a device that the file does not list (");
  check_refused("/devices/0/name", "Z80", "/results/0 the cuda one, cuda)");
  check_refused("/devices/0/ceilings/bandwidth_gbs", 0, "/devices/0/ceilings/bandwidth_gbs 0)");
  check_refused("/results/0/vendor_ratio", -1, "not a positive number (");
  check_refused("/results/0/gflops", -1, "/results/0/gflops -1): name a file");
  check_refused("/results/0/intensity", "1", "not a number (");
  check_refused("/results/0/m", 8.5, "not a whole number (");
  check_refused("/results/0/batch", 0, "batch 0)");
  check_refused("/results/0/gflops", nullptr, "missing member (");
  check_refused("/results/0/alpha", 0, "a rate where nothing is multiplied (");
  check_refused("/results/0/layout", 7, "not a text (");
  check_refused("/results/0/seconds/samples", json::array({1, "2"}), "/results/0/seconds/samples/1 \"2\")");
  check_refused("/results/0/seconds/median", -1, "a time below 0 (");
  check_refused("/results/0/seconds/samples", json::array({1, -2}), "bad.json, /results/0/seconds -2)");
  check_refused("/results/0/metrics", json::array({{{"tag", "x"}, {"unit", ""}}}), "missing member (");
  check_refused("/host/threads", 0, "/host/threads 0)");
}

TEST_CASE("platforms are told apart by name and model, and one in two files is refused", "[model]") {
  const auto add = [](Files& files, const std::string& name, int family, int n, double of_vendor) {
    json device = bench_device("the openmp one", "openmp");
    if (family > 0) device["family"] = family, device["model"] = 17;
    files.add(name, bench_json({device}, {row("openmp", "portable", "fp32", n, 100, of_vendor)}));
  };
  Files same;
  add(same, "one", 0, 8, 0.5), add(same, "two", 0, 16, 0.9);
  CHECK(same.run("").status == 2);
  CHECK_THAT(same.run("").text, ContainsSubstring("platform twice (the openmp one, openmp, in "));
  Files files;
  add(files, "zen4", 25, 8, 0.5), add(files, "zen5", 26, 8, 1);
  const json found = files.of_math("fp32");
  CHECK(found.at("platforms").at(0).at("name") == "the openmp one, family 25, model 17");
  CHECK(found.at("platforms").at(1).at("name") == "the openmp one, family 26, model 17");
  CHECK_THAT(value(found, "of_vendor"), WithinRel(2 / (1 / 0.5 + 1 / 1.0), 1e-12));
  add(files, "again", 26, 8, 1);
  CHECK_THAT(files.run("").text, ContainsSubstring("platform twice (the openmp one, family 26, model 17, "));
}

TEST_CASE("products with other scalars are other products", "[model]") {
  Files files;
  json scaled = row("cuda", "portable", "fp32", 8, 300, 0.9);
  scaled["beta"] = 1.0;
  files.add("gpu", "cuda", {row("cuda", "portable", "fp32", 8, 100, 0.5), scaled});
  files.add("cpu", "openmp", {row("openmp", "portable", "fp32", 8, 10, 0.5)});
  const json found = files.of_math("fp32");
  CHECK(found.at("products") == json::array({"8x8x8 rrr"}));
  CHECK_THAT(value(found, "of_vendor"), WithinRel(0.5, 1e-12));
}

}  // namespace
}  // namespace rooftile::testing
