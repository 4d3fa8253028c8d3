// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "rooftile/error.hpp"

namespace rooftile::perf {

/// A file that an option names, written whole or not at all: beside its place, and then moved there. What is
/// no file, such as /dev/stdout or a pipe, is written to directly.
class OutputFile {
 public:
  /// Finds out before a long run whether the file can be written.
  /// @throws Error that names the option
  OutputFile(std::string option, const std::string& path) : option_(std::move(option)), path_(path) {
    std::error_code problem;
    target_ = std::filesystem::weakly_canonical(path, problem);  // through links, so that none is replaced
    const auto status = std::filesystem::status(target_, problem);
    if (path.empty() || std::filesystem::is_directory(status)) refuse("is not a file");
    moved_ = !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
    if (!moved_) return;
    draft_ = target_.string() + ".part";
    const bool is_left = std::filesystem::exists(draft_);  // of a run that did not end
    const bool writable = std::ofstream(draft_, std::ios::app).is_open();
    if (!is_left) std::filesystem::remove(draft_, problem);
    if (!writable) refuse("cannot be written");
  }

  /// What there is so far, which FILE.part holds, whole, should the run not come to its end. Nothing where
  /// the target is no file.
  /// @throws Error that names the option
  void keep(const std::string& text) const {
    if (moved_) write(text, draft_);
  }

  /// @throws Error that names the option
  void write(const std::string& text) const {
    if (!moved_) {
      std::ofstream file(target_);
      file << text;
      file.close();
      if (!file) refuse("could not be written");
      return;
    }
    write(text, target_);
    std::error_code ignored;
    std::filesystem::remove(draft_, ignored);
  }

 private:
  /// Beside `to`, and then moved there; if that fails, nothing is left beside it, and what was there stays.
  void write(const std::string& text, const std::filesystem::path& to) const {
    const std::filesystem::path beside = draft_.string() + ".new";
    std::error_code problem, ignored;
    std::ofstream file(beside);
    file << text;
    file.close();
    if (file) std::filesystem::rename(beside, to, problem);
    if (file && !problem) return;
    std::filesystem::remove(beside, ignored);
    refuse("could not be written");
  }

  [[noreturn]] void refuse(const char* what) const {
    throw Error(rooftile::detail::text("output ", what, " (", option_, ' ', path_,
                                       "): give a file in a folder that exists and can be written"));
  }

  std::string option_;
  std::string path_;
  std::filesystem::path target_;
  std::filesystem::path draft_;
  bool moved_ = false;
};

}  // namespace rooftile::perf
