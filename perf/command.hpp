// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "arguments.hpp"

namespace rooftile::perf {

/// Exit codes of all subcommands. `rooftile::Error` and parser errors give `bad_usage`. After a signal, the
/// exit code is `interrupted` plus the signal's number, as in shells.
enum ExitCode { ok = 0, check_failed = 1, bad_usage = 2, interrupted = 128 };

/// One subcommand of the program. Each file in `commands/` registers one static object: `static const Command
/// bench{"bench", "How fast is it?", {"rooftile bench"}, setup};`
struct Command {
  using Run = std::function<int()>;
  using Setup = std::function<Run(Arguments&)>;

  /// @param question  the question that the command answers, one line for `--help`
  /// @param setup     declares the options on `app` and returns the function that runs after parsing
  Command(std::string name, std::string question, std::vector<std::string> examples, Setup setup);

  std::string name;
  std::string question;
  std::vector<std::string> examples;
  Setup setup;
};

std::vector<const Command*>& commands();

}  // namespace rooftile::perf
