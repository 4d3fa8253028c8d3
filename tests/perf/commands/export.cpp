// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
//
// `rooftile export`: what other tools read.
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

class Exported : public ScratchFolder {
 public:
  Ran run(const std::string& options, const std::vector<json>& results) const {
    const std::string file = *this / "x.json";
    std::ofstream(file) << bench_json({bench_device("a, \"b\"", "cuda")}, results);
    return run_program("export " + options + " '" + file + "'");
  }
};

json timed() {
  return bench_row("a, \"b\"", "cuda", "native", "fp32", 64, 99);
}
json refused_one() {
  json r = bench_row("a, \"b\"", "cuda", "native", "fp64", 64, 0);
  r["reason"] = "too\nlarge";
  return r;
}

TEST_CASE("CSV has a line for each result, with texts quoted where they need it", "[model]") {
  const Exported folder;
  const Ran ran = folder.run("", {timed(), refused_one()});
  CHECK(ran.status == 0);
  CHECK(
      ran.text ==
      "device,backend,path,kernel,tile,automatic,dtype,math,m,n,k,batch,inner,pointers,layout,aligned,alpha,"
      "beta,seed,padding,offset,operands,calls,cold,ranks,grid,block,layers,"
      "status,seconds,seconds_min,seconds_max,samples,gflops,intensity,bound,roofline_fraction,vendor_ratio,"
      "peer_ratio,error_ratio,reason\n"
      "\"a, "
      "\"\"b\"\"\",cuda,native,tiled,8x8x8,false,fp32,fp32,64,64,64,1,,false,rrr,true,1,0,1,0,0,,,false,,,,,"
      "ok,2,1,3,3,99,10.666666666666666,,,,,0.1,\n"
      "\"a, "
      "\"\"b\"\"\",cuda,native,tiled,8x8x8,false,fp64,fp64,64,64,64,1,,false,rrr,true,1,0,1,0,0,,,false,,,,,"
      "unsupported,,,,,,,,,,,,\"too\nlarge\"\n");
}

TEST_CASE("Google Benchmark's tools find a repetition for each sample, and the median", "[model]") {
  const Exported folder;
  json failed = timed();
  failed["status"] = "failed", failed["reason"] = "wrong", failed["path"] = "vendor";
  failed.erase("seconds"), failed.erase("gflops"), failed.erase("intensity");
  const Ran ran = folder.run("--format google-benchmark", {timed(), refused_one(), failed});
  CHECK(ran.status == 0);
  const json found = json::parse(ran.text);
  CHECK(found.at("context").at("date") == "2026-11-21T06:00:00Z");
  const json& benchmarks = found.at("benchmarks");
  REQUIRE(benchmarks.size() == 5);
  const double nanoseconds[] = {2e9, 3e9, 1e9, 2e9};
  for (std::size_t i = 0; i < 4; ++i) {
    const json& b = benchmarks.at(i);
    CHECK(b.at("run_name") == "cuda/native/tiled/8x8x8/fp32/64x64x64/rrr");
    CHECK((b.at("real_time") == nanoseconds[i] && b.at("cpu_time") == nanoseconds[i] &&
           b.at("time_unit") == "ns"));
    CHECK(b.at("run_type") == (i < 3 ? "iteration" : "aggregate"));
    CHECK(b.at("GFLOP/s").get<double>() == 99 * 2e9 / nanoseconds[i]);
  }
  CHECK((benchmarks.at(2).at("repetition_index") == 2 && benchmarks.at(2).at("repetitions") == 3));
  CHECK(benchmarks.at(3).at("name") == "cuda/native/tiled/8x8x8/fp32/64x64x64/rrr_median");
  CHECK((benchmarks.at(4).at("error_occurred") == true && benchmarks.at(4).at("error_message") == "wrong"));
}

TEST_CASE("what cannot be exported is refused", "[model]") {
  const Exported folder;
  const Ran format = folder.run("--format xml", {timed()});
  CHECK(format.status == 2);
  CHECK_THAT(format.text, ContainsSubstring("--format: xml not in {csv,google-benchmark}"));
  CHECK(run_program("export").status == 2);
  CHECK_THAT(run_program("export /dev/null").text, ContainsSubstring("not a benchmark (/dev/null,"));
}

}  // namespace
