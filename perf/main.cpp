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

namespace rooftile::perf {

std::vector<const Command*>& commands() {
  static std::vector<const Command*> registered;
  return registered;
}

Command::Command(std::string name_, std::string summary_, Setup setup_)
    : name(std::move(name_)), summary(std::move(summary_)), setup(std::move(setup_)) {
  auto& all = commands();
  all.insert(std::upper_bound(all.begin(), all.end(), this,
                              [](const Command* a, const Command* b) { return a->name < b->name; }),
             this);
}

}  // namespace rooftile::perf

namespace {

std::string known_commands() {
  std::string names;
  for (const auto* command : rooftile::perf::commands()) {
    names += (names.empty() ? "" : ", ") + command->name;
  }
  return names;
}

/// CLI11 would only say that it did not expect the word.
void check_subcommand(const std::string& first) {
  const auto& known = rooftile::perf::commands();
  if (first.starts_with("-") ||
      std::any_of(known.begin(), known.end(), [&](const auto* command) { return command->name == first; })) {
    return;
  }
  throw rooftile::Error("unknown subcommand (" + first + "): take one of " + known_commands());
}

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
  CLI::App app{"Rooftile: portable, native and vendor matrix multiplication under one roofline", "rooftile"};
  app.set_version_flag("--version", version_text, "version, commit, and how the program was built");
  app.require_subcommand(0, 1);

  Command::Run run;
  for (const Command* command : commands()) {
    CLI::App& sub = *app.add_subcommand(command->name, command->summary);
    sub.callback([&run, action = command->setup(sub)] { run = action; });
    refuse_empty_texts(sub);
  }
  try {
    check_instruction_set();
    if (argc > 1) check_subcommand(argv[1]);
    app.parse(argc, argv);
    if (!run) throw rooftile::Error("no subcommand: take one of " + known_commands());
    return run();
  } catch (const CLI::ParseError& error) {
    std::ostringstream help;
    const int ended = app.exit(error, help) == 0 ? ok : bad_usage;
    fmt::print("{}", help.str());
    return ended;
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
