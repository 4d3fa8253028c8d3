// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <exception>

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

int main(int argc, char** argv) {
  using namespace rooftile::perf;
  CLI::App app{"Rooftile: portable, native and vendor matrix multiplication under one roofline", "rooftile"};
  app.set_version_flag("--version", rooftile::version);
  app.require_subcommand(1);

  Command::Run run;
  for (const Command* command : commands()) {
    CLI::App& sub = *app.add_subcommand(command->name, command->summary);
    sub.callback([&run, action = command->setup(sub)] { run = action; });
  }
  try {
    app.parse(argc, argv);
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
