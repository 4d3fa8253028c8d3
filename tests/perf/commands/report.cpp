// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Pictures, and the pages of `rooftile report`. tests/cli/check_report.py checks that pages are well-formed.
#include <filesystem>
#include <fstream>

#include "program.hpp"

namespace rooftile::testing {
namespace {

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
  refused("roofline --device A100" + points, "no measured fp32 kernel of A100 (--points " + folder.bench() +
                                                 ", which has those of NVIDIA H200, AMD MI300X)");
  CHECK_FALSE(std::filesystem::exists(roof));
  // Ceilings that are asked for are not left out because others are measured.
  refused("roofline --bandwidth-gbs 9" + points, "no peak");
  refused("roofline --pipe tensor" + points, "no peak");
}

TEST_CASE("a picture that cannot be written is refused before anything is drawn", "[model]") {
  const Drawn folder;
  std::filesystem::create_directory(folder / "x.svg");
  for (const std::string file : {"x.svg", "no/x.svg"}) {
    refused("occupancy --device A100 --threads 64 --plot '" + (folder / file).string() + "'",
            "output cannot be written (--plot ");
  }
  refused("roofline --device A100 --plot /nowhere/x.svg", "output cannot be written (--plot ");
  refused("roofline --device A100 --plot x.gif", "not a picture that is drawn here (--plot x.gif)");
  refused("roofline --device A100 --json --plot x.svg", "--plot excludes --json");
}

/// A program in a folder that PATH has alone for as long as this lives.
class Tool {
 public:
  Tool(const std::filesystem::path& folder, const std::string& name, const std::string& script)
      : path_(std::getenv("PATH")) {
    std::filesystem::create_directory(folder);
    std::ofstream(folder / name) << "#!/bin/sh\n" << script;
    std::filesystem::permissions(folder / name, std::filesystem::perms::owner_all);
    setenv("PATH", folder.c_str(), 1);
  }
  ~Tool() { setenv("PATH", path_.c_str(), 1); }
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;

 private:
  std::string path_;
};

TEST_CASE("PNG is made by a program that is found when it is asked for", "[model]") {
  const Drawn folder;
  const std::string png = folder / "roof.png", line = "roofline --device A100 --plot '" + png + "'";
  {
    // It writes a signature and what it was given to the file that it is told.
    const Tool tool(folder / "one", "rsvg-convert",
                    "printf '\\211PNG\\r\\n\\032\\n' >\"${2#--output=}\"; echo \"$1\" >>\"${2#--output=}\"\n"
                    "while read -r svg; do echo \"$svg\" >>\"${2#--output=}\"; done <\"$3\"\n");
    CHECK(run_program(line).status == 0);
    CHECK_THAT(text_of(png),
               ContainsSubstring("PNG\r\n\x1a\n--zoom=3\n<?xml") && ContainsSubstring("</svg>"));
    const std::string pictures = folder / "pictures";
    CHECK(run_program("report --png '" + pictures + "' '" + folder.bench() + "'").status == 0);
    CHECK(std::filesystem::exists(pictures + "/roofline.png"));
  }
  std::filesystem::remove(png);
  {
    const Tool tool(folder / "two", "chromium",
                    "for a; do case $a in --screenshot=*) printf '\\211PNG\\r\\n\\032\\n' "
                    ">${a#--screenshot=};; esac; done\n");
    CHECK(run_program(line).status == 0);
    CHECK(std::filesystem::file_size(png) == 8);
  }
  std::filesystem::remove(png);
  for (const auto& [script, said] :
       {std::pair{"echo 'no such font'; exit 3\n", " ended with 3: no such font): take SVG"},
        {"echo text >\"${2#--output=}\"\n", " ended with 0): take SVG"},
        {"kill -9 $$\n", " ended with 137): take SVG"}}) {
    const Tool tool(folder / "three", "rsvg-convert", script);
    CHECK_THAT(refused(line, "no PNG was made (--plot " + png).text, ContainsSubstring(said));
    CHECK_FALSE(std::filesystem::exists(png));
  }
  const Tool none(folder / "four", "inkscape", "");
  refused(line, "no program here makes PNG (--plot " + png + "): install rsvg-convert");
  refused("report --png x '" + folder.bench() + "'", "no program here makes PNG (--png x)");
}

TEST_CASE("the machine's own program makes PNG three times as wide, in colours", "[model]") {
  const Drawn folder;
  const std::string png = folder / "sm.png", svg = folder / "sm.svg",
                    line = "occupancy --device A100 --threads 256 --plot '";
  const Ran ran = run_program(line + png + "'");
  if (ran.text.find("no program here makes PNG") != ran.text.npos) SKIP("neither rsvg-convert nor Chromium");
  REQUIRE(ran.status == 0);
  REQUIRE(run_program(line + svg + "'").status == 0);
  const std::string pixels = text_of(png), picture = text_of(svg);
  const auto width = [&](std::size_t at) { return static_cast<unsigned char>(pixels.at(at)); };
  const int drawn = std::stoi(picture.substr(picture.find("viewBox=\"0 0 ") + 13));
  CHECK(256 * width(18) + width(19) == 3 * drawn);
}

TEST_CASE("a picture's file has colours for programs without variables of CSS, too", "[model]") {
  const Drawn folder;
  const std::string svg = folder / "sm.svg";
  REQUIRE(run_program("occupancy --device A100 --threads 256 --plot '" + svg + "'").status == 0);
  const std::string picture = text_of(svg);
  for (const char* style :
       {"fill:#0072b2;fill:var(--portable);stroke:#0072b2;stroke:var(--portable)}",
        ".plot .hollow.peer{stroke:#8a5a9e;stroke:var(--peer)}", "background:#fff;background:var(--paper);"})
    CHECK_THAT(picture, ContainsSubstring(style));
  for (std::size_t at = 0; (at = picture.find(":var(", at + 1)) != picture.npos;) {
    const std::size_t begin = picture.find_last_of("{;", at) + 1,
                      before = picture.find_last_of("{;", begin - 2) + 1;
    const std::string property = picture.substr(begin, at + 1 - begin);
    CHECK(picture.compare(before, property.size(), property) == 0);
  }
}

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
  refused(
      "report --html x.html" +
          folder.add("wrong.json", bench_json({wrong}, {bench_row("one", "cuda", "native", "bf16", 64, 9)})),
      "/devices/0/ceilings/levels_gbs/0/rate 0");
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
  refused("report --html x.html" + folder.add("wrong.json", wrong), "wrong.json, /results/0/shared/ranks 0)");
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

TEST_CASE("a report is UTF-8, whatever bytes the names of files have", "[model]") {
  const ScratchFolder folder;
  const std::string none = "\xEF\xBF\xBD", page = folder / "\xE8.html",
                    file = folder / "a\xC3\xA9\xE9\xED\xA0\x80.json";
  std::ofstream(file) << bench_json({bench_device("Z80", "openmp")},
                                    {bench_row("Z80", "openmp", "portable", "fp32", 64, 9)});
  REQUIRE(run_program("report --html '" + page + "' '" + file + "'").status == 0);
  CHECK_THAT(text_of(page), ContainsSubstring("/a\xC3\xA9" + none + none + none + none + ".json</td>"));
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

TEST_CASE("machines of one name are apart by family and model, or by memory", "[model]") {
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
  CHECK_THAT(folder.page(zen4 + again), ContainsSubstring("2 results of 1 machine in 2 files"));
  CHECK_THAT(folder.page(before + before), ContainsSubstring("2 results of 1 machine in 2 files"));
  const std::string page = folder.page(zen4 + zen5 + again + before);
  for (const char* text :
       {"4 results of 3 machines in 4 files", "Roofline of AMD EPYC, family 25, model 17 (openmp)",
        "Roofline of AMD EPYC, family 26, model 0 (openmp)", "Roofline of AMD EPYC (openmp)",
        "AMD EPYC, family 26, model 0, memory 80 GB/s"}) {
    CHECK_THAT(page, ContainsSubstring(text));
  }
  CHECK(count(page, "<td>AMD EPYC, family 25, model 17</td>") == 4);  // of both files, and their results
  CHECK(count(page, "<td>AMD EPYC, family 26, model 0</td>") == 2);
  CHECK_THAT(
      folder.page(file("5.json", {{"memory_gib", 40}}) + file("6.json", {{"memory_gib", 80}})),
      ContainsSubstring("2 results of 2 machines in 2 files") && ContainsSubstring("AMD EPYC, 80 GiB"));
}

TEST_CASE("a report that cannot be made is refused", "[model]") {
  const Reported folder;
  const std::string files = folder.two(), page = "--html '" + (folder / "x.html").string() + "'";
  refused("report " + files,
          "nothing to write: give --html FILE, --svg FOLDER, --png FOLDER, or several of them");
  refused("report " + page + " /dev/null", "not a benchmark (/dev/null,");
  refused("report " + page + " /nowhere.json", "cannot read (/nowhere.json, ");
  refused("report " + page, "FILE is required");
  refused("report --html /nowhere/x.html" + files, "output cannot be written (--html /nowhere/x.html, ");
  refused("report --svg /nowhere/x" + files,
          "no folder for pictures (--svg /nowhere/x, No such file or directory)");
  refused("report --svg /dev/null" + files, "no folder for pictures (--svg /dev/null, File exists)");
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
