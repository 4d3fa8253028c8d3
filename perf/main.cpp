// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <system_error>

#include <fmt/core.h>

#include "backends/openmp/instruction_set.hpp"
#include "command.hpp"
#include "options.hpp"
#include "rooftile/error.hpp"
#include "standard_output.hpp"
#include "version.hpp"

namespace {

/// The library would say so and take the best set; here nobody would see which one was measured.
void check_instruction_set() {
  const char* const wanted = std::getenv("ROOFTILE_ISA");
  if (wanted == nullptr || *wanted == '\0') return;
  if (const std::string problem = rooftile::portable::isa_problem(wanted); !problem.empty())
    throw rooftile::Error(problem);
}

/// Parses and runs.
/// @return an ExitCode
/// @throws std::system_error where standard output takes no more
int run(int argc, char** argv) {
  using namespace rooftile::perf;
  try {
    check_instruction_set();
    return run_command_line({argv + std::min(argc, 1), argv + argc});
  } catch (const rooftile::Error& error) {
    std::fprintf(stderr, "rooftile: %s\n", error.what());
    return bad_usage;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "rooftile: out of memory on the host: free some, or ask for less\n");
    return check_failed;
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) throw;
    std::fprintf(stderr, "rooftile: %s\n", error.what());
    return check_failed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rooftile: %s\n", error.what());
    return check_failed;
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace rooftile::perf;
  std::string lost = "it is closed";
  int ended = check_failed;
  hold_limit_signal();
  if (hold_standard_streams()) {
    try {
      ended = run(argc, argv);
      lost = lost_output();
    } catch (const std::system_error& error) {
      lost = error.code().message();
    }
  }
  if (lost.empty()) return ended;
  std::fprintf(stderr,
               "rooftile: standard output was lost (%s): give a file on which there is space, or a pipe\n",
               lost.c_str());
  return check_failed;
}
