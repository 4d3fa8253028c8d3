// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

#include "command.hpp"
#include "rooftile/error.hpp"
#include "rooftile/version.hpp"

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

}  // namespace

int main(int argc, char** argv) {
  using namespace rooftile::perf;
  CLI::App app{"Rooftile: portable, native and vendor matrix multiplication under one roofline", "rooftile"};
  app.set_version_flag("--version", rooftile::version);
  app.require_subcommand(0, 1);

  Command::Run run;
  for (const Command* command : commands()) {
    CLI::App& sub = *app.add_subcommand(command->name, command->summary);
    sub.callback([&run, action = command->setup(sub)] { run = action; });
  }
  try {
    if (argc > 1) check_subcommand(argv[1]);
    app.parse(argc, argv);
    if (!run) throw rooftile::Error("no subcommand: take one of " + known_commands());
    return run();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? ok : bad_usage;
  } catch (const rooftile::Error& error) {
    std::fprintf(stderr, "rooftile: %s\n", error.what());
    return bad_usage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rooftile: %s\n", error.what());
    return check_failed;
  }
}
