// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <sys/types.h>

namespace rooftile::perf {

/// Output that did not arrive, though the request was a good one: the program ends with 1.
class OutputLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Writes a file, and then prints, also where the output was lost: the results are at least in one place.
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

/// A file that an option names, written beside its place and then moved there; a pipe or a device directly.
/// Where it is standard output or `-`, what is printed from then on goes to standard error.
class OutputFile {
 public:
  /// Finds out before a long run whether the file can be written.
  /// @throws Error that names the option and the system's reason
  OutputFile(std::string option, const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Writes what there is so far to FILE.part, should the run not come to its end.
  /// @return whether it did, which it does for regular files. @throws OutputLost
  bool keep(const std::string& text) const;

  /// At the end of the run, once. @throws OutputLost
  void write(const std::string& text) const;

  /// The same of a run that did not come to its end: a file that is there may hold more, and becomes
  /// FILE.before. @return whether there was one
  bool write_early(const std::string& text) const;

  /// FILE, and where a file that `write_early` found is.
  const std::string& path() const { return path_; }
  std::string before() const { return before_.string(); }

 private:
  /// @param before  the name that what is there gets; empty: none
  void write(const std::string& text, const std::filesystem::path& to,
             const std::filesystem::path& before = {}) const;
  [[noreturn]] void refuse(int problem) const;
  [[noreturn]] void lose(int problem) const;

  std::string option_;
  std::string path_;
  int stream_ = -1;               ///< of what is written to directly
  std::filesystem::path target_;  ///< of what is moved to its place
  std::filesystem::path draft_, before_;
  mode_t mode_ = 0;  ///< of the file that is replaced; 0: there is none
};

}  // namespace rooftile::perf
