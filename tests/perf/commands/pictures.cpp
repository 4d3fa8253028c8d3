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
  CHECK_THAT(
      run_program("roofline --device A100 --plot x.gif").text,
      ContainsSubstring("not a picture that is drawn here (--plot x.gif): end the name in .svg or .png"));
  CHECK_THAT(run_program("roofline --device A100 --json --plot x.svg").text,
             ContainsSubstring("--plot excludes --json"));
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
    const Ran ran = run_program(line);
    CHECK(ran.status == 2);
    CHECK_THAT(ran.text, ContainsSubstring("no PNG was made (--plot " + png) && ContainsSubstring(said));
    CHECK_FALSE(std::filesystem::exists(png));
  }
  const Tool none(folder / "four", "inkscape", "");
  const Ran ran = run_program(line);
  CHECK(ran.status == 2);
  CHECK_THAT(ran.text, ContainsSubstring("no program here makes PNG (--plot " + png +
                                         "): install rsvg-convert (Debian's librsvg2-bin, Fedora's "
                                         "librsvg2-tools) or Chromium, or take SVG"));
  CHECK_THAT(run_program("report --png x '" + folder.bench() + "'").text,
             ContainsSubstring("no program here makes PNG (--png x): install rsvg-convert"));
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

}  // namespace
