// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command.hpp"
#include "rooftile/error.hpp"
#include "rooftile/model/find_device.hpp"

namespace rooftile::perf {
namespace {

/// A name from before version 0.1.0 and its replacement.
struct FormerName {
  std::string_view name, replacement;
};
constexpr FormerName former_names[] = {
    {"cfp32_3m", "cfp32"}, {"cfp64_3m", "cfp64_int8"}, {"export", "report"},
    {"groups", "bench"},   {"--plot", "--html"},       {"--points", "--html"},
    {"--svg", "--html"},   {"--png", "--html"},        {"--static", "--html"}};

/// The replacement of a former name, or else the name with the smallest edit distance.
std::string nearest(const std::string& word, const std::vector<std::string>& names) {
  for (const auto& [name, replacement] : former_names) {
    if (word == name && std::find(names.begin(), names.end(), replacement) != names.end())
      return std::string(replacement);
  }
  return *std::min_element(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return model::detail::edits(word, a) < model::detail::edits(word, b);
  });
}

/// Formats `--help` without dependencies between options; error messages explain the dependencies.
class Help : public CLI::Formatter {
 public:
  Help() { column_width(24); }

  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text;
    if (option->get_type_size() != 0) {
      const std::string type = option->get_type_name();
      text += ' ' + type.substr(0, type.find(':'));
    }
    if (!option->get_default_str().empty()) text += '=' + option->get_default_str();
    if (option->get_expected_max() > 1) text += " ...";
    if (option->get_required()) text += " (required)";
    return text;
  }
};

}  // namespace

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
  option_->check(CLI::Validator(
      [names = std::move(names)](std::string& text) {
        if (std::find(names.begin(), names.end(), text) != names.end()) return std::string();
        return fmt::format("{} not in {{{}}}: did you mean {}?", text, fmt::join(names, ","),
                           nearest(text, names));
      },
      ""));
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
  return keep(app_->add_option(name, value, help)->group(group_));
}

template Option* Arguments::add_option(const std::string&, int&, const std::string&);
template Option* Arguments::add_option(const std::string&, std::int64_t&, const std::string&);
template Option* Arguments::add_option(const std::string&, std::uint64_t&, const std::string&);
template Option* Arguments::add_option(const std::string&, double&, const std::string&);
template Option* Arguments::add_option(const std::string&, std::string&, const std::string&);
template Option* Arguments::add_option(const std::string&, std::optional<std::string>&, const std::string&);
template Option* Arguments::add_option(const std::string&, std::vector<std::string>&, const std::string&);

Option* Arguments::add_flag(const std::string& name, bool& value, const std::string& help) {
  return keep(app_->add_flag(name, value, help)->group(group_));
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

Command::Command(std::string name_, std::string question_, std::vector<std::string> examples_, Setup setup_)
    : name(std::move(name_)),
      question(std::move(question_)),
      examples(std::move(examples_)),
      setup(std::move(setup_)) {
  auto& all = commands();
  all.insert(std::upper_bound(all.begin(), all.end(), this,
                              [](const Command* a, const Command* b) { return a->name < b->name; }),
             this);
}

namespace {

constexpr const char* first_steps =
    "Rooftile multiplies matrices and measures how fast. First steps:\n"
    "  rooftile devices                              which devices are here?\n"
    "  rooftile bench                                how fast are the kernels beside the vendor's?\n"
    "  rooftile bench --shape 1000x500x200 --all     how fast is each kernel on one product?\n"
    "  rooftile explain --m 1000 --n 1000 --k 1000   which kernel does a GPU take, and why?\n"
    "  rooftile bench --suite random:1               and then: rooftile report\n"
    "`rooftile --help` lists all commands, `rooftile COMMAND --help` explains one.\n";

/// @return null if no subcommand has the name
const Command* command_named(const std::string& name) {
  const auto found = std::find_if(commands().begin(), commands().end(),
                                  [&](const Command* command) { return command->name == name; });
  return found == commands().end() ? nullptr : *found;
}

// CLI11 would report an unexpected word without a suggestion.
void check_subcommand(const std::string& first) {
  if (first.starts_with("-") || command_named(first) != nullptr) return;
  std::vector<std::string> names;
  for (const Command* command : commands()) names.push_back(command->name);
  const Command& meant = *command_named(nearest(first, names));
  throw Error(fmt::format("unknown subcommand ({}): did you mean {}, as in `{}`?", first, meant.name,
                          meant.examples.front()));
}

// CLI11 would report unexpected words without a suggestion.
void check_options(const CLI::App& app, const std::vector<std::string>& words, const std::string& example) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const std::string& word : words) {
    if (word == "--") return;  // positional arguments follow
    const std::string name = word.substr(0, word.find('='));
    if (!name.starts_with("--") || std::find(names.begin(), names.end(), name) != names.end()) continue;
    throw Error(fmt::format("unknown option ({}): did you mean {}, as in `{}`?", name, nearest(name, names),
                            example));
  }
}

/// Refuses empty values, which would have the effect of an absent option.
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
  app.formatter(std::make_shared<Help>());

  Command::Run run;
  std::deque<Arguments> arguments;  // must outlive the run
  for (const Command* each : commands()) {
    CLI::App& sub = *app.add_subcommand(each->name, each->question);
    sub.footer(fmt::format("Examples:\n  {}\n", fmt::join(each->examples, "\n  ")));
    sub.callback([&run, action = each->setup(arguments.emplace_back(sub))] { run = action; });
    refuse_empty_texts(sub);
  }
  const Command* command = nullptr;
  if (!words.empty()) {
    check_subcommand(words.front());
    command = command_named(words.front());
    if (command != nullptr) {
      check_options(*app.get_subcommand(command->name), words, command->examples.front());
    } else {
      check_options(app, words, "rooftile --help");
    }
  }
  try {
    std::reverse(words.begin(), words.end());  // CLI11 takes the words from the end
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    std::ostringstream text;
    const int ended = app.exit(error, text) == 0 ? ok : bad_usage;
    fmt::print("{}", text.str());
    if (ended != ok && command != nullptr) fmt::print("Example: {}\n", command->examples.front());
    return ended;
  }
  if (run) return run();
  fmt::print("{}", first_steps);
  return ok;
}

}  // namespace rooftile::perf
