// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "perf/output_file.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <catch2/catch_test_macros.hpp>

#include "tests/temporary_folder.hpp"

namespace rooftile::perf {
namespace {

namespace fs = std::filesystem;

/// Where a test writes its file.
struct Folder : testing::TemporaryFolder {
  fs::path file() const { return path / "x.json"; }
  fs::path part() const { return path / "x.json.part"; }
  auto files() const { return std::distance(fs::directory_iterator(path), fs::directory_iterator()); }
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("what a run has so far lies beside the file, and in it when the run ends", "[output_file]") {
  const Folder folder;
  std::ofstream(folder.file()) << "older";
  const OutputFile output("--json", folder.file().string());
  CHECK(folder.files() == 1);
  for (const char* text : {"one", "one, two"}) {
    output.keep(text);
    CHECK(text_of(folder.part()) == text);
    CHECK(text_of(folder.file()) == "older");
    CHECK(folder.files() == 2);
  }
  output.write("one, two, three");
  CHECK(text_of(folder.file()) == "one, two, three");
  CHECK(folder.files() == 1);
}

TEST_CASE("what a run that did not end has left stays until the next has something", "[output_file]") {
  const Folder folder;
  OutputFile("--json", folder.file().string()).keep("of the first");
  const OutputFile second("--json", folder.file().string());
  CHECK(text_of(folder.part()) == "of the first");
  CHECK_FALSE(fs::exists(folder.file()));
  second.keep("of the second");
  CHECK(text_of(folder.part()) == "of the second");
}

TEST_CASE("an end that cannot be written leaves what was kept", "[output_file]") {
  const Folder folder;
  const OutputFile output("--json", folder.file().string());
  output.keep("so far");
  fs::create_directory(folder.path / "x.json.part.new");  // in the way
  CHECK_THROWS(output.write("all"));
  CHECK(text_of(folder.part()) == "so far");
}

TEST_CASE("of what is no file, only the end is written, and nothing beside it", "[output_file]") {
  const OutputFile output("--json", "/dev/null");
  output.keep("one");
  output.write("one, two");
  CHECK_FALSE(fs::exists("/dev/null.part"));
  CHECK(fs::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace rooftile::perf
