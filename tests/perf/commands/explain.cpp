// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// `rooftile explain`: the choice, the prediction, and the comparison with a measurement.
#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "program.hpp"

namespace rooftile::testing {
namespace {

using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using Catch::Matchers::WithinRel;

json explained(const std::string& arguments) {
  const Ran ran = run_program("explain --json " + arguments);
  INFO(ran.text);
  REQUIRE(ran.status == 0);
  return json::parse(ran.text);
}

json kernel(const json& explanation, const std::string& name, const std::string& tile) {
  for (const json& k : explanation.at("kernels")) {
    if (k.at("kernel") == name && k.at("tile") == tile) return k;
  }
  FAIL("no " << name << ' ' << tile);
  return {};
}

TEST_CASE("explain tells the choice and the prediction", "[model]") {
  const json whole = explained("--m 4096 --n 4096 --k 4096 --device A100");
  const json tiled = kernel(whole, "tiled", "16x16x16");
  CHECK(tiled.at("phases") == 256);
  CHECK_THAT(tiled.at("request_intensity").get<double>(), WithinRel(4.0, 1e-12));
  CHECK(tiled.at("occupancy") == 1.0);
  CHECK(tiled.at("divergence") == 0.0);
  CHECK(kernel(whole, "single_block", "1024x1024").contains("reason"));

  // facts.md §4: with 100×100 and tiles of 16, 350 of 2,744 warp-phases diverge for B, and none for A inside.
  const json ragged = explained("--m 100 --n 100 --k 100 --device A100");
  CHECK(ragged.at("choice").at("kernel") == "pipelined");
  CHECK(ragged.at("choice").at("why").get<std::string>().find("busiest") != std::string::npos);
  CHECK(kernel(ragged, "tiled_checked", "16x16x16").at("divergence") > 0.1);
  CHECK(kernel(ragged, "tiled", "16x16x16").contains("reason"));
}

/// The non-empty lines that `explain` prints.
std::vector<std::string> lines_of(const std::string& arguments) {
  const Ran ran = run_program("explain " + arguments);
  INFO(ran.text);
  REQUIRE(ran.status == 0);
  std::vector<std::string> lines;
  std::istringstream text(ran.text);
  for (std::string line; std::getline(text, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

TEST_CASE("explain prints the plan, the closest others, and the five best candidates", "[model]") {
  const std::string large = "--m 4096 --n 4096 --k 4096 --device H200 ";
  const std::vector<std::string> lines = lines_of("--m 2048 --n 2048 --k 2048 --device H200");
  REQUIRE(lines.size() == 11);
  CHECK(lines[0] == "fp32 2048x2048x2048 on H200, native path");
  CHECK_THAT(lines[1],
             StartsWith("gemm takes pipelined+repack 128x128x16: repack A, multiply; 16777216 bytes"));
  CHECK_THAT(lines[2],
             ContainsSubstring("0.257 ms at least, bound by compute (vector); chosen by the model"));
  CHECK_THAT(lines[3], StartsWith("closest: ") && ContainsSubstring(" ms; costs: sm_90, NVIDIA H200"));
  CHECK_THAT(lines[4], StartsWith("kernel ") && EndsWith("expected  at least  bound by"));
  CHECK_THAT(lines[5], StartsWith("pipelined+repack  128x128x16 "));
  for (std::size_t i = 6; i < 10; ++i) CHECK_THAT(lines[i], !StartsWith("naive") && !StartsWith("tiled"));
  CHECK_THAT(lines[10], StartsWith("5 of ") && ContainsSubstring("--all"));
  // A mode with one kernel has fewer than five candidates. An architecture without measurements is marked.
  CHECK_THAT(lines_of(large + "--math fp16")[5], StartsWith("warpgroup "));
  CHECK_THAT(lines_of(large + "--math tf32x3").at(7), StartsWith("2 of 2 candidates, "));
  CHECK_THAT(lines_of("--m 4096 --n 4096 --k 4096 --device A100")[3],
             EndsWith("run rooftile calibrate on it"));
  CHECK_THAT(lines_of(large + "--kernel naive")[2], ContainsSubstring("(l1); named by the caller"));
}

TEST_CASE("explain takes no candidate whose workspace is not allowed", "[model]") {
  const std::string product = "--m 64 --n 64 --k 65536 --device H200 ";
  CHECK_THAT(lines_of(product)[5], StartsWith("stream_k "));
  for (const std::string& line : lines_of(product + "--workspace 0"))
    CHECK_THAT(line, !StartsWith("stream_k") && !StartsWith("pipelined+repack"));
  const auto bytes = explained(product).at("choice").at("workspace_bytes").get<long>();
  const json less = explained(product + "--workspace " + std::to_string(bytes - 1)).at("choice");
  CHECK(less.at("workspace_bytes") < bytes);
  // Both operands already have the layout for vector copies, so no repacked candidate is listed.
  for (const std::string& line : lines_of(product + "--layout crr"))
    CHECK_THAT(line, !StartsWith("pipelined+repack"));
}

TEST_CASE("explain --all prints every candidate, and each refusal once", "[model]") {
  for (const std::string arguments : {"--m 100 --n 100 --k 100 --device A100 --regs 255",
                                      "--m 640 --n 640 --k 640 --device V100 --math fp64"}) {
    CAPTURE(arguments);
    const std::vector<std::string> lines = lines_of(arguments + std::string(" --all"));
    const auto refusals = std::find(lines.begin(), lines.end(), "Not for this product:");
    REQUIRE((refusals != lines.end() && (lines.end() - refusals) % 2 == 1));
    std::map<std::string, std::string> refused;  // kernels by refusal
    for (auto line = refusals + 1; line < lines.end(); line += 2)
      CHECK(refused.emplace(*line, line[1]).second);
    const json found = explained(arguments);
    auto candidate = lines.begin() + 5;
    for (const json& k : found.at("kernels")) {
      const auto name = k.at("kernel").get<std::string>(), tile = k.at("tile").get<std::string>();
      CAPTURE(name, tile);
      if (!k.contains("reason")) {
        REQUIRE(candidate < refusals);
        CHECK_THAT(*candidate++, StartsWith(name + ' ') && ContainsSubstring(' ' + tile + ' '));
        continue;
      }
      const auto start = k.at("reason").get<std::string>().substr(0, 20);
      CHECK(std::any_of(refused.begin(), refused.end(), [&](const auto& r) {
        return r.first.starts_with(start) && r.second.find(' ' + name + ' ') != std::string::npos &&
               (r.second + ' ').find(' ' + tile) != std::string::npos;
      }));
    }
    CHECK(bool(candidate == refusals));
  }
  CHECK_THAT(run_program("explain --m 100 --n 100 --k 100 --device A100 --all").text,
             ContainsSubstring("(m 100, n 100, k 100 by ...)") &&
                 ContainsSubstring("\n  tiled 8x8x8 16x16x16 32x32x32\n"));
}

TEST_CASE("explain --ranks names a grid, bytes, bound and efficiency", "[model]") {
  const std::string product = "--m 131072 --n 131072 --k 131072 --math fp64 --device H200 --ranks 1024 ";
  const json whole = explained(product);
  CHECK(whole.at("grid").at(2) > 1);
  const json flat = explained(product + "--grid 32x32");
  CHECK(flat.at("grid") == json({32, 32, 1}));
  CHECK_THAT(flat.at("bytes").get<double>(), WithinRel(8.0 * 131072 * 4096 * 2 * 31 / 32, 1e-12));
  CHECK(flat.at("bound") == "transfer");
  CHECK(whole.at("seconds") < flat.at("seconds"));
  const json tall = explained(product + "--grid 64x16 --link 100 --latency 0");
  CHECK(tall.at("grid") == json({64, 16, 1}));
  CHECK(tall.at("efficiency") > flat.at("efficiency"));
  const Ran text = run_program("explain " + product + "--grid 32x32x1");
  CHECK_THAT(text.text, ContainsSubstring("grid        32x32x1, 128 panels of at most 1024 along K") &&
                            ContainsSubstring("bound by transfer"));
  CHECK(run_program("explain " + product + "--grid 33x32").status != 0);
  refused("explain " + product + "--grid 2", "--grid 2): give auto");
  refused("explain " + product + "--grid 2x2x", "--grid 2x2x): give");
  CHECK(run_program("explain " + product + "--batch 2").status != 0);
}

TEST_CASE("explain has the traffic, occupancy and workspace of a blocked kernel", "[model]") {
  const std::string large = "--m 4096 --n 4096 --k 4096 --device A100 ";
  const json repacked = explained(large + "--kernel pipelined+repack").at("choice");
  CHECK(repacked.at("steps") == json{"repack A", "multiply"});  // A is contiguous along K
  CHECK(repacked.at("workspace_bytes") == 4096 * 4096 * 4);
  const json blocked = kernel(explained(large), "pipelined", "128x128x16");
  CHECK_THAT(blocked.at("request_intensity").get<double>(), WithinRel(32.0, 1e-12));  // of the block
  CHECK(blocked.at("occupancy") == 512.0 / 2048);  // two blocks of 256 threads with 128 registers and 66 KiB
  CHECK(blocked.at("limiters") == json::array({"registers", "shared_memory"}));
  // One panel per operand and few registers: the number of threads is the limit.
  CHECK(kernel(explained(large + "--regs 32"), "register_blocked", "128x128x8").at("occupancy") == 1.0);
  const json no_tile =
      kernel(explained("--m 64 --n 64 --k 64 --device A100 --math fp64"), "pipelined", "128x256x8");
  CHECK(no_tile.at("reason").get<std::string>().starts_with("tile not built for fp64 on the native path"));
}

TEST_CASE("explain knows each device's instructions", "[model]") {
  const std::string large = "--m 2048 --n 2048 --k 2048 ", portable = large + "--path portable --math ";
  for (const auto& [arguments, chosen] :
       {std::pair{large + "--math fp64 --device V100", "pipelined"},
        {portable + "fp64 --device H200", "tensor_core"},
        {portable + "fp64 --device MI300X", "tensor_core"},
        {portable + "fp64 --device MI355X", "pipelined"},
        {"--m 4095 --n 4097 --k 4093 --path portable --math tf32 --device A100 --layout rcr",
         "tensor_core+repack"},
        {portable + "bf16 --device H200", "warpgroup"}}) {
    CAPTURE(arguments);
    CHECK(explained(arguments).at("choice").at("kernel") == chosen);
  }
}

TEST_CASE("explain tells how fp64 comes from products of int8, and why it does not", "[model]") {
  const std::string cube = "--m 8192 --n 8192 --k 8192 --device H200 --math ";
  for (const std::string math : {"fp64", "cfp64"}) {
    const json choice = explained(cube + math + "_int8").at("choice");
    CHECK((choice.at("kernel") == "warpgroup_int8" && choice.at("math") == math + "_int8"));
    CHECK(choice.at("steps").at(1).get<std::string>().starts_with("multiply in INT8 modulo 13 to 16"));
    CHECK(choice.at("seconds") < explained(cube + math).at("choice").at("seconds"));
  }
  const std::string large = cube + "fp64_int8 ";
  CHECK(explained(large).at("choice").at("workspace_bytes") > std::size_t{16} * 8192 * (8192 + 4096 + 4096));
  CHECK_THAT(run_program("explain " + large).text,
             ContainsSubstring("8192x4096 elements per chunk, or, where the guard fails, multiply in fp64 by "
                               "tensor_core "));
  const json less = explained(large + "--workspace 1000").at("choice");
  CHECK((less.at("math") == "fp64" && less.at("workspace_bytes") == 0));
  CHECK(explained("--m 64 --n 64 --k 64 --math fp64_int8 --device H200").at("choice").at("math") == "fp64");
  CHECK_THAT(run_program("explain " + large + "--path portable").text,
             ContainsSubstring("no kernel computes in fp64_int8 here (portable path)"));
}

TEST_CASE("explain counts C of mixed types by its own elements", "[model]") {
  const std::string product = "--m 1024 --n 2048 --k 512 --device H200 --layout rcr --math ";
  const auto dram_bytes = [&](const std::string& mode) {
    const json result = explained(product + mode);
    CHECK(result.at("choice").at("kernel") == "warpgroup");
    return kernel(result, "warpgroup", "128x128x32").at("bytes").at("dram").get<double>();
  };
  constexpr double elements_of_c = 1024.0 * 2048;
  CHECK(dram_bytes("fp8_fp32") - dram_bytes("fp8_bf16") == 2 * elements_of_c);
  CHECK(dram_bytes("bf16_fp32") - dram_bytes("bf16") == 2 * elements_of_c);
}

TEST_CASE("explain takes the scales of 8-bit floats", "[model]") {
  const std::string product = "explain --m 256 --n 384 --k 512 --device H200 --math ";
  for (const std::string scales : {"none", "one", "lines", "blocks"}) {
    for (const std::string layout : {"rrr", "rcc"})
      CHECK(run_program(product + "fp8_bf16 --layout " + layout + " --scales " + scales).status == 0);
  }
  refused(product + "bf16 --scales one", "--scales one --math bf16): add --math fp8_bf16");
  refused(product + "fp8_bf16 --ranks 4", "--ranks 4 --math fp8_bf16): take a mode of one type");
}

TEST_CASE("explain sets a measurement of the device beside its prediction", "[model]") {
  const ScratchFolder folder;
  const std::string file = folder / "bench.json";
  const auto on = [](const std::string& device, double gflops) {
    return bench_row(device, "cuda", "native", "fp32", 64, gflops);
  };
  json batch = on("NVIDIA H200", 456.5), transposed = on("NVIDIA H200", 7.5), added = on("NVIDIA H200", 8.5);
  batch["batch"] = 9, transposed["layout"] = "crr", added["beta"] = 1.0;
  json naive = bench_row("NVIDIA H200", "cuda", "portable", "fp32", 64, 1);
  naive["kernel"] = "naive", naive["tile"] = "16x16";
  std::ofstream(file) << bench_json(
      {bench_device("NVIDIA A100-SXM4-80GB", "cuda"), bench_device("NVIDIA H200", "cuda")},
      {on("NVIDIA A100-SXM4-80GB", 88.5), added, transposed, on("NVIDIA H200", 123.5), batch, naive});
  const std::string measured = " --measured '" + file + "'", product = "--m 64 --n 64 --k 64 ";
  const auto gflops = [&](const std::string& options) {
    return kernel(explained(product + options + measured), "tiled", "8x8x8")
        .at("measured_gflops")
        .get<double>();
  };
  CHECK(gflops("") == 123.5);
  CHECK(gflops("--device A100") == 88.5);
  CHECK(gflops("--batch 9") == 456.5);
  CHECK(gflops("--layout crr") == 7.5);
  CHECK_FALSE(kernel(explained(product + measured), "naive", "16x16").contains("measured_gflops"));
  CHECK_THAT(lines_of(product + measured)[4], EndsWith("  measured  of the bound"));
  CHECK_THAT(run_program("explain --all " + product + measured).text, ContainsSubstring("  123.5 GFLOP/s  "));

  refused("explain " + product + "--device V100" + measured,
          "no measurement of this product on V100 (--measured " + file +
              ", fp32 64x64x64 rrr on the native path, measured on NVIDIA A100-SXM4-80GB, NVIDIA H200)");
  CHECK(run_program("explain --m 65 --n 64 --k 64" + measured).status == 2);
}

TEST_CASE("explain sets hardware counters beside the model", "[model]") {
  const ScratchFolder folder;
  const std::string file = folder / "bench.json", product = "--m 64 --n 64 --k 64 --device H200 ";
  json row = bench_row("NVIDIA H200", "cuda", "native", "fp32", 64, 123);
  row["counters"] = {{{"tag", "flops_fp32"}, {"value", 2.0 * 64 * 64 * 64 * 1.5}, {"unit", ""}},
                     {{"tag", "dram_bytes"}, {"value", 3 * 64 * 64 * 4 * 2}, {"unit", "B"}}};
  std::ofstream(file) << bench_json({bench_device("NVIDIA H200", "cuda")}, {row});
  const std::string measured = "--measured '" + file + "' ";
  const json tiled = kernel(explained(product + measured + "--counters"), "tiled", "8x8x8");
  REQUIRE(tiled.at("counted").size() == 2);
  CHECK(tiled.at("counted")[0] == json{{"of", "operations"},
                                       {"unit", "FLOP"},
                                       {"model", 524288.0},
                                       {"counter", 786432.0},
                                       {"difference", 0.5}});
  CHECK((tiled.at("counted")[1].at("of") == "DRAM" && tiled.at("counted")[1].at("difference") == 1.0));
  CHECK_FALSE(kernel(explained(product + measured), "tiled", "8x8x8").contains("counted"));
  CHECK_THAT(run_program("explain " + product + measured + "--counters").text,
             ContainsSubstring("One call, by the model and by the hardware's counters:") &&
                 ContainsSubstring("+50.00 %"));
}

TEST_CASE("explain says why nothing was counted, and goes on with the model", "[model]") {
  const ScratchFolder folder;
  const std::string file = folder / "bench.json", product = "--m 64 --n 64 --k 64 --counters ";
  std::ofstream(file) << bench_json({bench_device("NVIDIA H200", "cuda")},
                                    {bench_row("NVIDIA H200", "cuda", "native", "fp32", 64, 123)});
  for (const auto& [options, why] :
       {std::pair{"--device H200 --measured '" + file + "'",
                  "the file has no counters of this product (--measured " + file},
        {"--device MI250X --path portable", "there is no MI250X here (but "}}) {
    const json found = explained(product + options);
    CHECK_THAT(found.at("not_counted").get<std::string>(), ContainsSubstring(why));
    CHECK(found.at("kernels").size() > 3);
    CHECK_THAT(run_program("explain " + product + options).text, ContainsSubstring("\nNot counted: " + why));
  }
}

TEST_CASE("explain refuses a kernel whose block does not fit an SM", "[model]") {
  const json found = explained("--m 64 --n 64 --k 64 --regs 255 --kernel automatic");
  CHECK_THAT(kernel(found, "naive", "32x32").at("reason").get<std::string>(),
             ContainsSubstring("no block fits an SM (1024 threads of 255 registers"));
  CHECK(kernel(found, "naive", "8x32").at("occupancy") > 0.1);
}

TEST_CASE("explain asks a tuning table of the device", "[model]") {
  const ScratchFolder folder;
  const std::string file = folder / "tuning";
  std::ofstream(file) << "rooftile tuning 3\ndevice NVIDIA H200\n"
                         "native fp32 640x640x640 rrr aligned tiled 32x32x32 900 1000\nend\n";
  const std::string tuning = " --device H200 --tuning '" + file + "'";
  const json found = explained("--m 640 --n 640 --k 640" + tuning);
  CHECK(found.at("choice").at("kernel") == "tiled");
  CHECK(found.at("choice").at("why") == "measured: the fastest on this device");
  CHECK(kernel(found, "tiled", "32x32x32").at("chosen") == true);
  CHECK_THAT(run_program("explain --m 640 --n 640 --k 640" + tuning).text,
             ContainsSubstring("; chosen by the tuning table: measured: the fastest on this device\n"));
  CHECK(explained("--m 64 --n 640 --k 640" + tuning).at("choice").at("kernel") != "tiled");
  refused("explain --m 640 --n 640 --k 640 --device A100 --tuning '" + file + "'",
          "tuning table of another device (NVIDIA H200, here is A100)");
}

TEST_CASE("explain takes extents of 64 bits, as the library does", "[model]") {
  for (const std::string extents :
       {"--m 3000000000 --n 64 --k 64", "--m 64 --n 3000000000 --k 64", "--m 64 --n 64 --k 3000000000"}) {
    for (const std::string path : {"native", "portable"}) {
      INFO(extents + ' ' + path);
      // Each operand moves once: one has 64·64 elements, and the others have 64·3·10⁹.
      const json found = explained("--path " + path + ' ' + extents);
      int explained_kernels = 0;
      for (const json& kernel : found.at("kernels")) {
        if (!kernel.contains("bytes")) continue;
        ++explained_kernels;
        CHECK(kernel.at("bytes").at("dram") == 4.0 * (2 * 64 * 3e9 + 64 * 64));
      }
      CHECK(explained_kernels > 0);
    }
  }
  refused("explain --m 9223372036854775808 --n 8 --k 8", "--m: out of range (9223372036854775808)");
  refused("explain --m 4000000000 --n 4000000000 --k 1", "operand too large (--m 4000000000 --n 4000000000");
  refused("explain --m 9223372036854775807 --n 1 --k 1", "operand too large (");
  refused("explain --m 3000000000 --n 64 --k 64 --ranks 4", "and at most 2147483647 as an extent");
}

TEST_CASE("explain refuses a command that it cannot explain", "[model]") {
  const std::string product = "explain --m 64 --n 64 --k 64 ";
  for (const auto& [command, text] :
       {std::pair{std::string("explain --m 64 --n 64"), "--k"},
        {"explain --m 0 --n 64 --k 64", "--m"},
        {product + "--kernel tilled", "tilled"},
        {"explain --m 100 --n 64 --k 64 --kernel tiled", "tile does not divide"},
        {product + "--device A100 --path portable --math tf32x3",
         "no kernel computes in tf32x3 here (portable"},
        {product + "--dtype fp9", "fp9"},
        {product + "--device MI300X", "no native path"},
        {product + "--device H20", "H200"},
        {product + "--measured /nowhere/bench.json",
         "cannot read (--measured /nowhere/bench.json, No such file"},
        {product + "--tuning /", "cannot read (/, Is a directory)"}})
    refused(command, text);
}

}  // namespace
}  // namespace rooftile::testing
