// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rooftile::fuzz {

/// The program `rooftile` in this process, in a folder of its own, on the machine of fake_machine.cpp.
class Program {
 public:
  Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  /// Aborts unless it ends with one of the program's exit codes.
  void run(const std::vector<std::string>& arguments) const;

  /// Puts a file into the folder.
  void write(const std::string& name, std::string_view text) const;

  /// Removes what is in the folder.
  void clear() const;

 private:
  std::filesystem::path folder_;
};

}  // namespace rooftile::fuzz
