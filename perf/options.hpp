// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "rooftile/error.hpp"
#include "rooftile/model/find_device.hpp"

namespace rooftile::perf {

/// A count of `least` or more, as an option's check; the message names the option.
inline CLI::Validator at_least(model::Count least) {
  return CLI::Range(least, model::unlimited);
}

/// A finite number, as an option's check: a result cannot be held against NaN.
inline CLI::Validator finite() {
  const auto problem = [](const std::string& text) {
    double value = 0;
    const bool fine = CLI::detail::lexical_cast(text, value) && std::isfinite(value);
    return fine ? std::string() : text + " is no finite number";
  };
  return CLI::Validator(problem, "FINITE");
}

/// A positive, finite number, as an option's check.
inline CLI::Validator positive() {
  const auto problem = [](const std::string& text) {
    double value = 0;
    const bool fine = CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value > 0;
    return fine ? std::string() : text + " is no positive number";
  };
  return CLI::Validator(problem, "POSITIVE");
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
  return app.add_option(name, bytes, help)->transform(CLI::AsSizeValue(false))->check(at_least(least));
}

/// `256`, `16x16` or `4x5x3`: the extents' product.
/// @throws Error that names the option
inline model::Count parse_extents(const std::string& option, const std::string& text) {
  model::Count product = 1;
  std::string_view rest = text;
  while (true) {
    model::Count extent = 0;
    const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), extent);
    const auto read = static_cast<std::size_t>(end - rest.data());
    const bool at_end = read == rest.size();
    if (problem != std::errc() || extent < 1 || extent > model::unlimited / product ||
        (!at_end && rest[read] != 'x')) {
      throw Error(detail::text(option, " is no count (", text, "): write 256 or 16x16, 1 to ",
                               model::unlimited, " in all"));
    }
    product *= extent;
    if (at_end) return product;
    rest.remove_prefix(read + 1);
  }
}

}  // namespace rooftile::perf
