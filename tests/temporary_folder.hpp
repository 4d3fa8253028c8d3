// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace rooftile::testing {

/// A folder of a test's own, empty, that goes with it: two runs of the tests at once do not meet in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = std::filesystem::temp_directory_path() / "rooftile_test_XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder can be made: " + name);
    path = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// A file in it.
  std::string operator/(const char* name) const { return path / name; }

  std::filesystem::path path;
};

}  // namespace rooftile::testing
