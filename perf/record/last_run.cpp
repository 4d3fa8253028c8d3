// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "last_run.hpp"

#include <cstdlib>
#include <exception>
#include <filesystem>

#include <fmt/core.h>
#include <unistd.h>

#include "../writers/output_file.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {
namespace {

namespace fs = std::filesystem;

/// The folder that an environment variable names. Relative paths are ignored (XDG Base Directory
/// Specification).
fs::path folder_of(const char* variable) {
  const char* const value = std::getenv(variable);
  const fs::path folder = value == nullptr ? "" : value;
  return folder.is_absolute() ? folder : fs::path();
}

}  // namespace

std::string last_run_path() {
  fs::path state = folder_of("XDG_STATE_HOME");
  if (const fs::path home = folder_of("HOME"); state.empty() && !home.empty()) state = home / ".local/state";
  return state.empty() ? "" : (state / "rooftile/last.json").string();
}

void keep_last_run(const std::string& json) {
  const std::string path = last_run_path();
  try {
    if (path.empty()) throw Error("no folder for the last run (HOME, XDG_STATE_HOME): set one of them");
    fs::create_directories(fs::path(path).parent_path());
    const std::string own = detail::text(path, '.', getpid());  // two runs may end at the same time
    OutputFile("last run", own).write(json);
    fs::rename(own, path);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "rooftile: `rooftile report` will not find this run: {}\n", problem.what());
  }
}

std::string require_last_run() {
  std::string path = last_run_path();
  std::error_code none;
  if (path.empty() || !fs::exists(path, none)) {
    throw Error(detail::text("no last run (", path.empty() ? "HOME, XDG_STATE_HOME" : path,
                             "): run `rooftile bench`, or name a file of `bench --json`"));
  }
  return path;
}

}  // namespace rooftile::perf
