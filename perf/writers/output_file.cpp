// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "output_file.hpp"

#include <cerrno>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rooftile/error.hpp"

namespace rooftile::perf {
namespace {

namespace fs = std::filesystem;

bool are_same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// Whether the file is the target of a standard stream. Devices such as terminals do not count, since two
/// streams can share them.
bool is_stream(const struct stat& file, int stream) {
  struct stat other {};
  return !S_ISCHR(file.st_mode) && fstat(stream, &other) == 0 && are_same(file, other);
}

/// The target of symbolic links, which need not exist. @pre links do not form a cycle
fs::path through_links(fs::path path) {
  std::error_code none;
  while (fs::is_symlink(path, none)) path = path.parent_path() / fs::read_symlink(path, none);
  return path;
}

/// @return errno; 0 if everything was written
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int create(const fs::path& path, mode_t mode) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
}

}  // namespace

OutputFile::OutputFile(std::string option, const std::string& path)
    : option_(std::move(option)), path_(path) {
  const bool is_dash = path == "-";
  struct stat status {};
  const bool exists = (is_dash ? fstat(STDOUT_FILENO, &status) : stat(path.c_str(), &status)) == 0;
  if (!exists && errno != ENOENT) refuse(errno);
  if (exists && S_ISDIR(status.st_mode)) refuse(EISDIR);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    if (!is_dash && (!exists || !is_stream(status, stream))) continue;
    stream_ = dup(stream);
    std::fflush(stdout);
    if (stream_ < 0 || (stream == STDOUT_FILENO && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)) refuse(errno);
    return;
  }
  struct stat there {};
  target_ = through_links(path);
  const bool has_place = exists && stat(target_.c_str(), &there) == 0 && are_same(status, there);
  if (exists && (!S_ISREG(status.st_mode) || !has_place)) {
    stream_ = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (stream_ < 0) refuse(errno);
    return;
  }
  // Root passes access(). A file without write permission for anyone is still refused.
  if (exists && (access(path.c_str(), W_OK) != 0 || (status.st_mode & 0222) == 0)) refuse(EACCES);
  mode_ = exists ? status.st_mode & 07777 : 0;
  draft_ = target_.string() + ".part", before_ = target_.string() + ".before";
  if (stat(draft_.c_str(), &there) == 0 && S_ISDIR(there.st_mode)) refuse(EISDIR);
  const fs::path beside = draft_.string() + ".new";
  const int file = create(beside, 0666);
  if (file < 0) refuse(errno);
  close(file);
  unlink(beside.c_str());
}

OutputFile::~OutputFile() {
  if (stream_ >= 0) close(stream_);
}

bool OutputFile::keep(const std::string& text) const {
  if (stream_ < 0) write(text, draft_);
  return stream_ < 0;
}

void OutputFile::write(const std::string& text) const {
  if (stream_ >= 0) {
    if (const int problem = write_all(stream_, text); problem != 0) lose(problem);
    return;
  }
  write(text, target_);
  unlink(draft_.c_str());
}

bool OutputFile::write_early(const std::string& text) const {
  std::error_code none;
  const bool there = stream_ < 0 && fs::exists(target_, none);
  if (!there) {
    write(text);
    return false;
  }
  write(text, target_, before_);
  unlink(draft_.c_str());
  return true;
}

/// Writes a temporary file and renames it to `to`. On failure, the temporary file is removed and `to` is
/// unchanged.
void OutputFile::write(const std::string& text, const fs::path& to, const fs::path& before) const {
  const fs::path beside = draft_.string() + ".new";
  const int file = create(beside, 0666);
  if (file < 0) lose(errno);
  int problem = write_all(file, text);
  if (problem == 0 && mode_ != 0 && fchmod(file, mode_) != 0) problem = errno;
  if (close(file) != 0 && problem == 0) problem = errno;
  if (problem == 0 && !before.empty() && rename(to.c_str(), before.c_str()) != 0) problem = errno;
  if (problem == 0 && rename(beside.c_str(), to.c_str()) != 0) problem = errno;
  if (problem == 0) return;
  unlink(beside.c_str());
  lose(problem);
}

void OutputFile::refuse(int problem) const {
  throw Error(detail::text("output cannot be written (", option_, ' ', path_, ", ",
                           std::generic_category().message(problem),
                           "): give a file in a folder that exists and can be written"));
}

void OutputFile::lose(int problem) const {
  throw OutputLost(detail::text("output was lost (", option_, ' ', path_, ", ",
                                std::generic_category().message(problem),
                                "): give a file on which there is space"));
}

}  // namespace rooftile::perf
