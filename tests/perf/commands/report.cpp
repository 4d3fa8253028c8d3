// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The pages of `rooftile report`. tests/cli/check_report.py checks that pages are well-formed and work in a
// browser.
#include <algorithm>
#include <cstdlib>
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

/// What the page's script gets.
json records_of(const std::string& page) {
  const std::string begin = "id=\"records\">";
  const std::size_t at = page.find(begin) + begin.size();
  return json::parse(page.substr(at, page.find("</script>", at) - at));
}

/// A column of the records, its texts looked up.
json column_of(const json& records, const std::string& name) {
  const json& columns = records["columns"];
  const auto at = std::find(columns.begin(), columns.end(), name) - columns.begin();
  json values = json::array();
  for (const json& row : records["rows"]) values.push_back(row[static_cast<std::size_t>(at)]);
  return values;
}
json texts_of(const json& records, const std::string& name) {
  json texts = json::array();
  for (const json& number : column_of(records, name))
    texts.push_back(records["texts"][number.get<std::size_t>()]);
  return texts;
}

/// An automatic choice on n³ with a ratio to the vendor and the vendor's result beside it.
std::vector<json> compared(const std::string& device, int n, double ratio,
                           const std::string& path = "native") {
  json own = bench_row(device, "cuda", path, "fp32", n, 100),
       vendor = bench_row(device, "cuda", "vendor", "fp32", n, 90);
  own["automatic"] = true, own["vendor_ratio"] = ratio;
  own["seconds"]["low"] = 1.8, own["seconds"]["high"] = 2.5;
  vendor["seconds"]["low"] = 1.5, vendor["seconds"]["high"] = 1.8;
  return {own, vendor};
}

TEST_CASE("a report opens with the ratios of each path and mode, and what limits them", "[model]") {
  const Reported folder;
  std::vector<json> rows;
  const auto add = [&](int n, double ratio, bool aligned) {
    for (json row : compared("one", n, ratio)) row["aligned"] = aligned, rows.push_back(row);
  };
  add(64, 0.5, false), add(100, 0.8, false), add(1000, 1, true), add(3000, 1.25, true);
  rows.push_back(bench_row("one", "cuda", "native", "fp32", 77, 1));  // no automatic choice
  rows.back()["vendor_ratio"] = 0.1;
  const auto page_of = [&](const std::vector<json>& results) {
    return folder.page(folder.add("one.json", bench_json({bench_device("one", "cuda")}, results)));
  };
  const std::string page = page_of(rows);
  CHECK_THAT(page, ContainsSubstring(
                       "<td>native</td><td>fp32</td><td class=\"number\">4</td>"
                       "<td class=\"number\"><b>0.84</b></td><td class=\"number\">0.50 "
                       "<small>64x64x64 rrr</small></td><td class=\"number\">50 % <small>2</small></td>"));
  CHECK_THAT(page, ContainsSubstring(
                       "Limiting factor: rows not aligned to 16 bytes (2 of the 2 products below 0.9 of "
                       "the vendor, 2 of all 4 compared); 2 of the slow ones are bound by compute;") ||
                       ContainsSubstring("Limiting factor: bound by memory (2 of the 2 products"));
  CHECK(page.find("id=\"headline\"") < page.find("id=\"environment\""));
  CHECK(count(page.substr(0, page.find("id=\"environment\"")), "<th>") == 6);
  // Intervals are of the vendor's low over the own high, and the reverse.
  const json records = records_of(page);
  CHECK(column_of(records, "low")[0] == 0.6);
  CHECK(column_of(records, "high")[0] == 1);
  CHECK_THAT(page_of(compared("one", 64, 1.5)),
             ContainsSubstring("None of the 1 compared product is below 0.9"));
  json alone = compared("one", 64, 1)[0];
  alone.erase("vendor_ratio");
  CHECK_THAT(page_of({alone}), ContainsSubstring("No vendor library ran beside the 1 automatic choice"));
  CHECK_THAT(page_of({rows.back()}), ContainsSubstring("No result is an automatic choice"));
}

TEST_CASE("a report holds every result, its machines and ceilings", "[model]") {
  const Reported folder;
  const std::string page = folder.page(folder.two());
  for (const char* text : {"5 results of 2 machines in 1 file", "80 GB/s", "500 GFLOP/s", "<td>GNU 1</td>",
                           "<td>1.2.3, 2026-11-21T06:00:00Z</td>", "<td>NVIDIA H200 (cuda)</td>"}) {
    CHECK_THAT(page, ContainsSubstring(text));
  }
  const json records = records_of(page);
  CHECK(records["rows"].size() == 5);
  CHECK(column_of(records, "machine") == json({0, 0, 0, 1, 1}));
  CHECK(texts_of(records, "product")[1] == "128x128x128 rrr");
  CHECK(texts_of(records, "reason")[4] == "wrong & <b>bold</b>");
  // The product on which the vendor failed says so.
  CHECK(texts_of(records, "vendorProblem") == json({"", "", "", "tiled failed: wrong & <b>bold</b>", ""}));
  const bool has_charts = count(page, "id=\"modes\"") == 1;
  CHECK(count(page, "without Chart.js (ROOFTILE_PLOT_JS)") == (has_charts ? 0 : 1));
}

TEST_CASE("a report has the ceilings of each memory level and operand type", "[model]") {
  const Reported folder;
  json device = bench_device("one", "cuda");
  device["ceilings"]["levels_gbs"] = {{{"name", "L2"}, {"rate", 700}},
                                      {{"name", "shared memory"}, {"rate", 3000}}};
  device["ceilings"]["matrix_gflops"] = {{{"name", "bf16"}, {"rate", 9000}},
                                         {{"name", "fp64"}, {"rate", 600}},
                                         {{"name", "bf16 by mma.sync"}, {"rate", 6000}}};
  device["ceilings"]["launch_us"] = 2.5, device["ceilings"]["clock_mhz"] = 1980;
  const std::string page = folder.page(
      folder.add("one.json", bench_json({device}, {bench_row("one", "cuda", "native", "bf16", 64, 9),
                                                   bench_row("one", "cuda", "native", "fp64", 64, 9)})));
  for (const char* text :
       {"9000 bf16", "6000 bf16 by mma.sync; 80 GB/s, 700 L2", "2.5 us a launch; at 1980 MHz"})
    CHECK_THAT(page, ContainsSubstring(text));
  const json machine = records_of(page)["machines"][0];
  CHECK(machine["peaks"]["bf16"] == json::parse(R"([["wgmma bf16",9000],["mma.sync bf16",6000]])"));
  CHECK(machine["peaks"]["fp64"] ==
        json::parse(R"([["matrix instructions fp64",600],["FMA chains fp64",250]])"));
  CHECK(machine["levels"] == json::parse(R"([["memory",80],["L2",700],["shared memory",3000]])"));
  json wrong = device;
  wrong["ceilings"]["levels_gbs"][0]["rate"] = 0;
  refused(
      "report --html x.html" +
          folder.add("wrong.json", bench_json({wrong}, {bench_row("one", "cuda", "native", "bf16", 64, 9)})),
      "/devices/0/ceilings/levels_gbs/0/rate 0");
}

TEST_CASE("a report holds the counters of those results that have some", "[model]") {
  const Reported folder;
  json counted = bench_row("one", "cuda", "native", "fp32", 64, 9);
  counted["counters"] = {{{"tag", "dram_bytes"}, {"value", 5e9}, {"unit", "B"}},
                         {{"tag", "occupancy"}, {"value", 37.5}, {"unit", "%"}}};
  const json other = bench_row("one", "cuda", "vendor", "fp32", 64, 9);
  const json records = records_of(
      folder.page(folder.add("one.json", bench_json({bench_device("one", "cuda")}, {counted, other}))));
  const json counters = column_of(records, "counters"), &texts = records["texts"];
  REQUIRE(counters[0].size() == 6);
  CHECK(texts[counters[0][0].get<std::size_t>()] == "dram_bytes");
  CHECK(counters[0][1] == 5'000'000'000);
  CHECK(counters[0][4] == 37.5);
  CHECK(counters[1].empty());
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
  for (const char* text : {"2 results of 2 machines in 2 files", "openmp, 1 thread, 4 processes",
                           "one (openmp, 4 processes of 1 thread)"}) {
    CHECK_THAT(page, ContainsSubstring(text));
  }
  CHECK(texts_of(records_of(page), "product")[1] == "100x100x100 rrr on 1x4 in 64x64");
  CHECK(column_of(records_of(page), "processes") == json({1, 4}));
  json wrong = run(1);
  wrong["results"][0]["shared"]["ranks"] = 0;
  refused("report --html x.html" + folder.add("wrong.json", wrong), "wrong.json, /results/0/shared/ranks 0)");
}

TEST_CASE("nothing that a file says is markup in a report or a picture", "[model]") {
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
  json row = compared("one", 64, 0.5)[0];
  json bench = bench_json({bench_device("one", "cuda")}, {row});
  const std::string plain = folder.page(folder.add("x.json", bench));
  for (const char* pointer :
       {"/host/date", "/host/compiler", "/host/rooftile", "/host/commit", "/devices/0/state",
        "/results/0/kernel", "/results/0/tile", "/results/0/path", "/results/0/math", "/results/0/layout",
        "/results/0/bound", "/arguments/0", "/absent/0/why"}) {
    json bad = bench;
    bad["arguments"] = {"x"}, bad["absent"] = {{{"what", "a"}, {"why", "b"}}};
    bad[json::json_pointer(pointer)] = hostile;
    const std::string file = folder.add("x.json", bad), page = folder.page(file);
    CAPTURE(pointer);
    CHECK(count(page, "<script") == count(plain, "<script"));
    CHECK(count(page, "</script") == count(plain, "</script"));
    CHECK(count(page, "<img") == 0);
    const std::string picture = folder / "x.svg";
    REQUIRE(run_program("report --picture '" + picture + "'" + file).status == 0);
    CHECK(count(text_of(picture), "<script") + count(text_of(picture), "<img") == 0);
  }
}

TEST_CASE("a report is UTF-8, whatever bytes the names of files have", "[model]") {
  const ScratchFolder folder;
  const std::string none = "\xEF\xBF\xBD", page = folder / "\xE8.html",
                    file = folder / "a\xC3\xA9\xE9\xED\xA0\x80.json";
  std::ofstream(file) << bench_json({bench_device("Z80", "openmp")},
                                    {bench_row("Z80", "openmp", "portable", "fp32", 64, 9)});
  REQUIRE(run_program("report --html '" + page + "' '" + file + "'").status == 0);
  CHECK_THAT(text_of(page), ContainsSubstring("/a\xC3\xA9" + none + none + none + none + ".json</p>"));
}

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
  // Equal names of unknown hardware may be two CPUs.
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

TEST_CASE("a report of 5,000 results is small", "[model]") {
  const Reported folder;
  std::vector<json> rows;
  for (int n = 1; n <= 2500; ++n) {
    for (const json& row : compared("one", n, 0.9 + 0.0001 * n)) rows.push_back(row);
  }
  const std::string page =
      folder.page(folder.add("many.json", bench_json({bench_device("one", "cuda")}, rows)));
  CHECK(records_of(page)["rows"].size() == 5000);
  CHECK(page.size() < 3'000'000);
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
  CHECK(count(svg, "<path class=\"mark") == 2);  // the result's, and the label's
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
  // On standard output the page is alone.
  const Ran piped = run_redirected("report --html /dev/stdout" + files + " 2>/dev/null | cat");
  CHECK(piped.text.starts_with("<!DOCTYPE html>"));
  CHECK(piped.text.ends_with("</html>\n"));
}

}  // namespace
}  // namespace rooftile::testing
