// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The pages of `rooftile report`. tests/cli/check_report.py checks that pages are well-formed.
#include <filesystem>
#include <fstream>

#include "program.hpp"

namespace rooftile::testing {
namespace {

class Reported : public ScratchFolder {
 public:
  std::string add(const std::string& name, const json& bench) const {
    const std::string file = *this / name;
    std::ofstream(file) << bench;
    return " '" + file + "'";
  }
  /// A file of two devices; the second is what others call themselves, too.
  std::string two(const std::string& other = "Z80") const {
    const json failed =
        failed_row(bench_row(other, "openmp", "vendor", "fp64", 32, 7), "wrong & <b>bold</b>");
    return add("two.json", bench_json({bench_device("NVIDIA H200", "cuda"), bench_device(other, "openmp")},
                                      {bench_row("NVIDIA H200", "cuda", "native", "fp32", 64, 99),
                                       bench_row("NVIDIA H200", "cuda", "native", "fp32", 128, 199),
                                       bench_row("NVIDIA H200", "cuda", "vendor", "fp32", 128, 190),
                                       bench_row(other, "openmp", "portable", "fp64", 32, 7), failed}));
  }
  std::string page(const std::string& files) const {
    const std::string file = *this / "page.html";
    const Ran ran = run_program("report --html '" + file + "' " + files);
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

TEST_CASE("a report holds every result, its machines and ceilings", "[model]") {
  const Reported folder;
  const std::string page = folder.page(folder.two());
  for (const char* text : {"5 results of 2 machines in 1 file", "80 GB/s", "500 GFLOP/s",
                           "<td>fp32</td><td>128x128x128 rrr</td>", "GNU 1", "2026-11-21T06:00:00Z",
                           "failed: wrong &amp; &lt;b&gt;bold&lt;/b&gt;"}) {
    CHECK_THAT(page, ContainsSubstring(text));
  }
  CHECK(count(page, "<td>NVIDIA H200</td>") == 4);  // of the environment, and of three results
  const bool has_charts = count(page, "id=\"explore\"") == 1;
  CHECK(count(page, "without Chart.js (ROOFTILE_PLOT_JS)") == (has_charts ? 0 : 1));
  CHECK(count(page, "\"title\":\"NVIDIA H200 (cuda)\"") == (has_charts ? 1 : 0));
}

TEST_CASE("a report has the ceilings of each memory level and operand type", "[model]") {
  const Reported folder;
  json device = bench_device("one", "cuda");
  device["ceilings"]["levels_gbs"] = {{{"name", "L2"}, {"rate", 700}},
                                      {{"name", "shared memory"}, {"rate", 3000}}};
  device["ceilings"]["matrix_gflops"] = {{{"name", "bf16"}, {"rate", 9000}},
                                         {{"name", "fp16 by mma.sync"}, {"rate", 6000}}};
  device["ceilings"]["launch_us"] = 2.5, device["ceilings"]["clock_mhz"] = 1980;
  const std::string page = folder.page(
      folder.add("one.json", bench_json({device}, {bench_row("one", "cuda", "native", "bf16", 64, 9)})));
  for (const char* text :
       {"9000 bf16", "6000 fp16 by mma.sync; 80 GB/s, 700 L2", "2.5 us a launch; at 1980 MHz"}) {
    CHECK_THAT(page, ContainsSubstring(text));
  }
  json wrong = device;
  wrong["ceilings"]["levels_gbs"][0]["rate"] = 0;
  refused(
      "report --html x.html" +
          folder.add("wrong.json", bench_json({wrong}, {bench_row("one", "cuda", "native", "bf16", 64, 9)})),
      "/devices/0/ceilings/levels_gbs/0/rate 0");
}

TEST_CASE("a report shows the counters beside the model, where a file has some", "[model]") {
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

TEST_CASE("a report tells numbers of processes apart", "[model]") {
  const Reported folder;
  const auto run = [](int ranks) {
    json device = bench_device("one", "openmp"),
         row = bench_row("one", "openmp", "portable", "fp64", 100, 10);
    device["threads"] = 1, device["ranks"] = ranks;
    row["shared"] = {{"ranks", ranks}, {"grid", "1x" + std::to_string(ranks)}, {"block", "64x64"}};
    return bench_json({device}, {row});
  };
  const std::string page = folder.page(folder.add("1.json", run(1)) + folder.add("4.json", run(4)));
  for (const char* text : {"2 results of 2 machines in 2 files", "openmp, 1 threads, 4 processes",
                           "100x100x100 rrr on 1x4 in 64x64"}) {
    CHECK_THAT(page, ContainsSubstring(text));
  }
  json wrong = run(1);
  wrong["results"][0]["shared"]["ranks"] = 0;
  refused("report --html x.html" + folder.add("wrong.json", wrong), "wrong.json, /results/0/shared/ranks 0)");
}

TEST_CASE("nothing that a file says is markup in a report", "[model]") {
  const std::string hostile =
      "</td></script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>&\x01]]>";
  const Reported folder;
  const std::string ordinary = folder.page(folder.two()), escaped = folder.page(folder.two(hostile));
  CHECK(count(escaped, "<script") == count(ordinary, "<script"));
  CHECK(count(escaped, "</script") == count(ordinary, "</script"));
  CHECK(count(escaped, "<img") == 0);
  CHECK(count(escaped, "\x01") == 0);
  CHECK_THAT(escaped, ContainsSubstring("&lt;/td&gt;&lt;/script&gt;"));
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

TEST_CASE("a report is UTF-8, whatever bytes the names of files have", "[model]") {
  const ScratchFolder folder;
  const std::string none = "\xEF\xBF\xBD", page = folder / "\xE8.html",
                    file = folder / "a\xC3\xA9\xE9\xED\xA0\x80.json";
  std::ofstream(file) << bench_json({bench_device("Z80", "openmp")},
                                    {bench_row("Z80", "openmp", "portable", "fp32", 64, 9)});
  REQUIRE(run_program("report --html '" + page + "' '" + file + "'").status == 0);
  CHECK_THAT(text_of(page), ContainsSubstring("/a\xC3\xA9" + none + none + none + none + ".json</td>"));
}

TEST_CASE("machines of one name are told apart by family and model, or by memory", "[model]") {
  const Reported folder;
  const auto file = [&](const std::string& name, const json& hardware) {
    json device = bench_device("AMD EPYC", "openmp");
    device.update(hardware);
    return folder.add(name,
                      bench_json({device}, {bench_row("AMD EPYC", "openmp", "portable", "fp32", 64, 9)}));
  };
  const std::string zen4 = file("1.json", {{"family", 25}, {"model", 17}}),
                    again = file("2.json", {{"family", 25}, {"model", 17}}),
                    zen5 = file("3.json", {{"family", 26}, {"model", 0}}),
                    before = file("4.json", json::object());
  for (const std::string& files : {zen4 + again, before + before})
    CHECK_THAT(folder.page(files), ContainsSubstring("2 results of 1 machine in 2 files"));
  const std::string page = folder.page(zen4 + zen5 + again + before);
  CHECK_THAT(page, ContainsSubstring("4 results of 3 machines in 4 files") &&
                       ContainsSubstring("<td>AMD EPYC</td>"));
  CHECK(count(page, "<td>AMD EPYC, family 25, model 17</td>") == 4);  // of both files, and their results
  CHECK(count(page, "<td>AMD EPYC, family 26, model 0</td>") == 2);
  CHECK_THAT(
      folder.page(file("5.json", {{"memory_gib", 40}}) + file("6.json", {{"memory_gib", 80}})),
      ContainsSubstring("2 results of 2 machines in 2 files") && ContainsSubstring("AMD EPYC, 80 GiB"));
}

TEST_CASE("a report that cannot be made is refused", "[model]") {
  const Reported folder;
  const std::string files = folder.two(), page = "--html '" + (folder / "x.html").string() + "'";
  refused("report " + files, "--html is required");
  refused("report " + page + " /dev/null", "not a benchmark (/dev/null,");
  refused("report " + page + " /nowhere.json", "cannot read (/nowhere.json, ");
  refused("report " + page, "FILE is required");
  refused("report --html /nowhere/x.html" + files, "output cannot be written (--html /nowhere/x.html, ");
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
}  // namespace rooftile::testing
