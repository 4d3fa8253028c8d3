// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <cstdlib>
#include <fstream>

/// `main` of perf/main.cpp, which tests/fuzz/CMakeLists.txt gives this name.
int rooftile_main(int argc, char** argv);

namespace rooftile::fuzz {

namespace fs = std::filesystem;

Program::Program() {
  std::string name = (fs::temp_directory_path() / "rooftile-fuzz-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) std::abort();
  folder_ = name;
  fs::current_path(folder_);
}

Program::~Program() {
  std::error_code ignored;
  fs::current_path("/", ignored);
  fs::remove_all(folder_, ignored);
}

void Program::run(const std::vector<std::string>& arguments) const {
  std::vector<std::string> words{"rooftile"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int result = rooftile_main(static_cast<int>(words.size()), argv.data());
  if (result < 0 || result > 2) std::abort();
}

void Program::write(const std::string& name, std::string_view text) const {
  std::ofstream(folder_ / name, std::ios::binary) << text;
}

void Program::clear() const {
  for (const auto& entry : fs::directory_iterator(folder_)) fs::remove_all(entry.path());
}

}  // namespace rooftile::fuzz
