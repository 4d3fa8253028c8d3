// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the examples of docs/model.md, and makes the pictures and reports of docs/ again. ROOFTILE_DOCS is the
// folder, ROOFTILE_PROGRAM the program.
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "run_program.hpp"
#include "tests/support/scratch_folder.hpp"

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

TEST_CASE("pictures and reports of docs are what the commands beside them make", "[model]") {
  using rooftile::testing::text_of;
  namespace fs = std::filesystem;
  const fs::path root = fs::path(ROOFTILE_DOCS).parent_path(), before = fs::current_path();
  const rooftile::testing::ScratchFolder folder;
  fs::current_path(root);  // files are named from there
  std::set<std::string> made;
  for (const char* text : {"README.md", "docs/model.md", "docs/bench.md", "docs/results/h200.md"}) {
    std::ifstream file(text);
    REQUIRE(file);
    for (std::string line; std::getline(file, line);) {
      const std::string begin = "(`rooftile ";
      const std::size_t from = line.find(begin), target = line.find(" docs/", from),
                        end = line.find("`)", from);
      if (from == line.npos || target == line.npos || end < target) continue;
      const std::size_t target_end = std::min(line.find(' ', target + 1), end);
      const std::string kept = line.substr(target + 1, target_end - target - 1);
      const std::string again = folder / fs::path(kept).filename().string();
      const std::string arguments = line.substr(from + begin.size(), target - from - begin.size()) + " '" +
                                    again + "'" + line.substr(target_end, end - target_end);
      CAPTURE(arguments);
      CHECK(run_program(arguments).status == 0);
      CHECK((text_of(again) == text_of(kept)));  // which are too long to print
      made.insert(kept);
    }
  }
  fs::current_path(before);
  CHECK(made.size() == 4);
}
