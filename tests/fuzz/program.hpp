// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <stdlib.h>

#include "tests/support/scratch_folder.hpp"

namespace rooftile::fuzz {

/// Runs the program `rooftile` within this process, in its own folder, on the machine of fake_machine.cpp.
class Program {
 public:
  Program() {
    std::filesystem::current_path(folder_ / "");
    setenv("XDG_STATE_HOME", (folder_ / "").c_str(), 1);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { std::filesystem::current_path("/"); }  // the folder is removed afterwards

  /// Aborts if the exit code is not one of the program's.
  void run(const std::vector<std::string>& arguments) const;

  /// Writes a file to the folder.
  void write(const std::string& name, std::string_view text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  /// Removes the folder's contents.
  void clear() const;

 private:
  testing::ScratchFolder folder_;
};

}  // namespace rooftile::fuzz
