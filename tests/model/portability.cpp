// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
//
// `rooftile portability`: harmonic means by hand.
#include <filesystem>
#include <fstream>
#include <vector>

#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "run_program.hpp"

namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinRel;
using nlohmann::json;

/// A kernel on one product of n³.
json row(const std::string& backend, const std::string& path, const std::string& math, int n, double gflops,
         double of_vendor, double of_roofline) {
  json r = {{"path", path}, {"backend", backend}, {"math", math}, {"m", n}, {"n", n},
            {"k", n},       {"layout", "rrr"}};
  r["status"] = gflops > 0 ? "ok" : "unsupported";
  r["gflops"] = gflops;
  if (of_vendor > 0) r["vendor_ratio"] = of_vendor;
  if (of_roofline > 0) r["roofline_fraction"] = of_roofline;
  return r;
}

/// Files of benchmarks, there as long as this is.
class Files {
 public:
  Files() { std::filesystem::create_directories(folder_); }
  ~Files() { std::filesystem::remove_all(folder_); }

  void add(const std::string& name, const std::string& backend, const std::vector<json>& results) {
    const std::string file = folder_ / (name + ".json");
    std::ofstream(file) << json{{"devices", json::array({json{{"name", name}, {"backend", backend}}})},
                                {"results", results}};
    arguments_ += " '" + file + "'";
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
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("rooftile_test_portability_" + std::to_string(getpid()));
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
       {std::pair{"/no/such/file", "cannot read (/no/such/file): name a file that `bench --json` wrote"},
        std::pair{"/dev/null", "not a benchmark (/dev/null,"}}) {
    const Ran ran = run_program(std::string("portability ") + file);
    CHECK(ran.status == 2);
    CHECK_THAT(ran.text, ContainsSubstring(problem));
  }
  CHECK(run_program("portability").status == 2);
}

}  // namespace
