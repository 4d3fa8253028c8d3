// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "command.hpp"
#include "rooftile/error.hpp"
#include "version.hpp"

namespace rooftile::perf {

Option* Option::required() {
  option_->required();
  return this;
}

Option* Option::capture_default_str() {
  option_->capture_default_str();
  return this;
}

Option* Option::transform(Check check) {
  option_->transform(CLI::Validator(std::move(check), ""));
  return this;
}

Option* Option::one_of(std::vector<std::string> names) {
  option_->check(CLI::IsMember(std::move(names)));
  return this;
}

Option* Option::needs(Option* other) {
  option_->needs(other->option_);
  return this;
}

void Option::exclude(Option* other) {
  option_->excludes(other->option_);
}

std::size_t Option::count() const {
  return option_->count();
}

template <class T>
Option* Arguments::add_option(const std::string& name, T& value, const std::string& help) {
  return keep(app_->add_option(name, value, help));
}

template Option* Arguments::add_option(const std::string&, int&, const std::string&);
template Option* Arguments::add_option(const std::string&, std::int64_t&, const std::string&);
template Option* Arguments::add_option(const std::string&, std::uint64_t&, const std::string&);
template Option* Arguments::add_option(const std::string&, double&, const std::string&);
template Option* Arguments::add_option(const std::string&, std::string&, const std::string&);
template Option* Arguments::add_option(const std::string&, std::optional<std::string>&, const std::string&);
template Option* Arguments::add_option(const std::string&, std::vector<std::string>&, const std::string&);

Option* Arguments::add_flag(const std::string& name, bool& value, const std::string& help) {
  return keep(app_->add_flag(name, value, help));
}

Option* Arguments::get_option(const std::string& name) {
  return keep(app_->get_option(name));
}

Option* Arguments::keep(CLI::Option* option) {
  return &options_.emplace_back(option);
}

std::vector<std::string> Arguments::given() const {
  std::vector<std::string> words;
  for (const CLI::Option* option : std::as_const(*app_).get_options()) {
    for (const std::string& text : option->results()) {
      words.push_back(option->get_name());
      if (option->get_items_expected_max() > 0) words.push_back(text);
    }
  }
  return words;
}

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

namespace {

std::string known_commands() {
  std::string names;
  for (const Command* command : commands()) names += (names.empty() ? "" : ", ") + command->name;
  return names;
}

/// CLI11 would only say that it did not expect the word.
void check_subcommand(const std::string& first) {
  const auto& known = commands();
  if (first.starts_with("-") || std::any_of(known.begin(), known.end(),
                                            [&](const Command* command) { return command->name == first; })) {
    return;
  }
  throw Error("unknown subcommand (" + first + "): take one of " + known_commands());
}

/// An empty text would read as if the option had not been given.
void refuse_empty_texts(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() == 0) continue;  // a flag
    option->transform(CLI::Validator(
        [](std::string& text) { return text.empty() ? "empty (''): give a value" : std::string(); }, ""));
  }
}

}  // namespace

int run_command_line(std::vector<std::string> words) {
  CLI::App app{"Rooftile: portable, native and vendor matrix multiplication under one roofline", "rooftile"};
  app.set_version_flag("--version", version_text, "version, commit, and how the program was built");
  app.require_subcommand(0, 1);

  Command::Run run;
  std::deque<Arguments> arguments;  // which outlive the run
  for (const Command* command : commands()) {
    CLI::App& sub = *app.add_subcommand(command->name, command->summary);
    sub.callback([&run, action = command->setup(arguments.emplace_back(sub))] { run = action; });
    refuse_empty_texts(sub);
  }
  try {
    if (!words.empty()) check_subcommand(words.front());
    std::reverse(words.begin(), words.end());  // CLI11 takes the words from the end
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    std::ostringstream text;
    const int ended = app.exit(error, text) == 0 ? ok : bad_usage;
    fmt::print("{}", text.str());
    return ended;
  }
  if (!run) throw Error("no subcommand: take one of " + known_commands());
  return run();
}

}  // namespace rooftile::perf
