// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "tests/support/scratch_folder.hpp"

/// Runs of the program, and files like those of `rooftile bench --json`, with the members that other commands
/// read.
namespace rooftile::testing {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

/// The result of running the program ROOFTILE_PROGRAM.
struct Ran {
  int status;
  std::string text;  ///< captured output
};

/// A folder of this process for the state that the program keeps between runs.
inline const ScratchFolder& state_folder() {
  static const ScratchFolder folder;
  return folder;
}

/// @param arguments  as typed in a shell, including redirections
inline Ran run_redirected(const std::string& arguments) {
  const std::string state = (state_folder() / "").string();
  setenv("XDG_STATE_HOME", state.c_str(), 0);  // unless a test has set it
  const std::string line = std::string("'" ROOFTILE_PROGRAM "' ") + arguments;
  std::FILE* pipe = popen(line.c_str(), "r");
  REQUIRE(pipe != nullptr);
  Ran ran;
  std::array<char, 4096> buffer;
  while (const std::size_t read = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    ran.text.append(buffer.data(), read);
  }
  ran.status = WEXITSTATUS(pclose(pipe));
  return ran;
}

/// Captures standard output and standard error together.
/// @param arguments  as typed in a shell
inline Ran run_program(const std::string& arguments) {
  return run_redirected(arguments + " 2>&1");
}

/// Checks that the program refuses a command with this text.
inline Ran refused(const std::string& arguments, const std::string& text) {
  INFO(arguments);
  const Ran ran = run_program(arguments);
  CHECK(ran.status == 2);
  CHECK_THAT(ran.text, ContainsSubstring(text));
  return ran;
}

/// A result for a kernel on n³ on a device. 0 GFLOP/s: the kernel did not run.
inline json bench_row(const std::string& device, const std::string& backend, const std::string& path,
                      const std::string& math, int n, double gflops) {
  json r = {{"device", device}, {"backend", backend},
            {"path", path},     {"dtype", math.starts_with("tf32") ? "fp32" : math},
            {"math", math},     {"kernel", "tiled"},
            {"tile", "8x8x8"},  {"m", n},
            {"n", n},           {"k", n},
            {"batch", 1},       {"layout", "rrr"},
            {"aligned", true},  {"alpha", 1.0},
            {"beta", 0.0},      {"seed", 1}};
  r["status"] = gflops > 0 ? "ok" : "unsupported";
  if (gflops == 0) return r;
  r["error"] = {{"ratio", 0.1}, {"rows_checked", n}};
  r["seconds"] = {{"median", 2}, {"min", 1}, {"max", 3}, {"count", 3}, {"samples", {2, 3, 1}}};
  r["gflops"] = gflops, r["intensity"] = n / 6.0;
  return r;
}

/// The result of a kernel that computed a wrong product.
inline json failed_row(json r, const std::string& reason) {
  r["status"] = "failed", r["reason"] = reason;
  r.erase("seconds"), r.erase("gflops"), r.erase("intensity");
  return r;
}

inline json bench_device(const std::string& device, const std::string& backend) {
  return {{"name", device},
          {"backend", backend},
          {"ceilings", {{"fp32_gflops", 500}, {"fp64_gflops", 250}, {"bandwidth_gbs", 80}}}};
}

inline json bench_json(const std::vector<json>& devices, const std::vector<json>& results) {
  const json host = {
      {"date", "2026-11-21T06:00:00Z"}, {"rooftile", "1.2.3"}, {"compiler", "GNU 1"}, {"threads", 1}};
  return {{"schema", 3}, {"host", host}, {"devices", devices}, {"results", results}};
}

}  // namespace rooftile::testing
