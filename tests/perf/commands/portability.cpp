// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
//
// `rooftile portability`: harmonic means by hand.
#include <fstream>
#include <vector>

#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

#include "bench_json.hpp"
#include "run_program.hpp"
#include "tests/support/scratch_folder.hpp"

namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinRel;
using nlohmann::json;
using rooftile::testing::bench_device;
using rooftile::testing::bench_json;
using rooftile::testing::bench_row;
using rooftile::testing::ScratchFolder;

/// A kernel on one product of n³, on the device of a backend.
json row(const std::string& backend, const std::string& path, const std::string& math, int n, double gflops,
         double of_vendor, double of_roofline) {
  json r = bench_row("the " + backend + " one", backend, path, math, n, gflops);
  if (of_vendor > 0) r["vendor_ratio"] = of_vendor;
  if (of_roofline > 0) r["roofline_fraction"] = of_roofline;
  return r;
}

/// Files of benchmarks, there as long as this is.
class Files {
 public:
  void add(const std::string& name, const json& bench) {
    const std::string file = folder_ / (name + ".json");
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
  files.add(
      "gpu", "cuda",
      {row("cuda", "portable", "fp32", 8, 100, 0.5, 0.25), row("cuda", "portable", "fp32", 8, 90, 0.4, 0.2),
       row("cuda", "native", "fp32", 8, 200, 1, 0.5), row("cuda", "portable", "fp32", 16, 100, 0.9, 0.9)});
  files.add("cpu", "openmp", {row("openmp", "portable", "fp32", 8, 10, 1, 0.75)});
  const json found = files.of_math("fp32");
  CHECK(found.at("products") == json::array({"8x8x8 rrr"}));  // the one that both have, by its fastest kernel
  CHECK_THAT(value(found, "of_vendor"), WithinRel(2 / (1 / 0.5 + 1 / 1.0), 1e-12));
  CHECK_THAT(value(found, "of_roofline"), WithinRel(2 / (1 / 0.25 + 1 / 0.75), 1e-12));
  CHECK_THAT(files.run("").text, ContainsSubstring("performance portability") && ContainsSubstring("0.667"));
}

TEST_CASE("a platform's efficiency is the geometric mean over the products", "[model]") {
  Files files;
  files.add("gpu", "cuda",
            {row("cuda", "portable", "fp32", 8, 100, 0.2, 0.5),
             row("cuda", "portable", "fp32", 16, 100, 0.8, 0.5)});
  const json found = files.of_math("fp32");
  CHECK_THAT(found.at("platforms").at(0).at("of_vendor").get<double>(), WithinRel(0.4, 1e-12));
  CHECK_THAT(value(found, "of_vendor"), WithinRel(0.4, 1e-12));
}

TEST_CASE("what the library chooses counts, though another kernel is faster", "[model]") {
  Files files;
  json chosen = row("cuda", "portable", "fp32", 8, 50, 0.25, 0.2);
  chosen["automatic"] = true;
  files.add("gpu", "cuda", {row("cuda", "portable", "fp32", 8, 100, 0.5, 0.4), chosen});
  CHECK_THAT(value(files.of_math("fp32"), "of_vendor"), WithinRel(0.25, 1e-12));
}

TEST_CASE("a platform on which the path does not run makes it 0", "[model]") {
  Files files;
  files.add(
      "gpu", "cuda",
      {row("cuda", "portable", "fp32", 8, 100, 0.5, 0.5), row("cuda", "portable", "bf16", 8, 100, 0.5, 0)});
  files.add("cpu", "openmp",
            {row("openmp", "portable", "fp32", 8, 0, 0, 0), row("openmp", "vendor", "fp32", 8, 9, 1, 0.9)});
  CHECK(value(files.of_math("fp32"), "of_vendor") == 0);
  const json bf16 = files.of_math("bf16");  // the other platform did not even try
  CHECK(value(bf16, "of_vendor") == 0);
  CHECK(bf16.at("portability").at("of_roofline").is_null());  // no ceiling is known
}

TEST_CASE("files that cannot be compared are refused", "[model]") {
  Files files;
  files.add("gpu", "cuda", {row("cuda", "portable", "fp32", 8, 100, 0.5, 0.5)});
  files.add("cpu", "openmp", {row("openmp", "portable", "fp32", 16, 10, 1, 0.5)});
  const Ran apart = files.run("");
  CHECK(apart.status == 2);
  CHECK_THAT(apart.text, ContainsSubstring("no product in common (fp32): run the same products"));
  for (const auto& [file, problem] :
       {std::pair{
            "/no/such/file",
            "cannot read (/no/such/file, No such file or directory): name a file that `bench --json` wrote"},
        std::pair{"/", "cannot read (/, Is a directory)"},
        std::pair{"/dev/zero", "cannot read (/dev/zero, more than"},
        std::pair{"/dev/null", "not a benchmark (/dev/null,"}}) {
    const Ran ran = run_program(std::string("portability ") + file);
    CHECK(ran.status == 2);
    CHECK_THAT(ran.text, ContainsSubstring(problem));
  }
  CHECK(run_program("portability").status == 2);
}

TEST_CASE("a file that is not what bench writes at its end is refused, and the value named", "[model]") {
  const json good =
      bench_json({bench_device("the cuda one", "cuda")}, {row("cuda", "portable", "fp32", 8, 100, 0.5, 0.5)});
  REQUIRE([&] {
    Files files;
    files.add("good", good);
    return files.run("").status;
  }() == 0);
  const auto refused = [&](const char* pointer, const json& value, const std::string& words) {
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
  refused("/schema", 99, "format of another version (");
  refused("/schema", 99, "bad.json, schema 99): this program reads 3");
  refused("/schema", 2, "schema 2");
  refused("/schema", "3", "schema \"3\"");
  refused("/schema", nullptr, "not a benchmark (");
  refused("/complete", false, "a run that did not end (");
  refused("/results", json::array(), "no results (");
  refused("/results", 5, "not a list (");
  refused("/devices", json::array(), "result of a device that the file does not list (");
  refused("/devices/0/name", "Z80", "/results/0 the cuda one, cuda)");
  refused("/devices/0/ceilings/bandwidth_gbs", 0, "/devices/0/ceilings/bandwidth_gbs 0)");
  for (const char* number : {"vendor_ratio", "roofline_fraction", "gflops", "intensity"}) {
    const std::string pointer = std::string("/results/0/") + number;
    refused(pointer.c_str(), -1, pointer + " -1): name a file");
    refused(pointer.c_str(), 0, std::string("not a positive number ("));
    refused(pointer.c_str(), "1", std::string("not a number ("));
  }
  refused("/results/0/m", 8.5, "not a whole number (");
  refused("/results/0/m", -8, "/results/0/m -8)");
  refused("/results/0/batch", 0, "batch 0)");
  refused("/results/0/alpha", nullptr, "not there (");
  refused("/results/0/device", nullptr, "not there (");
  refused("/results/0/gflops", nullptr, "not there (");
  refused("/results/0/alpha", 0, "a rate where nothing is multiplied (");
  refused("/results/0/layout", 7, "not a text (");
  refused("/results/0/seconds/samples", json::array({1, "2"}), "/results/0/seconds/samples/1 \"2\")");
  refused("/results/0/seconds/median", -1, "a time below 0 (");
  refused("/results/0/seconds/samples", json::array({1, -2}), "bad.json, /results/0/seconds -2)");
  refused("/results/0/metrics", json::array({{{"tag", "x"}, {"unit", ""}}}), "not there (");
  refused("/host/threads", 0, "/host/threads 0)");
}

TEST_CASE("one platform counts once", "[model]") {
  Files files;
  files.add("one", "cuda", {row("cuda", "portable", "fp32", 8, 100, 0.5, 0.5)});
  files.add("two", "cuda", {row("cuda", "portable", "fp32", 16, 100, 0.9, 0.5)});
  const Ran ran = files.run("");
  CHECK(ran.status == 2);
  CHECK_THAT(ran.text, ContainsSubstring("platform twice (the cuda one, cuda, in "));
}

TEST_CASE("products with other scalars are other products", "[model]") {
  Files files;
  json scaled = row("cuda", "portable", "fp32", 8, 300, 0.9, 0.9);
  scaled["beta"] = 1.0;
  files.add("gpu", "cuda", {row("cuda", "portable", "fp32", 8, 100, 0.5, 0.5), scaled});
  files.add("cpu", "openmp", {row("openmp", "portable", "fp32", 8, 10, 0.5, 0.5)});
  const json found = files.of_math("fp32");
  CHECK(found.at("products") == json::array({"8x8x8 rrr"}));
  CHECK_THAT(value(found, "of_vendor"), WithinRel(0.5, 1e-12));
}

}  // namespace
