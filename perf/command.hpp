// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "arguments.hpp"

namespace rooftile::perf {

/// The exit codes of every subcommand. Bad usage, 2, is `rooftile::Error` or the refusal of the parser.
/// A run that a signal ended early adds the signal's number to `interrupted`, as shells do.
enum ExitCode { ok = 0, check_failed = 1, bad_usage = 2, interrupted = 128 };

/// One subcommand of the program. A file in `commands/` holds one and registers it with a static object:
/// `static const Command bench{"bench", "How fast is it?", {"rooftile bench"}, setup};`
struct Command {
  using Run = std::function<int()>;
  using Setup = std::function<Run(Arguments&)>;

  /// @param question  that it answers, one line for `--help`
  /// @param setup     declares the options on `app`, returns what runs once they are parsed
  Command(std::string name, std::string question, std::vector<std::string> examples, Setup setup);

  std::string name;
  std::string question;
  std::vector<std::string> examples;
  Setup setup;
};

std::vector<const Command*>& commands();

}  // namespace rooftile::perf
