// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <sstream>

#include <fmt/format.h>

#include "parse.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {

namespace {

template <class Wanted>
std::vector<std::string> names_of(const Wanted& wanted) {
  std::vector<std::string> names;
  for (const Mode& mode : modes) {
    if (wanted(mode)) names.emplace_back(mode.name);
  }
  return names;
}

}  // namespace

std::vector<std::string> all_math_names() {
  return names_of([](const Mode&) { return true; });
}

std::vector<std::string> math_names() {
  return names_of([](const Mode& mode) { return !mode.is_mixed(); });
}

std::vector<std::string> type_names() {
  return names_of([](const Mode& mode) { return mode.is_own() && !mode.is_mixed(); });
}

ComputeMode math_named(const std::string& name) {
  return std::find_if(std::begin(modes), std::end(modes), [&](const Mode& mode) { return mode.name == name; })
      ->math;
}

std::vector<std::string> backend_names() {
  std::istringstream words(ROOFTILE_BACKEND_FOLDERS);
  return {std::istream_iterator<std::string>(words), {}};
}

std::string listed(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

/// A check that replaces the text by the spelling of the value that `read(text, value)` parsed.
template <class Value, class Read>
Check reading(const Read& read, const std::string& wanted, const std::string& range) {
  return [read, wanted, range](std::string& text) -> std::string {
    Value value{};
    switch (read(text, value)) {
      case Reading::no_number:
        return fmt::format("not {} ({}): give {}", wanted, detail::visible(text), range);
      case Reading::out_of_range:
        return fmt::format("out of range ({}): give {}", text, range);
      default:
        text = fmt::format("{}", value);
        return {};
    }
  };
}

Check whole(model::Count least, model::Count most) {
  return reading<model::Count>(
      [=](const std::string& text, model::Count& value) { return read_whole(text, least, most, value); },
      "a whole number", fmt::format("{} to {}", least, most));
}

Check random_seed() {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return reading<std::uint64_t>(
      [](const std::string& text, std::uint64_t& value) {
        return read_whole(text, std::uint64_t{0}, most, value);
      },
      "a whole number", fmt::format("0 to {}", most));
}

Check number(double least, double most) {
  return reading<double>(
      [=](const std::string& text, double& value) { return read_number(text, least, most, value); },
      "a number", fmt::format("{:g} to {:g}", least, most));
}

Check finite() {
  return reading<double>(
      [](const std::string& text, double& value) {
        return read_number(text, std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max(),
                           value);
      },
      "a number", "a finite number");
}

Check positive() {
  return reading<double>(
      [](const std::string& text, double& value) { return read_number(text, 1e-100, 1e100, value); },
      "a number", "a positive number, 1e-100 to 1e100");
}

Option* add_seed_option(Arguments& app, std::uint64_t& seed, const std::string& of) {
  return app.add_option("--seed", seed, "seed " + of)->transform(random_seed())->capture_default_str();
}

Option* add_samples_option(Arguments& app, std::size_t& samples, const std::string& help) {
  return app.add_option("--samples", samples, help)->transform(whole(1, 100000))->capture_default_str();
}

Option* add_gpu_option(Arguments& app, int& number) {
  return app.add_option("--gpu", number, "index of the GPU, if there are several")
      ->transform(whole(0, 1000))
      ->capture_default_str();
}

Option* add_device_option(Arguments& app, std::string& name) {
  return app.add_option("--device", name, "a built-in device: see `rooftile devices`");
}

const model::Device& device_option(const std::string& name) {
  try {
    return model::find_device(name);
  } catch (const Error& error) {
    throw Error(std::string("--device: ") + error.what());
  }
}

Option* add_bytes_option(Arguments& app, const std::string& name, model::Count& bytes,
                         const std::string& help, model::Count least) {
  return app.add_option(name, bytes, help)
      ->transform(reading<model::Count>(
          [least](const std::string& text, model::Count& value) {
            return read_bytes(text, least, model::unlimited, value);
          },
          "a number of bytes", fmt::format("{} to {}, such as 4096 or 4KB", least, model::unlimited)));
}

}  // namespace rooftile::perf
