// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "parse.hpp"
#include "rooftile/error.hpp"
#include "rooftile/model/find_device.hpp"
#include "rooftile/types.hpp"

/// Options and how their texts are read. The messages of checks follow the option's name.
namespace rooftile::perf {

/// The names of all compute modes.
inline std::vector<std::string> all_math_names() {
  std::vector<std::string> names;
  for (const Mode& mode : modes) names.emplace_back(mode.name);
  return names;
}
/// Those of products of one type, and of the element types.
inline std::vector<std::string> math_names() {
  std::vector<std::string> names;
  for (const Mode& mode : modes) {
    if (!mode.is_mixed()) names.emplace_back(mode.name);
  }
  return names;
}
inline std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const Mode& mode : modes) {
    if (mode.is_own() && !mode.is_mixed()) names.emplace_back(mode.name);
  }
  return names;
}

/// The mode of a name. @pre it is one of `all_math_names`
inline Math math_named(const std::string& name) {
  return std::find_if(std::begin(modes), std::end(modes), [&](const Mode& mode) { return mode.name == name; })
      ->math;
}

/// A check that hands on what `read(text, value)` made of the text, and not the text.
/// @param wanted  what a good text is
/// @param range   what is in range
template <class Value, class Read>
CLI::Validator reading(const Read& read, const std::string& wanted, const std::string& range) {
  const auto problem = [read, wanted, range](std::string& text) -> std::string {
    Value value{};
    switch (read(text, value)) {
      case Reading::no_number:
        return fmt::format("not {} ({}): give {}", wanted, text, range);
      case Reading::out_of_range:
        return fmt::format("out of range ({}): give {}", text, range);
      default:
        text = fmt::format("{}", value);
        return {};
    }
  };
  return CLI::Validator(problem, "");
}

/// A whole number of `least` to `most`.
inline CLI::Validator whole(model::Count least, model::Count most = model::unlimited) {
  return reading<model::Count>(
      [=](const std::string& text, model::Count& value) { return read_whole(text, least, most, value); },
      "a whole number", fmt::format("{} to {}", least, most));
}

/// The seed of random numbers: 64 bits.
inline CLI::Validator random_seed() {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return reading<std::uint64_t>(
      [](const std::string& text, std::uint64_t& value) {
        return read_whole(text, std::uint64_t{0}, most, value);
      },
      "a whole number", fmt::format("0 to {}", most));
}

/// A number of `least` to `most`.
inline CLI::Validator number(double least, double most) {
  return reading<double>(
      [=](const std::string& text, double& value) { return read_number(text, least, most, value); },
      "a number", fmt::format("{:g} to {:g}", least, most));
}

/// Any finite number: a result cannot be held against NaN.
inline CLI::Validator finite() {
  return reading<double>(
      [](const std::string& text, double& value) {
        return read_number(text, std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max(),
                           value);
      },
      "a number", "a finite number");
}

/// A positive quantity, in whatever unit, so far from the ends of what a double holds that no product of
/// three overflows.
inline CLI::Validator positive() {
  return reading<double>(
      [](const std::string& text, double& value) { return read_number(text, 1e-100, 1e100, value); },
      "a number", "a positive number, 1e-100 to 1e100");
}

/// `--gpu`: which of several is measured.
inline CLI::Option* add_gpu_option(CLI::App& app, int& number) {
  return app.add_option("--gpu", number, "number of the GPU, where there are several")
      ->transform(whole(0, 1000))
      ->capture_default_str();
}

/// `--device`, by name.
inline CLI::Option* add_device_option(CLI::App& app, std::string& name) {
  return app.add_option("--device", name, "a built-in device: see `rooftile devices`");
}

/// @throws Error that names the option
inline const model::Device& device_option(const std::string& name) {
  try {
    return model::find_device(name);
  } catch (const Error& error) {
    throw Error(std::string("--device: ") + error.what());
  }
}

/// An option that takes a byte count: `4096`, `4KB` (of 1,024) or `4KiB`.
inline CLI::Option* add_bytes_option(CLI::App& app, const std::string& name, model::Count& bytes,
                                     const std::string& help, model::Count least) {
  return app.add_option(name, bytes, help)
      ->transform(reading<model::Count>(
          [least](const std::string& text, model::Count& value) {
            return read_bytes(text, least, model::unlimited, value);
          },
          "a number of bytes", fmt::format("{} to {}, such as 4096 or 4KB", least, model::unlimited)));
}

/// What was given to a command, as it would be typed: the options in the order of their declaration.
inline std::vector<std::string> arguments_of(const CLI::App& app) {
  std::vector<std::string> arguments;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& text : option->results()) {
      arguments.push_back(option->get_name());
      if (option->get_items_expected_max() > 0) arguments.push_back(text);
    }
  }
  return arguments;
}

/// No option or argument of a command may be the empty text, which would read as if it were not there.
inline void refuse_empty_texts(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() == 0) continue;  // a flag
    option->transform(CLI::Validator(
        [](std::string& text) { return text.empty() ? "empty (''): give a value" : std::string(); }, ""));
  }
}

}  // namespace rooftile::perf
