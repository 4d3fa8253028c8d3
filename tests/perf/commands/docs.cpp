// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the examples of docs/model.md. ROOFTILE_DOCS is the folder, ROOFTILE_PROGRAM the program.
#include <fstream>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "run_program.hpp"

TEST_CASE("docs/model.md shows what the program prints", "[model]") {
  std::ifstream file(ROOFTILE_DOCS "/model.md");
  REQUIRE(file);
  const std::string prompt = "$ rooftile ", fence = "```";
  int examples = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(prompt, 0) != 0) continue;
    const std::string arguments = line.substr(prompt.size());
    std::string shown;
    while (std::getline(file, line) && line != fence) shown += line + '\n';
    CAPTURE(arguments);
    REQUIRE(run_program(arguments).text == shown);
    ++examples;
  }
  REQUIRE(examples > 10);
}
