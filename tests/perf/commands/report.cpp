// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The pages of `rooftile report`. tests/cli/check_report.py checks that pages are well-formed and work in a
// browser.

#include "reported.hpp"

namespace rooftile::testing {
namespace {

TEST_CASE("a report opens with the ratios of each path and mode, and what limits them", "[model]") {
  const Reported folder;
  std::vector<json> rows;
  const auto add = [&](int n, double ratio, bool aligned) {
    for (json row : compared("one", n, ratio)) row["aligned"] = aligned, rows.push_back(row);
  };
  add(64, 0.5, false), add(100, 0.8, false), add(300, 1, true), add(3000, 1.25, true);
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
  CHECK_THAT(
      page,
      ContainsSubstring(
          "2 of 4 compared products are below 0.9 of the vendor, most often those with rows not aligned to "
          "16 bytes (2 of 2); 2 of them are bound by compute, and their median share of the "
          "roof is 20 %."));
  CHECK(page.find("id=\"headline\"") < page.find("id=\"environment\""));
  CHECK(count(page.substr(0, page.find("id=\"environment\"")), "<th>") == 6);
  // The interval of a ratio is from the vendor's low over our high to the vendor's high over our low.
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
  for (const char* text :
       {"5 results of 2 machines in 1 file", "80 GB/s", "500 GFLOP/s", "<td>GNU 1</td>",
        "<td>1.2.3, 2026-11-21</td>", "<p>2026-11-21T06:00:00Z, ", "<td>NVIDIA H200</td><td>cuda</td>"}) {
    CHECK_THAT(page, ContainsSubstring(text));
  }
  const json records = records_of(page);
  CHECK(records["rows"].size() == 5);
  CHECK(column_of(records, "machine") == json({0, 0, 0, 1, 1}));
  CHECK(texts_of(records, "product")[1] == "128x128x128 rrr");
  CHECK(texts_of(records, "reason")[4] == "wrong & <b>bold</b>");
  // The product on which the vendor failed has the reason.
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
  // Escapes every text of a file.
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

}  // namespace
}  // namespace rooftile::testing
