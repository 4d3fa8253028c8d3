// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the examples of docs/model.md and the commands in the docs that make pictures and reports.
// ROOFTILE_DOCS is the folder docs/, ROOFTILE_PROGRAM the program.
#include <algorithm>
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

// A picture in docs/ is what its command makes. A picture or report in build/ is not kept in the repository:
// its command makes a whole file, and the same one twice.
TEST_CASE("the commands in the docs make their pictures and reports", "[model]") {
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
      const std::size_t from = line.find(begin), end = line.find("`)", from);
      if (from == line.npos || end == line.npos) continue;
      const std::size_t in_docs = line.find(" docs/", from), in_build = line.find(" build/", from);
      const std::size_t target = std::min(in_docs, in_build);
      if (target > end) continue;
      const std::size_t target_end = std::min(line.find(' ', target + 1), end);
      const std::string named = line.substr(target + 1, target_end - target - 1);
      const auto make = [&](const std::string& file) {
        const std::string made_file = folder / file;
        const std::string arguments = line.substr(from + begin.size(), target - from - begin.size()) + " '" +
                                      made_file + "'" + line.substr(target_end, end - target_end);
        CAPTURE(arguments);
        CHECK(run_program(arguments).status == 0);
        return text_of(made_file);
      };
      const std::string name = fs::path(named).filename().string();
      CAPTURE(named);
      const std::string again = make(name);
      CHECK(again.find(fs::path(name).extension() == ".html" ? "</html>" : "</svg>") != again.npos);
      // The texts are too long to print.
      CHECK((again == (target == in_docs ? text_of(named) : make("twice-" + name))));
      made.insert(named);
    }
  }
  fs::current_path(before);
  CHECK(made.size() == 4);
}
