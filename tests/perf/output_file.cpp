// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "perf/writers/output_file.hpp"

#include <filesystem>
#include <fstream>
#include <thread>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/multiply.hpp"
#include "tests/support/scratch_folder.hpp"

namespace rooftile::perf {
namespace {

namespace fs = std::filesystem;
using testing::text_of;

/// The folder that the tests write to.
struct Folder : testing::ScratchFolder {
  fs::path file() const { return *this / "x.json"; }
  fs::path part() const { return *this / "x.json.part"; }
};

/// The message that refuses an output file before the run.
std::string refusal(const fs::path& path) {
  return testing::problem([&] { OutputFile("--json", path.string()); });
}
std::string cannot(const fs::path& path, const std::string& reason) {
  return "output cannot be written (--json " + path.string() + ", " + reason + ")";
}

TEST_CASE("a run's text lies beside the file so far, and in it when the run ends", "[output_file]") {
  const Folder folder;
  std::ofstream(folder.file()) << "older";
  const OutputFile output("--json", folder.file().string());
  CHECK(folder.files() == 1);
  for (const char* text : {"one", "one, two"}) {
    CHECK(output.keep(text));
    CHECK(text_of(folder.part()) == text);
    CHECK(text_of(folder.file()) == "older");
    CHECK(folder.files() == 2);
  }
  output.write("one, two, three");
  CHECK(text_of(folder.file()) == "one, two, three");
  CHECK(folder.files() == 1);
}

TEST_CASE("an unfinished run's text stays until the next run has some", "[output_file]") {
  const Folder folder;
  OutputFile("--json", folder.file().string()).keep("of the first");
  const OutputFile second("--json", folder.file().string());
  CHECK(text_of(folder.part()) == "of the first");
  CHECK_FALSE(fs::exists(folder.file()));
  second.keep("of the second");
  CHECK(text_of(folder.part()) == "of the second");
}

TEST_CASE("an interrupted run replaces the file, whose older text stays beside it", "[output_file]") {
  const Folder folder;
  const OutputFile output("--json", folder.file().string());
  CHECK_FALSE(output.write_early("of the first"));
  CHECK((text_of(folder.file()) == "of the first" && folder.files() == 1));
  output.keep("of the second");
  CHECK(output.write_early("of the second"));
  CHECK((text_of(folder.file()) == "of the second" && text_of(output.before()) == "of the first"));
  CHECK(folder.files() == 2);
  fs::remove(output.before());
  fs::create_directory(output.before());  // in the way
  output.keep("of the third");
  CHECK_THROWS_AS(output.write_early("of the third"), OutputLost);
  CHECK((text_of(folder.file()) == "of the second" && text_of(folder.part()) == "of the third"));
}

TEST_CASE("a lost end of a run leaves its text so far", "[output_file]") {
  const Folder folder;
  const OutputFile output("--json", folder.file().string());
  output.keep("so far");
  fs::create_directory(folder / "x.json.part.new");  // in the way
  CHECK_THROWS_AS(output.write("all"), OutputLost);
  CHECK(text_of(folder.part()) == "so far");
}

TEST_CASE("a device gets the end alone, and no file beside it", "[output_file]") {
  const OutputFile output("--json", "/dev/null");
  CHECK_FALSE(output.keep("one"));
  output.write("one, two");
  CHECK_FALSE(fs::exists("/dev/null.part"));
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("a pipe gets the end", "[output_file]") {
  const Folder folder;
  const fs::path pipe = folder / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::string read;
  {
    std::jthread reader([&] { read = text_of(pipe); });
    const OutputFile output("--json", pipe.string());
    output.keep("one");
    output.write("one, two");
  }
  CHECK(read == "one, two");
  CHECK(folder.files() == 1);
}

TEST_CASE("lost output says why", "[output_file]") {
  const OutputFile full("--json", "/dev/full");
  CHECK_THROWS_MATCHES(full.write("text"), OutputLost,
                       Catch::Matchers::MessageMatches(Catch::Matchers::StartsWith(
                           "output was lost (--json /dev/full, No space left on device)")));
}

TEST_CASE("a path that cannot be written is refused before the run, with the system's reason",
          "[output_file]") {
  const Folder folder;
  std::ofstream(folder.file()) << "older";
  fs::create_symlink("b", folder / "a");
  fs::create_symlink("a", folder / "b");
  fs::create_symlink("no/x", folder / "nowhere");
  fs::create_directory(folder / "y.part");
  // The long names exceed the limit together with their suffix.
  for (const auto& [path, reason] : {std::pair{folder / "", "Is a directory"},
                                     {folder / "no/x", "No such file or directory"},
                                     {folder / std::string(250, 'x'), "File name too long"},
                                     {folder / std::string(256, 'x'), "File name too long"},
                                     {folder / std::string(5000, 'x'), "File name too long"},
                                     {folder.file() / "x", "Not a directory"},
                                     {folder / "a", "Too many levels of symbolic links"},
                                     {folder / "nowhere", "No such file or directory"},
                                     {folder / "y", "Is a directory"}})
    CHECK(refusal(path) == cannot(path, reason));
  fs::permissions(folder.file(), fs::perms::owner_read);
  CHECK(refusal(folder.file()) == cannot(folder.file(), "Permission denied"));
  CHECK((text_of(folder.file()) == "older" && folder.files() == 5));
}

TEST_CASE("a symbolic link stays, and its target is written", "[output_file]") {
  const Folder folder;
  fs::create_directory(folder / "data");
  std::ofstream(folder / "data/old") << "older";
  fs::permissions(folder / "data/old", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("data/old", folder / "old");
  fs::create_symlink("data/new", folder / "new");  // a dangling link
  fs::create_symlink("new", folder / "newer");
  for (const char* link : {"old", "newer"}) {
    const OutputFile output("--json", (folder / link).string());
    output.keep("part");
    output.write(link);
    CHECK(fs::is_symlink(folder / link));
  }
  CHECK(fs::is_symlink(folder / "new"));
  CHECK(text_of(folder / "data/old") == "old");
  CHECK(text_of(folder / "data/new") == "newer");
  CHECK(fs::status(folder / "data/old").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(folder.files() == 4);
}

}  // namespace
}  // namespace rooftile::perf
