// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The program's output: the facts in its JSON, the examples and reports of ROOFTILE_DOCS, and refusals.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <utility>

#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "program.hpp"

namespace rooftile::testing {
namespace {

/// A number of the facts: its JSON pointer and value.
struct Number {
  const char* pointer;
  double value;
  double tolerance = 0;
};

/// A row of the facts and the command that prints it.
struct Fact {
  const char* row;
  std::string command;
  std::vector<Number> numbers;
};

const std::string a100 = "roofline --device A100 ";
const std::string a100_sm = "occupancy --device A100 --mode textbook ";
const std::string large_sm = "occupancy --max-threads 2048 --max-blocks 32 --max-regs 65536 --max-smem 96KB ";
const std::string small_sm = "occupancy --max-threads 1536 --max-blocks 8 --max-smem 16KB ";

const std::vector<Fact> facts = {
    {"§2 naive", a100 + "--m 64 --n 64 --k 64 --tile 16x16", {{"/kernels/0/intensity/requested", 0.25}}},
    {"§2 T×T tiles",
     a100 + "--m 64 --n 64 --k 64 --tile 16",
     {{"/kernels/0/intensity/requested", 4}, {"/kernels/0/requests", 2.0 * 64 * 64 * 64 / 16}}},
    {"§2 A100 × 0.25",
     a100 + "--intensity 0.25",
     {{"/attainable_gflops", 388.75}, {"/fraction_of_peak", 0.020, 0.0005}}},
    {"§2 A100 ridge", a100, {{"/ridge", 12.54, 0.005}, {"/ridge_flop_per_value", 50.2, 0.05}}},
    {"§2 8×8 matrix",
     a100 + "--m 8 --n 8 --k 8 --tile 4",
     {{"/kernels/0/phases", 2},
      {"/kernels/0/loads_per_element/a", 2},
      {"/kernels/0/loads_per_element/b", 2}}},
    {"§2 G80",
     "roofline --device G80",
     {{"/gvalues_per_second", 21.6, 1e-9}, {"/ceilings/peak_gflops", 367}}},
    {"§2 36 FLOP",
     "roofline --peak-gflops 300 --bandwidth-gbs 250 --flops 36 --bytes 28",
     {{"/intensity", 1.286, 0.0005}, {"/attainable_gflops", 300}, {"/bandwidth_allows_gflops", 321.4, 0.05}}},
    {"§2 24 B",
     "memory --blocks 8 --threads 128 --shared-values 129",
     {{"/shared_bytes_per_block", 516}, {"/copies/shared", 8}, {"/copies/automatic", 1024}}},
    {"§2 GK107", "devices GK107", {{"/devices/0/fma_peak_gflops", 812.5, 0.05}}},
    {"§3 A100", a100_sm + "--threads 256", {{"/full_occupancy/shared_bytes_per_thread", 82}}},
    {"§3 A100, 32 KB",
     a100_sm + "--threads 256 --smem 32KB",
     {{"/shared_bytes_per_thread", 128}, {"/blocks_per_sm", 5}, {"/threads", 1280}, {"/occupancy", 0.625}}},
    {"§3 34 regs",
     large_sm + "--threads 256 --regs 34",
     {{"/blocks_per_sm", 7}, {"/warps", 56}, {"/occupancy", 0.875}}},
    {"§3 5 KB", small_sm + "--threads 64 --keep 8", {{"/keep/shared_bytes_per_block", 2048}}},
    {"§3 1 KB + 1 KB",
     small_sm + "--threads 16x16 --smem 2KB",
     {{"/blocks_per_sm", 6}, {"/shared_bytes_per_sm", 12 * 1024}}},
    {"§3 32×64",
     "occupancy --max-threads 2048 --max-blocks 64 --assigned 32 --threads 64",
     {{"/occupancy", 1}}},
    {"§3 Fermi, 16 KB",
     "occupancy --device Fermi --mode textbook --max-smem 16KB --threads 256 --smem 8KB",
     {{"/occupancy", 0.3333, 5e-5}}},
    {"§3 GTX 580",
     "occupancy --device 'GTX 580' --mode textbook --threads 100 --regs 48 --grid 4x5x3",
     {{"/registers_per_block", 4800},
      {"/grid/blocks", 60},
      {"/grid/busiest_sms", 12},
      {"/grid/max_blocks_per_sm", 4},
      {"/grid/warps_per_block", 4},
      {"/grid/threads_in_last_warp", 4}}},
    {"§4 100×100",
     "divergence --m 100 --n 100 --k 100 --tile 16",
     {{"/warps_per_block", 8},
      {"/phases", 7},
      {"/blocks", 49},
      {"/warp_phases", 2744},
      {"/divergent/b", 350},
      {"/edge/b/divergent", 350},
      {"/edge/b/warp_phases", 392},
      {"/edge/b/fraction", 0.893, 0.0005},
      {"/fractions/b", 0.1276, 0.00005}}},
    {"§4 vector", "divergence --vector 2000 --block 512", {{"/threads", 2048}, {"/divergent", 1}}},
    {"§4 threadIdx.x > 2",
     "divergence --above 2 --block 256",
     {{"/divergent", 1}, {"/lost_issue_slots", 0.5}}},
    {"§4 threadIdx.x / 32 > 2", "divergence --above 2 --per 32 --block 256", {{"/divergent", 0}}},
    {"§4 200 cycles", "latency --cycles 200 --issue 4 --per-access 4", {{"/exact", 12.5}, {"/warps", 13}}},
    {"§5 bus",
     "memory --bus-bits 64 --clock-ghz 1 --wanted-gbs 32",
     {{"/channel_gbs", 16}, {"/channels", 2}}},
    {"§5 constant memory", "memory", {{"/constant_memory_bytes", 64 * 1024}}},
};

/// Checks every member of the JSON. tests/rooftile/model checks that the model computes these numbers.
TEST_CASE("the program's JSON carries the numbers of the facts", "[model][facts]") {
  for (const Fact& fact : facts) {
    CAPTURE(fact.row, fact.command);
    const Ran ran = run_program(fact.command + " --json");
    REQUIRE(ran.status == 0);
    const json answer = json::parse(ran.text);
    for (const Number& number : fact.numbers) {
      CAPTURE(number.pointer);
      const json value = answer.at(json::json_pointer(number.pointer));
      REQUIRE_THAT(value.get<double>(), Catch::Matchers::WithinAbs(number.value, number.tolerance));
    }
  }
}

TEST_CASE("the program's JSON names bounds, limiters and kinds of variables", "[model][facts]") {
  const auto answer = [](const std::string& command) {
    return json::parse(run_program(command + " --json").text);
  };
  REQUIRE(answer(a100 + "--intensity 0.25")["bound"] == "memory");
  REQUIRE(answer("roofline --peak-gflops 300 --bandwidth-gbs 250 --flops 36 --bytes 28")["bound"] ==
          "compute");
  REQUIRE(answer(large_sm + "--threads 64 --regs 27 --smem 4KB")["limiters"] == json{"shared_memory"});
  REQUIRE(answer(large_sm + "--threads 32 --regs 29")["limiters"] == json{"blocks"});
  REQUIRE(
      answer("memory")["variables"][2] ==
      json{{"declaration", "__shared__"}, {"memory", "shared"}, {"scope", "block"}, {"lifetime", "grid"}});
}

TEST_CASE("a launch that cannot run is an answer, not an error", "[model]") {
  const Ran ran = run_program("occupancy --device H200 --threads 1024 --regs 128 --json");
  REQUIRE(ran.status == 0);
  const json answer = json::parse(ran.text);
  REQUIRE((answer["blocks_per_sm"] == 0 && answer["limiters"] == json{"registers"}));
}

TEST_CASE("the ceilings of this machine can be measured", "[model]") {
  const Ran ran = run_program("roofline --measure openmp --intensity 0.25 --json");
  if (ran.text.find("no such device here") != std::string::npos) SKIP(ran.text);
  REQUIRE(ran.status == 0);
  const json measured = json::parse(ran.text);
  REQUIRE(measured.at("attainable_gflops") > 0.0);
  CHECK(measured.at("ceilings").at("l1_gbs") > measured.at("ceilings").at("dram_gbs"));
  CHECK_THAT(run_program("roofline --measure openmp --dtype tf32 --pipe tensor").text,
             ContainsSubstring("no peak (--dtype tf32 --pipe tensor on "));
  REQUIRE(run_program("roofline --measure abacus").status == 2);
}

TEST_CASE("docs/model.md shows what the program prints", "[model]") {
  std::ifstream file(ROOFTILE_DOCS "/model.md");
  REQUIRE(file);
  const std::string prompt = "$ rooftile ", fence = "```";
  int examples = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(prompt, 0) != 0) continue;
    const std::string arguments = line.substr(prompt.size());
    std::string shown;
    while (std::getline(file, line) && line != fence) shown += line + '\n';
    CAPTURE(arguments);
    REQUIRE(run_program(arguments).text == shown);
    ++examples;
  }
  REQUIRE(examples > 10);
}

void refuses(const std::vector<std::pair<std::string, std::string>>& all) {
  for (const auto& [command, text] : all)
    CHECK(refused(command, text).text.size() < 400);  // no message with hundreds of digits
}

TEST_CASE("a bad value of an option is refused and named", "[model]") {
  const std::string product = "--m 64 --n 64 --k 64 ", sm = "occupancy --device A100 --threads 64 ",
                    a100_tile = "roofline --device A100 " + product + "--tile ";
  refuses({
      {"occupancy --device GT200 --threads 32x32", "--threads 1024 > 512"},
      {"occupancy --device H200 --threads 256 --smem 300KB", "--smem"},
      {"occupancy --device H200 --threads 0", "--threads"},
      {sm + "--regs -1", "--regs"},
      {sm + "--carveout 101", "--carveout"},
      {sm + "--mode exact", "--mode"},
      {sm + "--smem KB", "--smem: not a number of bytes (KB): give 0 to 2147483647, such as 4096 or 4KB"},
      {sm + "--smem 99999999GB", "--smem: out of range (99999999GB)"},
      {sm + "--grid 4x", "not a count (--grid 4x): write 256 or 16x16"},
      {"occupancy --device CPU --threads 32", "--device"},
      {"occupancy --device 'RTX 3080' --threads 32", "RTX 3070"},
      {"occupancy --max-threads 0 --threads 32", "--max-threads"},
      {"occupancy --max-threads 2147483647 --threads 1",
       "--max-threads: out of range (2147483647): give 1 to 1048576"},
      {"occupancy --max-threads 2048 --max-blocks -1 --threads 32", "--max-blocks"},
      {"occupancy --max-threads 2048 --max-regs 1e99 --threads 32", "--max-regs"},
      {"occupancy --max-threads 64 --max-smem 1GB --threads 1 --sweep smem --step 1",
       "sweep too long (1073741824 rows"},
      {"roofline --device T4 --dtype bf16", "--dtype"},
      {"roofline --device A100 --intensity x", "--intensity: not a number (x): give a positive number"},
      {"roofline --device A100 --intensity inf", "--intensity: out of range (inf)"},
      {a100_tile + "16x16x16garbage", "not a tile (--tile 16x16x16garbage"},
      {a100_tile + "16 --thread-tile 2x2x2", "not a thread's tile (--thread-tile 2x2x2)"},
      {"divergence --m 64x --n 64 --k 64", "--m: not a whole number (64x): give 1 to 2147483647"},
      {"divergence --m 0 --n 64 --k 64", "--m: out of range (0): give 1 to 2147483647"},
      {"divergence --m 20000000 --n 20000000 --k 20000000 --tile 1", "(20000000x20000000x20000000)"},
      {"latency --cycles 1e30", "count too large (6.25e+28 from 1e+30 cycles of latency"},
      {"latency --cycles 1e300", "--cycles: out of range (1e300)"},
      {"latency --ns 10 --bandwidth-gbs 10 --access-bytes 1e-300", "--access-bytes: out of range (1e-300)"},
      {"latency --ns 10 --bandwidth-gbs 10 --access-bytes 1e-99", "1e-99 bytes of a thread"},
      {"memory --bus-bits 64 --clock-ghz 1 --wanted-gbs 1e99", "1e+99 GB/s wanted"},
      {"memory --lookup-ns 1e90 --transfer-ns 1", "1e+90 ns of lookup"},
      {"explain " + product + "--regs 2147483647",
       "too many registers (--regs 2147483647, a thread of H200 has 256)"},
      {"explain " + product + "--device G80 --math fp64", "no peak rate is known (--device G80 --math fp64)"},
      {"explain " + product + "--ranks 4 --link 0", "--link: out of range (0): give 1e-06 to 1e+06"},
      {"bench --reference nan", "--reference: not a number (nan): give 1 to 1e+18"},
      {"bench --seed -1", "--seed: out of range (-1): give 0 to 18446744073709551615"},
      {"bench --samples 99999999999999999999",
       "--samples: out of range (99999999999999999999): give 1 to 100000"},
      {"bench --alpha nan", "--alpha: not a number (nan): give a finite number"},
      {"bench --batch 0", "--batch: out of range (0): give 1 to 1000000"},
      {"calibrate --table x --products 3", "--products: out of range (3): give 10 to 100000"},
      {"tune --table x --margin -1", "--margin: out of range (-1): give 0 to 10"},
  });
  // 20,000,000³ in tiles of 16 has 2·10¹⁹ warp-phases.
  CHECK(run_program("divergence --m 20000000 --n 20000000 --k 20000000").status == 2);
  const Ran ten = run_program("divergence --m 010 --n 10 --k 10 --json");
  CHECK(ten.text == run_program("divergence --m 10 --n 10 --k 10 --json").text);
}

TEST_CASE("an option without the one that it modifies is refused", "[model]") {
  const std::string sm = "occupancy --device A100 --threads 64 ";
  refuses({
      {"occupancy --max-threads 2048 --mode hardware --threads 32", "--mode"},
      {"occupancy --threads 32", "--device"},
      {"roofline --intensity 1", "--peak-gflops"},
      {"divergence --m 100", "--n"},
      {"memory --bus-bits 64", "--clock-ghz"},
      {sm + "--sms 4", "--sms requires --grid"},
      {sm + "--step 2KB", "--step requires --sweep"},
      {sm + "--step 2KB --sweep regs", "step without a sweep of shared memory (--step 2048)"},
      {sm + "--mode textbook --barriers 2",
       "textbook mode has no barriers or carve-out (--barriers 2, --carveout 100)"},
      {sm + "--mode textbook --carveout 50",
       "textbook mode has no barriers or carve-out (--barriers 1, --carveout 50)"},
      {"memory --value-bytes 8", "--value-bytes requires --shared-values"},
      {"memory --transfers 4", "--transfers requires --bus-bits"},
      {"memory --lanes 16", "--lanes requires --stride"},
      {"memory --banks 16", "--banks requires --stride"},
      {"latency --ns 4 --bandwidth-gbs 1 --issue 2", "--issue requires --cycles"},
      {"latency --ns 4 --bandwidth-gbs 1 --per-access 2", "--per-access requires --cycles"},
      {"latency --cycles 4 --device A100", "--device requires --ns"},
      {"latency --cycles 4 --bandwidth-gbs 4", "--bandwidth-gbs requires --ns"},
      {"latency --cycles 4 --access-bytes 4", "--access-bytes requires --ns"},
      {"latency --cycles 4 --accesses 4", "--accesses requires --ns"},
      {"divergence --m 4 --n 4 --k 4 --block 64", "block without a vector or a branch (--block)"},
      {"divergence --vector 4 --tile 8", "--tile requires --m"},
      {"divergence --n 4", "--n requires --m"},
      {"explain --m 8 --n 8 --k 8 --device A100 --kernel naive --tuning x",
       "nothing here uses a tuning table (--tuning x)"},
  });
}

TEST_CASE("an empty value of an option or an argument is refused", "[model]") {
  refuses({
      {"report --html '' run.json", "--html: empty"},
      {"explain --m 8 --n 8 --k 8 --measured ''", "--measured: empty"},
      {"explain --m 8 --n 8 --k 8 --tuning ''", "--tuning: empty"},
      {"bench --json ''", "--json: empty"},
      {"bench --kernel ''", "--kernel: empty"},
      {"bench --samples ''", "--samples: empty"},
      {"tune --table ''", "--table: empty"},
      {"occupancy --device '' --threads 64", "--device: empty"},
      {"devices ''", "NAME: empty"},
      {"portability ''", "FILE: empty"},
  });
}

TEST_CASE("a refused mode recommends only kernels that the device has", "[model]") {
  const Ran ran = run_program("bench --dtype fp64 --math tf32");  // no such kernel on any machine
  CHECK(ran.status == 2);
  const std::string host = "portable on openmp (";
  const std::size_t begin = ran.text.find(host);
  if (begin == ran.text.npos) SKIP("no portable path on OpenMP");
  const std::string kernels = ran.text.substr(begin, ran.text.find(')', begin) - begin);
  CHECK_THAT(kernels, ContainsSubstring("packed") && ContainsSubstring("tiled_checked"));
  CHECK_THAT(kernels, !ContainsSubstring("pipelined") && !ContainsSubstring("single_block"));
}

}  // namespace
}  // namespace rooftile::testing
