// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Files that `rooftile report` reads, merges and writes.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "reported.hpp"

namespace rooftile::testing {
namespace {

TEST_CASE("files merge into a machine where its hardware is known and equal", "[model]") {
  const Reported folder;
  const auto file = [&](const std::string& name, const json& hardware) {
    json device = bench_device("AMD EPYC", "openmp");
    device.update(hardware);
    return folder.add(name,
                      bench_json({device}, {bench_row("AMD EPYC", "openmp", "portable", "fp32", 64, 9)}));
  };
  const json zen = {{"family", 25}, {"model", 17}};
  const std::string zen4 = file("1.json", zen), again = file("2.json", zen),
                    zen5 = file("3.json", {{"family", 26}, {"model", 0}}),
                    before = file("4.json", json::object()), also_before = file("5.json", json::object());
  CHECK_THAT(folder.page(zen4 + again), ContainsSubstring("2 results of 1 machine in 2 files"));
  CHECK_THAT(folder.page(zen4 + zen4), ContainsSubstring("1 result of 1 machine in 1 file"));
  CHECK_THAT(folder.page(zen4 + zen5 + again + before),
             ContainsSubstring("4 results of 3 machines in 4 files") &&
                 ContainsSubstring("<h3>AMD EPYC (openmp)</h3>"));
  // Two CPUs of unknown hardware may have one name: they are not merged.
  CHECK_THAT(folder.page(before + also_before), ContainsSubstring("2 results of 2 machines in 2 files") &&
                                                    ContainsSubstring("/4.json</h3>") &&
                                                    ContainsSubstring("/5.json</h3>"));
  CHECK_THAT(
      folder.page(file("5.json", {{"memory_gib", 40}}) + file("6.json", {{"memory_gib", 80}})),
      ContainsSubstring("2 results of 2 machines in 2 files") && ContainsSubstring("AMD EPYC, 80 GiB"));
  json threads = zen;
  threads["threads"] = 2;
  CHECK_THAT(folder.page(zen4 + file("7.json", threads)), ContainsSubstring("2 machines"));
}

TEST_CASE("the largest ceilings of merged files count, and shares of the roof follow", "[model]") {
  const Reported folder;
  const auto file = [&](const std::string& name, double peak, double gflops) {
    json device = bench_device("one", "cuda"), row = bench_row("one", "cuda", "native", "fp32", 600, gflops);
    device["memory_gib"] = 80, device["ceilings"]["fp32_gflops"] = peak;
    row["roofline_fraction"] = gflops / peak;
    return folder.add(name, bench_json({device}, {row}));
  };
  const json merged = records_of(folder.page(file("a.json", 500, 600) + file("b.json", 1000, 800)));
  CHECK(merged["machines"][0]["peaks"]["fp32"][0][1] == 1000);
  CHECK(column_of(merged, "roof") == json({0.6, 0.8}));
  CHECK(texts_of(merged, "flags") == json({"", ""}));
  const json low = records_of(folder.page(file("a.json", 500, 600)));
  CHECK(column_of(low, "roof")[0] == 1.2);
  CHECK(texts_of(low, "flags")[0] == "x");  // "ceiling too low"
}

TEST_CASE("a report's picture is the roofline of one machine's automatic choices", "[model]") {
  const Reported folder;
  json bench = bench_json({bench_device("one", "cuda")}, compared("one", 64, 1));
  bench["host"]["commit"] = "abc123";
  const std::string file = folder.add("one.json", bench), picture = folder / "x.svg";
  const auto draw = [&](const std::string& more = "") {
    const Ran ran = run_program("report" + file + " --picture '" + picture + "'" + more);
    INFO(ran.text);
    REQUIRE(ran.status == 0);
    return text_of(picture);
  };
  const std::string svg = draw();
  CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900\" height=\"560\""));
  for (const char* text : {"one (cuda)", "commit abc123, 2026-11-21", "fp32 500 GFLOP/s", "memory 80 GB/s",
                           "prefers-color-scheme:dark"}) {
    CHECK_THAT(svg, ContainsSubstring(text));
  }
  CHECK(count(svg, "<path class=\"mark") == 2);  // for the result and for the label
  CHECK(draw() == svg);
  const std::string page = folder / "x.html";
  draw(" --html '" + page + "'");
  CHECK(std::filesystem::exists(page));
  refused("report --picture '" + picture + "'" + folder.two(),
          "several machines (NVIDIA H200 (cuda), Z80 (openmp))");
  refused("report --picture '" + picture + "'" +
              folder.add("none.json", bench_json({bench_device("one", "cuda")},
                                                 {bench_row("one", "cuda", "native", "fp32", 64, 9)})),
          "no automatic choice with a rate (one (cuda))");
}

TEST_CASE("a report without a file is of the last run, and without a name is report.html", "[model]") {
  const Reported folder;
  const std::string old = getenv("XDG_STATE_HOME") == nullptr ? "" : getenv("XDG_STATE_HOME");
  setenv("XDG_STATE_HOME", (folder / "state").c_str(), 1);
  refused("report",
          "no last run (" + (folder / "state/rooftile/last.json").string() + "): run `rooftile bench`");
  std::filesystem::create_directories(folder / "state/rooftile");
  folder.add("state/rooftile/last.json",
             bench_json({bench_device("the last one", "cuda")},
                        {bench_row("the last one", "cuda", "native", "fp32", 64, 9)}));
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder / "");
  const Ran ran = run_program("report");
  std::filesystem::current_path(before);
  setenv("XDG_STATE_HOME", old.c_str(), 1);
  if (old.empty()) unsetenv("XDG_STATE_HOME");
  CHECK(ran.status == 0);
  CHECK_THAT(ran.text, ContainsSubstring("report.html: 1 machine, "));
  CHECK_THAT(text_of(folder / "report.html"), ContainsSubstring("the last one (cuda)"));
}

TEST_CASE("a report that cannot be made is refused", "[model]") {
  const Reported folder;
  const std::string files = folder.two(), page = "--html '" + (folder / "x.html").string() + "'";
  refused("report " + page + " /dev/null", "not a benchmark (/dev/null,");
  refused("report " + page + " /nowhere.json", "cannot read (/nowhere.json, ");
  refused("report --html /nowhere/x.html" + files, "output cannot be written (--html /nowhere/x.html, ");
  refused("report --picture /nowhere/x.svg" + files, "output cannot be written (--picture /nowhere/x.svg, ");
  json other = bench_json({bench_device("one", "cuda")}, {bench_row("one", "cuda", "native", "fp32", 64, 9)});
  other["schema"] = 2;
  refused("report " + page + files + folder.add("other.json", other), "other.json, schema 2");
  CHECK_FALSE(std::filesystem::exists(folder / "x.html"));
  const Ran full = run_program("report --html /dev/full" + files);
  CHECK(full.status == 1);
  CHECK_THAT(full.text, ContainsSubstring("output was lost (--html /dev/full, No space left on device)"));
  // The page is the only output on standard output.
  const Ran piped = run_redirected("report --html /dev/stdout" + files + " 2>/dev/null | cat");
  CHECK(piped.text.starts_with("<!DOCTYPE html>"));
  CHECK(piped.text.ends_with("</html>\n"));
}

}  // namespace
}  // namespace rooftile::testing
