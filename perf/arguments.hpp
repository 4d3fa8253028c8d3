// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

/// Declares the options of a subcommand. CLI11 parses them; `arguments.cpp` alone includes it, since it takes
/// seconds to compile.
namespace rooftile::perf {

/// Reads the text of an option and may replace it by another spelling of its value.
/// @return the problem, which follows the option's name in the message; empty: none
using Check = std::function<std::string(std::string& text)>;

/// One option or positional argument. Its methods return itself, to be chained.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option* required();
  /// `--help` shows the value that the variable has now.
  Option* capture_default_str();
  Option* transform(Check check);
  /// The value is one of these names, which `--help` shows.
  Option* one_of(std::vector<std::string> names);
  Option* needs(Option* other);
  template <class... Options>
  Option* excludes(Option* first, Options*... rest) {
    exclude(first);
    (exclude(rest), ...);
    return this;
  }

  std::size_t count() const;
  explicit operator bool() const { return count() > 0; }

 private:
  void exclude(Option* other);

  CLI::Option* option_;
};

class Arguments {
 public:
  explicit Arguments(CLI::App& app) : app_(&app) {}

  /// An option, or a positional argument if the name does not start with a dash. `arguments.cpp` instantiates
  /// T.
  /// @param value  keeps its value if the option is not given; outlives the parse
  template <class T>
  Option* add_option(const std::string& name, T& value, const std::string& help = {});
  Option* add_flag(const std::string& name, bool& value, const std::string& help);
  /// The heading of `--help` above the options that follow.
  void group(const std::string& heading) { group_ = heading; }
  Option* get_option(const std::string& name);

  /// The options that were given, as they would be typed, in the order of their declaration.
  std::vector<std::string> given() const;

 private:
  Option* keep(CLI::Option* option);

  CLI::App* app_;
  std::string group_ = "Options";
  std::deque<Option> options_;  ///< whose addresses stay
};

/// What `rooftile --version` prints, without the last line break.
std::string version_text();

/// Parses the program's arguments, without its name, and runs the subcommand. @return an ExitCode
/// @throws what the subcommand throws; Error if there is no subcommand
int run_command_line(std::vector<std::string> words);

}  // namespace rooftile::perf
