// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "png.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rooftile/error.hpp"

namespace rooftile::perf {
namespace {

namespace fs = std::filesystem;

constexpr int zoom = 3;
constexpr std::array browsers = {"chromium", "chromium-browser", "google-chrome"};

/// A folder of our own, gone with what is in it.
class Folder {
 public:
  Folder() : path_((fs::temp_directory_path() / "rooftile-XXXXXX").string()) {
    if (mkdtemp(path_.data()) != nullptr) return;
    throw Error(rooftile::detail::text("no folder for a picture (", path_, ", ",
                                       std::generic_category().message(errno),
                                       "): let TMPDIR name one that can be written"));
  }
  ~Folder() {
    std::error_code none;
    fs::remove_all(path_, none);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string operator/(const char* name) const { return (fs::path(path_) / name).string(); }

 private:
  std::string path_;
};

/// Where PATH has a program; empty: nowhere.
std::string found(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::path(folder.empty() ? "." : folder) / program;
    std::error_code none;
    if (fs::is_regular_file(file, none) && access(file.c_str(), X_OK) == 0) return file.string();
  }
  return {};
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs a program to its end, with all that it says in a file.
/// @return how it ended; -1: it did not begin
int run(std::vector<std::string> arguments, const std::string& said) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int problem = posix_spawn(&child, argv[0], &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (problem != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Png::Png(const std::string& option)
    : option_(option), program_(found("rsvg-convert")), is_browser_(program_.empty()) {
  for (const char* const browser : browsers) {
    if (program_.empty()) program_ = found(browser);
  }
  if (!program_.empty()) return;
  throw Error(
      rooftile::detail::text("no program here makes PNG (", option,
                             "): install rsvg-convert (Debian's librsvg2-bin, Fedora's librsvg2-tools) "
                             "or Chromium, or take SVG"));
}

std::string Png::of(const Svg& picture) const {
  const Folder folder;
  const std::string from = folder / "picture.svg", to = folder / "picture.png", said = folder / "said";
  std::ofstream(from) << picture.file();
  std::vector<std::string> arguments{program_};
  if (is_browser_) {
    for (const std::string& argument :
         {std::string("--headless"), std::string("--disable-gpu"), std::string("--hide-scrollbars"),
          "--user-data-dir=" + folder / "profile", "--screenshot=" + to,
          fmt::format("--force-device-scale-factor={}", zoom),
          fmt::format("--window-size={},{}", picture.width(), picture.height())})
      arguments.push_back(argument);
    if (geteuid() == 0) arguments.emplace_back("--no-sandbox");  // which the superuser cannot have
    arguments.push_back("file://" + from);
  } else {
    for (const std::string& argument : {fmt::format("--zoom={}", zoom), "--output=" + to, from})
      arguments.push_back(argument);
  }
  const int ended = run(arguments, said);
  std::string made = text_of(to);
  if (ended == 0 && made.starts_with("\x89PNG\r\n\x1a\n")) return made;
  std::string words = text_of(said);
  words = words.substr(0, words.find('\n'));
  throw Error(rooftile::detail::text("no PNG was made (", option_, ", ", picture.title(), ", ", program_,
                                     " ended with ", ended, words.empty() ? "" : ": ", words,
                                     "): take SVG, or repair that program"));
}

}  // namespace rooftile::perf
