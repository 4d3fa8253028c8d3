// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include "rooftile/error.hpp"

namespace rooftile::detail {

/// The limit for text files, in bytes. It prevents an endless device file from filling the memory.
inline constexpr std::size_t longest_text = std::size_t{64} << 20;

/// Returns the contents of a file.
/// @param named   name of the file in an Error
/// @param advice  advice at the end of an Error
/// @throws Error if the file cannot be read, with the system's reason, or is longer than `longest_text`
inline std::string read_text(const std::string& file, std::string_view named, std::string_view advice) {
  const auto refuse = [&](const std::string& why) {
    throw Error(text("cannot read (", named, ", ", why, "): ", advice));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rb"), &std::fclose);
  if (!stream) refuse(std::generic_category().message(errno));
  std::string all;
  std::array<char, 16384> buffer;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), stream.get())) {
    all.append(buffer.data(), count);
    if (all.size() > longest_text) refuse(text("more than ", longest_text, " bytes"));
  }
  if (std::ferror(stream.get()) != 0) refuse(std::generic_category().message(errno));
  return all;
}

}  // namespace rooftile::detail
