// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
//
// `rooftile report`: what is in the page, and that nothing of a file is markup in it. That it is well-formed,
// and what a browser makes of it, tests/cli/check_report.py looks at.
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

class Reported : public ScratchFolder {
 public:
  std::string add(const std::string& name, const json& bench) const {
    const std::string file = *this / name;
    std::ofstream(file) << bench;
    return " '" + file + "'";
  }
  /// A file of two devices; the second is what others call themselves, too.
  std::string two(const std::string& other = "Z80") const {
    json failed = bench_row(other, "openmp", "vendor", "fp64", 32, 7);
    failed["status"] = "failed", failed["reason"] = "wrong & <b>bold</b>";
    failed.erase("seconds"), failed.erase("gflops"), failed.erase("intensity");
    return add("two.json", bench_json({bench_device("NVIDIA H200", "cuda"), bench_device(other, "openmp")},
                                      {bench_row("NVIDIA H200", "cuda", "native", "fp32", 64, 99),
                                       bench_row("NVIDIA H200", "cuda", "native", "fp32", 128, 199),
                                       bench_row("NVIDIA H200", "cuda", "vendor", "fp32", 128, 190),
                                       bench_row(other, "openmp", "portable", "fp64", 32, 7), failed}));
  }
  std::string page(const std::string& files, const std::string& options = "") const {
    const std::string file = *this / "page.html";
    const Ran ran = run_program("report --html '" + file + "' " + options + files);
    INFO(ran.text);
    REQUIRE(ran.status == 0);
    return text_of(file);
  }
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST_CASE("a report holds every result, its machines, ceilings and pictures", "[model]") {
  const Reported folder;
  const std::string page = folder.page(folder.two());
  for (const char* text :
       {"5 results of 2 machines in 1 file", "Roofline of all machines", "Roofline of NVIDIA H200 (cuda)",
        "Roofline of Z80 (openmp)", "Speed of fp32 on NVIDIA H200 (cuda)",
        "Speed over size, fp32 on NVIDIA H200", "fp64 on Z80", "memory 80 GB/s",
        "fp32 500 GFLOP/s, ridge 6.25 FLOP/B", "native tiled 8x8x8, fp32 128x128x128 rrr: 199 GFLOP/s",
        "GNU 1", "2026-11-21T06:00:00Z", "failed: wrong &amp; &lt;b&gt;bold&lt;/b&gt;"}) {
    CHECK_THAT(page, ContainsSubstring(text));
  }
  CHECK_THAT(page, !ContainsSubstring("Speed over size, fp64"));  // of one size there is no curve
  CHECK(count(page, "<figure") == 6);
  CHECK(count(page, "<td>NVIDIA H200</td>") == 4);  // of the environment, and of three results
}

TEST_CASE("a roofline has a line for each level of memory, and for operands of one rate together",
          "[model]") {
  const Reported folder;
  json device = bench_device("one", "cuda");
  device["ceilings"]["levels_gbs"] = {{{"name", "L2"}, {"rate", 700}},
                                      {{"name", "shared memory"}, {"rate", 3000}}};
  device["ceilings"]["matrix_gflops"] = {{{"name", "bf16"}, {"rate", 9000}},
                                         {{"name", "fp16"}, {"rate", 9100}},
                                         {{"name", "int8"}, {"rate", 505}},
                                         {{"name", "fp16 by mma.sync"}, {"rate", 6000}}};
  device["ceilings"]["launch_us"] = 2.5, device["ceilings"]["clock_mhz"] = 1980;
  const std::string page = folder.page(
      folder.add("one.json", bench_json({device}, {bench_row("one", "cuda", "native", "bf16", 64, 9),
                                                   bench_row("one", "cuda", "native", "fp64_int8", 64, 9)})));
  for (const char* text :
       {"L2 700 GB/s", "shared memory 3000 GB/s", "bf16, fp16 matrix 9000 GFLOP/s, ridge 112",
        "6000 fp16 by mma.sync; 80 GB/s, 700 L2", "2.5 us a launch; at 1980 MHz"}) {
    CHECK_THAT(page, ContainsSubstring(text));
  }
  CHECK_THAT(page, !ContainsSubstring("int8 matrix 505"));  // on the line of fp32, as multiplied by its units
  CHECK_THAT(page, !ContainsSubstring("mma.sync 6"));
  CHECK(count(page, "class=\"mark native hollow\"") == 2);  // fp64_int8's mark and its entry in the legend
  json wrong = device;
  wrong["ceilings"]["levels_gbs"][0]["rate"] = 0;
  const Ran ran = run_program(
      "report --html x.html" +
      folder.add("wrong.json", bench_json({wrong}, {bench_row("one", "cuda", "native", "bf16", 64, 9)})));
  CHECK(ran.status == 2);
  CHECK_THAT(ran.text, ContainsSubstring("/devices/0/ceilings/levels_gbs/0/rate 0"));
}

TEST_CASE("a report shows what was counted beside the model, where something was", "[model]") {
  const Reported folder;
  json counted = bench_row("one", "cuda", "native", "fp32", 64, 9);
  counted["intensity"] = 4.5;  // 18 GFLOP in 2 s, hence 4 GB
  counted["counters"] = {{{"tag", "flops_fp32"}, {"value", 19e9}, {"unit", ""}},
                         {{"tag", "dram_bytes"}, {"value", 5e9}, {"unit", "B"}},
                         {{"tag", "stall_wait"}, {"value", 1.5}, {"unit", "warps"}}};
  const json other = bench_row("one", "cuda", "vendor", "fp32", 64, 9);
  const std::string page =
      folder.page(folder.add("one.json", bench_json({bench_device("one", "cuda")}, {counted, other})));
  CHECK_THAT(page, ContainsSubstring("<h2>Counters</h2>"));
  CHECK_THAT(page, ContainsSubstring("<td class=\"number\">19</td><td class=\"number\">1.056</td>"
                                     "<td class=\"number\">5000</td><td class=\"number\">1.25</td>"));
  CHECK_THAT(page, ContainsSubstring("wait 1.5"));
  CHECK_THAT(folder.page(folder.two()), !ContainsSubstring("<h2>Counters</h2>"));
}

/// A product of n³ that processes share.
json shared_row(const std::string& path, int ranks, int n, double gflops,
                const std::string& block = "64x64") {
  json r = bench_row("one", "openmp", path, "fp64", n, gflops);
  r["kernel"] = path == "peer" ? "scalapack" : "1 layer", r["tile"] = "", r["layout"] = "ccc";
  r["shared"] = {{"ranks", ranks}, {"grid", "1x" + std::to_string(ranks)}, {"block", block}};
  return r;
}

json shared_run(int ranks, const std::vector<json>& rows) {
  json device = bench_device("one", "openmp");
  device["threads"] = 1, device["ranks"] = ranks;
  return bench_json({device}, rows);
}

TEST_CASE("a report of several numbers of processes has their strong and weak scaling", "[model]") {
  const Reported folder;
  const std::string one = folder.add("1.json", shared_run(1, {shared_row("portable", 1, 1000, 10),
                                                              shared_row("peer", 1, 1000, 8)})),
                    two = folder.add("2.json", shared_run(2, {shared_row("portable", 2, 1000, 18),
                                                              shared_row("portable", 2, 1260, 19),
                                                              shared_row("peer", 2, 1000, 12)})),
                    four = folder.add("4.json", shared_run(4, {shared_row("portable", 4, 1587, 36),
                                                               shared_row("peer", 4, 1000, 3, "48x80")}));
  const std::string page = folder.page(one + two + four);
  for (const char* text :
       {"Roofline of one (openmp, 4 processes of 1 thread)", "openmp, 1 threads, 4 processes",
        "Strong scaling, fp64 on processes of one (openmp, 1 thread)",
        "Weak scaling, fp64 on processes of one (openmp, 1 thread)", "portable in 64x64, 1000x1000x1000",
        "peer in 64x64, 1000x1000x1000", "portable in 64x64, 2 GFLOP each",
        "portable 1 layer, fp64 1587x1587x1587 ccc on 1x4 in 64x64: 36 GFLOP/s"}) {
    CHECK_THAT(page, ContainsSubstring(text));
  }
  CHECK_THAT(page, !ContainsSubstring("peer in 64x64, 2 GFLOP each"));  // on one and two, of other products
  // In two rooflines and a bar, but in no curve of other blocks, and alone in none.
  CHECK(count(page, "peer scalapack, fp64 1000x1000x1000 ccc on 1x4 in 48x80: 3 GFLOP/s") == 3);
  CHECK_THAT(folder.page(one), !ContainsSubstring("scaling"));
  CHECK_THAT(folder.page(one + one), !ContainsSubstring("scaling"));
  json wrong = shared_run(1, {shared_row("portable", 1, 1000, 10)});
  wrong["results"][0]["shared"]["ranks"] = 0;
  const Ran ran = run_program("report --html x.html" + folder.add("wrong.json", wrong));
  CHECK(ran.status == 2);
  CHECK_THAT(ran.text, ContainsSubstring("not a positive number (") &&
                           ContainsSubstring("wrong.json, /results/0/shared/ranks 0)"));
}

TEST_CASE("a static report has no script", "[model]") {
  const Reported folder;
  const std::string page = folder.page(folder.two(), "--static");
  CHECK_THAT(page, ContainsSubstring("This report is static"));
  CHECK(count(page, "<script") == 0);
  CHECK_THAT(page, ContainsSubstring("default-src 'none'; style-src 'unsafe-inline'\""));
}

TEST_CASE("nothing that a file says is markup in a report", "[model]") {
  const std::string hostile =
      "</td></script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>&\x01]]>";
  const Reported folder;
  for (const char* option : {"", "--static"}) {
    const std::string plain = folder.page(folder.two(), option),
                      page = folder.page(folder.two(hostile), option);
    CHECK(count(page, "<script") == count(plain, "<script"));
    CHECK(count(page, "</script") == count(plain, "</script"));
    CHECK(count(page, "<img") == 0);
    CHECK(count(page, "\x01") == 0);
    CHECK_THAT(page, ContainsSubstring("&lt;/td&gt;&lt;/script&gt;"));
  }
  // In every text that a file has.
  json bench = bench_json({bench_device("one", "cuda")}, {bench_row("one", "cuda", "native", "fp32", 64, 9)});
  const std::string plain = folder.page(folder.add("x.json", bench));
  for (const char* pointer :
       {"/host/date", "/host/compiler", "/host/rooftile", "/host/commit", "/devices/0/state",
        "/results/0/kernel", "/results/0/tile", "/results/0/path", "/results/0/math", "/results/0/layout",
        "/results/0/bound", "/arguments/0", "/absent/0/why"}) {
    json bad = bench;
    bad["arguments"] = {"x"}, bad["absent"] = {{{"what", "a"}, {"why", "b"}}};
    bad[json::json_pointer(pointer)] = hostile;
    const std::string page = folder.page(folder.add("x.json", bad));
    CAPTURE(pointer);
    CHECK(count(page, "<script") == count(plain, "<script"));
    CHECK(count(page, "</script") == count(plain, "</script"));
    CHECK(count(page, "<img") == 0);
  }
}

TEST_CASE("a report writes each picture as a file of its own, whatever a machine is called", "[model]") {
  const Reported folder;
  const std::string pictures = folder / "pictures";
  const Ran ran = run_program("report --svg '" + pictures + "'" + folder.two("../../Z80/\n"));
  CHECK(ran.status == 0);
  CHECK_THAT(ran.text, ContainsSubstring("pictures: 6 pictures\n"));
  for (const char* name :
       {"roofline", "roofline-nvidia-h200-cuda", "roofline-z80-openmp", "size-nvidia-h200-cuda-fp32",
        "speed-nvidia-h200-cuda-fp32", "speed-z80-openmp-fp64"}) {
    const std::string svg = text_of(std::filesystem::path(pictures) / (name + std::string(".svg")));
    CAPTURE(name);
    CHECK_THAT(svg, ContainsSubstring("<svg xmlns=\"http://www.w3.org/2000/svg\"") &&
                        ContainsSubstring("prefers-color-scheme:dark"));
  }
  CHECK(run_program("report --svg '" + pictures + "'" + folder.two()).status == 0);  // into one that is there
}

TEST_CASE("a report of many results is small", "[model]") {
  const Reported folder;
  std::vector<json> rows;
  for (int n = 1; n <= 500; ++n) {
    for (const char* path : {"native", "portable", "vendor", "peer"}) {
      rows.push_back(bench_row("one", "cuda", path, n % 2 == 0 ? "fp32" : "bf16", n, 10 + n));
    }
  }
  CHECK(folder.page(folder.add("x.json", bench_json({bench_device("one", "cuda")}, rows))).size() < 3000000);
}

TEST_CASE("a report of several files has a machine once, and one of nothing but failures has no bars",
          "[model]") {
  const Reported folder;
  const std::string one = folder.add(
      "one.json",
      bench_json({bench_device("one", "cuda")}, {bench_row("one", "cuda", "native", "fp32", 64, 9)}));
  const std::string two = folder.add(
      "two.json",
      bench_json({bench_device("one", "cuda")}, {bench_row("one", "cuda", "vendor", "fp32", 64, 8)}));
  CHECK_THAT(folder.page(one + two), ContainsSubstring("2 results of 1 machine in 2 files"));
  const std::string none = folder.add(
      "none.json",
      bench_json({bench_device("one", "cuda")}, {bench_row("one", "cuda", "native", "fp32", 64, 0)}));
  const std::string page = folder.page(none);
  CHECK(count(page, "<figure") == 1);
}

TEST_CASE("a report that cannot be made is refused", "[model]") {
  const Reported folder;
  const std::string files = folder.two(), page = "--html '" + (folder / "x.html").string() + "'";
  const auto refused = [](const std::string& arguments, const std::string& problem) {
    const Ran ran = run_program("report " + arguments);
    CHECK(ran.status == 2);
    CHECK_THAT(ran.text, ContainsSubstring(problem));
  };
  refused(files, "nothing to write: give --html FILE, --svg FOLDER, --png FOLDER, or several of them");
  refused(page + " /dev/null", "not a benchmark (/dev/null,");
  refused(page + " /nowhere.json", "cannot read (/nowhere.json, ");
  refused(page, "FILE is required");
  refused("--html /nowhere/x.html" + files, "output cannot be written (--html /nowhere/x.html, ");
  refused("--svg /nowhere/x" + files, "no folder for pictures (--svg /nowhere/x, No such file or directory)");
  refused("--svg /dev/null" + files, "no folder for pictures (--svg /dev/null, File exists)");
  CHECK_FALSE(std::filesystem::exists(folder / "x.html"));
  const Ran full = run_program("report --html /dev/full" + files);
  CHECK(full.status == 1);
  CHECK_THAT(full.text, ContainsSubstring("output was lost (--html /dev/full, No space left on device)"));
  // On standard output the page is alone.
  const Ran piped = run_redirected("report --html /dev/stdout" + files + " 2>/dev/null | cat");
  CHECK(piped.text.starts_with("<!DOCTYPE html>"));
  CHECK(piped.text.ends_with("</html>\n"));
}

}  // namespace
