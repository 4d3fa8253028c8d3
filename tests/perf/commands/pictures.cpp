// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
//
// What `--plot` draws.
#include <filesystem>
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
using rooftile::testing::text_of;

/// A folder with a benchmark of three devices.
class Drawn : public ScratchFolder {
 public:
  std::string bench() const {
    const std::string file = *this / "bench.json";
    std::ofstream(file) << bench_json({bench_device("Z80", "openmp"), bench_device("NVIDIA H200", "cuda"),
                                       bench_device("AMD MI300X", "hip")},
                                      {bench_row("Z80", "openmp", "portable", "fp32", 64, 0),
                                       bench_row("NVIDIA H200", "cuda", "native", "fp32", 510, 99),
                                       bench_row("AMD MI300X", "hip", "portable", "fp32", 60, 77),
                                       bench_row("NVIDIA H200", "cuda", "native", "bf16", 90, 11)});
    return file;
  }
};

TEST_CASE("pictures hold the ceilings and the measured kernels", "[model]") {
  const Drawn folder;
  const std::string roof = folder / "roof.svg", sm = folder / "sm.svg";
  REQUIRE(run_program("roofline --points '" + folder.bench() + "' --plot '" + roof + "'").status == 0);
  for (const char* text : {"openmp memory, measured 80 GB/s", "cuda fp32, measured 500 GFLOP/s",
                           "ridge 6.25 FLOP/B", "native, cuda", "portable, hip",
                           "<title>native tiled 8x8x8, fp32 510x510x510 rrr: 99 GFLOP/s</title>",
                           "<title>portable tiled 8x8x8, fp32 60x60x60 rrr: 77 GFLOP/s</title>"}) {
    CHECK_THAT(text_of(roof), ContainsSubstring(text));
  }
  CHECK_THAT(text_of(roof), !ContainsSubstring("portable, openmp"));  // it did not run

  REQUIRE(run_program("occupancy --device A100 --threads 256 --regs 64 --plot '" + sm + "'").status == 0);
  for (const char* text :
       {"threads per block", "registers per thread", "shared KiB per block", "this launch"}) {
    CHECK_THAT(text_of(sm), ContainsSubstring(text));
  }
}

TEST_CASE("a device's picture has that device's points alone", "[model]") {
  const Drawn folder;
  const std::string roof = folder / "roof.svg",
                    points = " --points '" + folder.bench() + "' --plot '" + roof + "'";
  REQUIRE(run_program("roofline --device H200" + points).status == 0);
  CHECK_THAT(text_of(roof), ContainsSubstring(": 99 GFLOP/s") && ContainsSubstring("on H200"));
  CHECK_THAT(text_of(roof), !ContainsSubstring(": 77 GFLOP/s") && !ContainsSubstring("hip"));
  std::filesystem::remove(roof);
  const Ran other = run_program("roofline --device A100" + points);
  CHECK(other.status == 2);
  CHECK_THAT(other.text, ContainsSubstring("no measured fp32 kernel of A100 (--points " + folder.bench() +
                                           ", which has those of NVIDIA H200, AMD MI300X)"));
  CHECK_FALSE(std::filesystem::exists(roof));
  // Ceilings that are asked for are not left out because others are measured.
  CHECK_THAT(run_program("roofline --bandwidth-gbs 9" + points).text, ContainsSubstring("no peak"));
  CHECK_THAT(run_program("roofline --pipe tensor" + points).text, ContainsSubstring("no peak"));
}

TEST_CASE("a picture that cannot be written is refused before anything is drawn", "[model]") {
  const Drawn folder;
  std::filesystem::create_directory(folder / "x.svg");
  for (const std::string file : {"x.svg", "no/x.svg"}) {
    const Ran ran =
        run_program("occupancy --device A100 --threads 64 --plot '" + (folder / file).string() + "'");
    CHECK(ran.status == 2);
    CHECK_THAT(ran.text, ContainsSubstring("output cannot be written (--plot "));
  }
  CHECK(run_program("roofline --device A100 --plot /nowhere/x.svg").status == 2);
  CHECK_THAT(run_program("roofline --device A100 --plot x.png").text,
             ContainsSubstring("not a picture that is drawn here (--plot x.png): end the name in .svg"));
  CHECK_THAT(run_program("roofline --device A100 --json --plot x.svg").text,
             ContainsSubstring("--plot excludes --json"));
}

}  // namespace
