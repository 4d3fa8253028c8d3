// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
//
// `rooftile compare`: what it prints, and what it ends with.
#include <fstream>

#include <catch2/matchers/catch_matchers_string.hpp>

#include "bench_json.hpp"
#include "run_program.hpp"
#include "tests/support/scratch_folder.hpp"

namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;
using rooftile::testing::bench_device;
using rooftile::testing::bench_json;
using rooftile::testing::bench_row;
using rooftile::testing::ScratchFolder;

/// A kernel on n³ whose samples are around so many seconds, each its own.
json row(const std::string& path, int n, double seconds) {
  json r = bench_row("the one", "openmp", path, "fp32", n, 100);
  json samples = json::array();
  for (int i = 0; i < 15; ++i) samples.push_back(seconds * (1 + 0.001 * i));
  r["seconds"] = {{"median", seconds}, {"min", seconds}, {"max", 2 * seconds}, {"count", 15}};
  r["seconds"]["samples"] = samples;
  return r;
}

class Compared {
 public:
  /// What `compare` says of two files with these results.
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
  const std::vector<json> before = {row("portable", 8, 1), row("portable", 16, 1), row("vendor", 8, 1)};
  const Ran same = compared(before, before);
  CHECK(same.status == 0);
  CHECK_THAT(same.text,
             ContainsSubstring("3 kernels and products: 0 slower, 0 faster, 0 ambiguous, 3 the same "
                               "within 3 %; only in "));
  CHECK_THAT(same.text, !ContainsSubstring("verdict"));
  CHECK_THAT(compared(before, before, "--all").text,
             ContainsSubstring("verdict") && ContainsSubstring("+0.0 %"));

  const Ran slower =
      compared(before, {row("portable", 8, 1.05), row("portable", 16, 0.9), row("native", 8, 1)});
  CHECK(slower.status == 1);
  CHECK_THAT(slower.text, ContainsSubstring("slower    openmp  portable   tiled  8x8x8  fp32") &&
                              ContainsSubstring("+5.0 %") && ContainsSubstring("-10.0 %") &&
                              ContainsSubstring("2 kernels and products: 1 slower, 1 faster"));
  CHECK_THAT(slower.text, ContainsSubstring("old.json: 1, only in") && ContainsSubstring("new.json: 1\n"));
  CHECK(compared(before, {row("portable", 8, 1.05)}, "--threshold 0.06").status == 0);
  CHECK(compared(before, {row("portable", 8, 0.5)}).status == 0);

  const Ran machine = compared(before, {row("portable", 8, 1), row("vendor", 8, 2)});
  CHECK(machine.status == 0);
  CHECK_THAT(machine.text, ContainsSubstring("1 slower of other libraries': the machine may have changed"));
}

TEST_CASE("compare ends with 1 where a kernel of ours became wrong", "[model]") {
  const Compared compared;
  json wrong = row("portable", 8, 1);
  wrong["status"] = "failed", wrong["reason"] = "wrong result";
  wrong.erase("seconds"), wrong.erase("gflops"), wrong.erase("intensity");
  const Ran ran = compared({row("portable", 8, 1)}, {wrong});
  CHECK(ran.status == 1);
  CHECK_THAT(ran.text,
             ContainsSubstring("WRONG NOW: the one, openmp, portable tiled 8x8x8, fp32 8x8x8 rrr: wrong"));
  wrong["path"] = "vendor";
  CHECK(compared({row("vendor", 8, 1)}, {wrong}).status == 0);
}

TEST_CASE("compare as JSON has every pair", "[model]") {
  const Compared compared;
  const Ran ran =
      compared({row("portable", 8, 1), row("portable", 16, 1)},
               {row("portable", 8, 1.25), row("portable", 16, 1), row("portable", 32, 1)}, "--json");
  CHECK(ran.status == 1);
  const json found = json::parse(ran.text);
  CHECK(found.at("counts") == json{{"slower", 1},
                                   {"ambiguous", 0},
                                   {"faster", 0},
                                   {"same", 1},
                                   {"wrong", 0},
                                   {"only_before", 0},
                                   {"only_after", 1}});
  REQUIRE(found.at("pairs").size() == 2);
  const json& pair = found.at("pairs").at(0);
  CHECK((pair.at("verdict") == "slower" && pair.at("product") == "8x8x8 rrr" &&
         pair.at("samples") == json{15, 15}));
  CHECK(std::abs(pair.at("change").get<double>() - 0.25) < 1e-12);
  CHECK(pair.at("probability") < 1e-6);
  CHECK(found.at("threshold") == 0.03);
}

TEST_CASE("compare says that samples are too few", "[model]") {
  const Compared compared;
  json few = row("portable", 8, 1), slow = row("portable", 8, 2);
  few["seconds"]["samples"] = {1, 1, 1}, slow["seconds"]["samples"] = {2, 2, 2};
  const Ran ran = compared({few}, {slow});
  CHECK(ran.status == 0);
  CHECK_THAT(ran.text, ContainsSubstring("1 ambiguous for want of samples: run both with more, such as"));
}

TEST_CASE("compare refuses what it cannot compare", "[model]") {
  const Compared compared;
  const auto refused = [&](const std::vector<json>& before, const std::vector<json>& after,
                           const std::string& options, const std::string& problem) {
    const Ran ran = compared(before, after, options);
    CHECK(ran.status == 2);
    CHECK_THAT(ran.text, ContainsSubstring(problem));
  };
  json bare = row("portable", 8, 1);
  bare["seconds"].erase("samples");
  refused({bare}, {row("portable", 8, 1)}, "", "no samples (");
  refused({row("portable", 8, 1)}, {row("portable", 9, 1)}, "", "nothing that both have a time of (");
  refused({row("portable", 8, 1)}, {row("portable", 8, 1)}, "--threshold -1",
          "--threshold: out of range (-1)");
  refused({row("portable", 8, 1)}, {row("portable", 8, 1)}, "--false-alarms 0",
          "--false-alarms: out of range (0)");
  CHECK(run_program("compare one").status == 2);
  const Ran none = run_program("compare /dev/null /dev/null");
  CHECK(none.status == 2);
  CHECK_THAT(none.text, ContainsSubstring("not a benchmark (/dev/null,"));
}

}  // namespace
