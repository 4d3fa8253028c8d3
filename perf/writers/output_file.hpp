// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <sys/types.h>

namespace rooftile::perf {

/// A write failed, although the request was valid; the program exits with code 1.
class OutputLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Writes a file, then prints. If the write fails, the printed text still contains the results.
/// @throws OutputLost of `write`, after `print`
template <class Write, class Print>
void write_and_print(const Write& write, const Print& print) {
  std::exception_ptr lost;
  try {
    write();
  } catch (const OutputLost&) {
    lost = std::current_exception();
  }
  print();
  if (lost) std::rethrow_exception(lost);
}

/// The file of an option. A regular file is written under a temporary name and renamed; a pipe or a device is
/// written directly. If the file is standard output or `-`, all later printing goes to standard error.
class OutputFile {
 public:
  /// Checks before a long run that the file can be written.
  /// @throws Error that names the option and the system's reason
  OutputFile(std::string option, const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Writes partial results to FILE.part, in case the run is interrupted.
  /// @return whether partial results were written, which only regular files support. @throws OutputLost
  bool keep(const std::string& text) const;

  /// Writes the final results; call once. @throws OutputLost
  void write(const std::string& text) const;

  /// Writes the results of an interrupted run. An existing file may hold more results and is renamed to
  /// FILE.before. @return whether there was a file
  bool write_early(const std::string& text) const;

  /// FILE, and the name to which `write_early` renames an existing file.
  const std::string& path() const { return path_; }
  std::string before() const { return before_.string(); }

 private:
  /// @param before  new name for an existing file; empty: replace the file
  void write(const std::string& text, const std::filesystem::path& to,
             const std::filesystem::path& before = {}) const;
  [[noreturn]] void refuse(int problem) const;
  [[noreturn]] void lose(int problem) const;

  std::string option_;
  std::string path_;
  int stream_ = -1;               ///< file descriptor for direct writing; -1: none
  std::filesystem::path target_;  ///< path of a file that is written by renaming
  std::filesystem::path draft_, before_;
  mode_t mode_ = 0;  ///< mode of the replaced file; 0: there is none
};

}  // namespace rooftile::perf
