// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
//
// What the tables of results show.
#include <cstdio>
#include <functional>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <unistd.h>

#include "perf/record/record.hpp"
#include "perf/writers/result_table.hpp"

namespace rooftile::perf {
namespace {

/// What `print` writes to standard output.
std::string printed(const std::function<void()>& print) {
  std::fflush(stdout);
  const int before = dup(STDOUT_FILENO);
  std::FILE* const file = std::tmpfile();
  REQUIRE((before >= 0 && file != nullptr));
  dup2(fileno(file), STDOUT_FILENO);
  print();
  std::fflush(stdout);
  dup2(before, STDOUT_FILENO);
  close(before);
  std::rewind(file);
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

Result measured() {
  Result r;
  r.path = "portable", r.backend = "openmp", r.kernel = "tiled", r.tile = "16x16x16", r.status = "ok";
  r.shape = {2, 3, 4}, r.layout = "rcr";
  r.seconds = {0.5, 0.25, 0.75, 7, {}};
  r.gflops = 12.34, r.request_intensity = 4, r.bound = "memory", r.roofline_fraction = 0.812;
  r.vendor_ratio = 0.6, r.peer_ratio = 12, r.error_ratio = 0.0125;
  return r;
}

/// The words of the only row.
std::string row_of(const Result& r) {
  const std::string text = printed([&] { print_table("a product", {r}); });
  std::string words;
  for (const char c : text.substr(text.find("error\n") + 6)) {
    if (c != ' ' || words.empty() || words.back() != ' ') words += c;
  }
  return words;
}

TEST_CASE("a table names the product and has a line for each result below its columns", "[tables]") {
  const std::string text = printed([] { print_table("a product", {measured(), measured()}); });
  CHECK(text.starts_with(
      "\na product\npath      backend kernel                  tile                  ms  spread   GFLOP/s"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 5);
}

TEST_CASE("a line has times in milliseconds, shares in percent and the peer's as a factor", "[tables]") {
  CHECK(row_of(measured()) ==
        "portable openmp tiled 16x16x16 500.0000 100.0% 12.3 4.00 memory 81.2% 60.0% 12.00x 0.013\n");
}

TEST_CASE("a table has a dash for what is not known", "[tables]") {
  Result r = measured();
  r.request_intensity = r.roofline_fraction = r.vendor_ratio = r.peer_ratio = 0;
  r.bound = "", r.shape.k = 0;  // so that nothing is multiplied
  CHECK(row_of(r) == "portable openmp tiled 16x16x16 500.0000 100.0% - - - - - - 0.013\n");
}

TEST_CASE("a table says who chose a kernel, and why there is no time", "[tables]") {
  Result r = measured();
  r.automatic = true;
  CHECK(row_of(r).starts_with("portable openmp tiled (auto) 16x16x16 500"));
  r.tuned = true;
  CHECK(row_of(r).starts_with("portable openmp tiled (tuned) 16x16x16 500"));
  r.status = "failed", r.reason = "too large";
  CHECK(row_of(r) == "portable openmp tiled (tuned) 16x16x16 FAILED: too large\n");
}

TEST_CASE("what cannot run is one line below the table, by the problem", "[tables]") {
  Result naive = measured(), tiled = measured(), tuned = measured();
  naive.kernel = "naive", naive.tile = "", naive.reason = "too many threads (9): take fewer";
  tiled.reason = "tile does not divide (m 5): take another", tuned.reason = "tile does not divide (m 6): no";
  tuned.automatic = tuned.tuned = true;
  for (Result* r : {&naive, &tiled, &tuned}) r->status = "unsupported";
  const auto text = [](const std::vector<Result>& results) {
    return printed([&] { print_table("a product", results); });
  };
  CHECK(text({tiled}) ==
        "\na product\nn/a: portable tiled 16x16x16: tile does not divide (m 5): take another\n");
  CHECK(text({tiled, naive, tuned}) ==
        "\na product\nn/a: tile does not divide (portable tiled 16x16x16, portable tiled (tuned) 16x16x16); "
        "too many threads (portable naive)\n");
  const std::string table = text({tiled, measured()});
  CHECK(std::count(table.begin(), table.end(), '\n') == 5);
  CHECK(table.ends_with("0.013\nn/a: portable tiled 16x16x16: tile does not divide (m 5): take another\n"));
}

TEST_CASE("a summary's table has a row for each kind of products that there were", "[tables]") {
  Summary s;
  s.path = "native", s.backend = "cuda", s.dtype = "fp32", s.math = "tf32";
  CHECK(printed([&] { print_summaries({s}); }).find("native") == std::string::npos);
  Result r = measured();
  s.aligned.add(r, 2), s.aligned.add(r, 0.5), s.unaligned.add(r, 0);
  std::string text = printed([&] { print_summaries({s}); });
  CHECK(text.find("aligned  1.00   0.50  2x3x4 rcr         2        0\n") != std::string::npos);
  CHECK(text.find("unaligned     -      -          -         0        1\n") != std::string::npos);
  CHECK(text.find("all, peer") == std::string::npos);
  s.peer.add(r, 3);
  text = printed([&] { print_summaries({s}); });
  CHECK(text.find("all, peer  3.00   3.00  2x3x4 rcr         1        0\n") != std::string::npos);
}

}  // namespace
}  // namespace rooftile::perf
