// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdio>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <sys/wait.h>

/// What a run of the program ROOFTILE_PROGRAM left.
struct Ran {
  int status;
  std::string text;  ///< what reached the test
};

/// @param arguments  as typed in a shell, with all redirections
inline Ran run_redirected(const std::string& arguments) {
  const std::string line = std::string("'" ROOFTILE_PROGRAM "' ") + arguments;
  std::FILE* pipe = popen(line.c_str(), "r");
  REQUIRE(pipe != nullptr);
  Ran ran;
  std::array<char, 4096> buffer;
  while (const std::size_t read = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    ran.text.append(buffer.data(), read);
  }
  ran.status = WEXITSTATUS(pclose(pipe));
  return ran;
}

/// Standard output and error together.
/// @param arguments  as typed in a shell
inline Ran run_program(const std::string& arguments) {
  return run_redirected(arguments + " 2>&1");
}
