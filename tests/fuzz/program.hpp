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

/// The program `rooftile` in this process, in a folder of its own, on the machine of fake_machine.cpp.
class Program {
 public:
  Program() {
    std::filesystem::current_path(folder_ / "");
    setenv("XDG_STATE_HOME", (folder_ / "").c_str(), 1);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { std::filesystem::current_path("/"); }  // the folder is removed after this

  /// Aborts unless it ends with one of the program's exit codes.
  void run(const std::vector<std::string>& arguments) const;

  /// Puts a file into the folder.
  void write(const std::string& name, std::string_view text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  /// Removes what is in the folder.
  void clear() const;

 private:
  testing::ScratchFolder folder_;
};

}  // namespace rooftile::fuzz
