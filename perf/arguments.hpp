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

/// Declares the options of a subcommand. Only `arguments.cpp` includes CLI11, because its headers take
/// seconds to compile.
namespace rooftile::perf {

/// Checks the text of an option and may replace it by another spelling of its value.
/// @return the problem, which follows the option's name in the message; empty: none
using Check = std::function<std::string(std::string& text)>;

/// One option or positional argument. Methods return the option, so that calls can be chained.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option* required();
  /// `--help` shows the variable's current value as the default.
  Option* capture_default_str();
  Option* transform(Check check);
  /// Restricts the value to one of these names, which `--help` lists.
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

  /// Adds an option, or a positional argument if the name does not start with a dash. Only types T that
  /// `arguments.cpp` instantiates are supported.
  /// @param value  keeps its value if the option is not given; must outlive the parse
  template <class T>
  Option* add_option(const std::string& name, T& value, const std::string& help = {});
  Option* add_flag(const std::string& name, bool& value, const std::string& help);
  /// Sets the `--help` heading for the options added after this call.
  void group(const std::string& heading) { group_ = heading; }
  Option* get_option(const std::string& name);

  /// The given options as command-line words, in the order of declaration.
  std::vector<std::string> given() const;

 private:
  Option* keep(CLI::Option* option);

  CLI::App* app_;
  std::string group_ = "Options";
  std::deque<Option> options_;  ///< a deque keeps addresses stable
};

/// The text of `rooftile --version`, without the last line break.
std::string version_text();

/// Parses the program's arguments, without the program name, and runs the subcommand. @return an ExitCode
/// @throws exceptions of the subcommand; Error if there is no subcommand
int run_command_line(std::vector<std::string> words);

}  // namespace rooftile::perf
