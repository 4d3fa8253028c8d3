// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <cstdlib>

/// `main` of perf/main.cpp under the name that tests/fuzz/CMakeLists.txt gives it.
int rooftile_main(int argc, char** argv);

namespace rooftile::fuzz {

void Program::run(const std::vector<std::string>& arguments) const {
  std::vector<std::string> words{"rooftile"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int result = rooftile_main(static_cast<int>(words.size()), argv.data());
  if (result < 0 || result > 2) std::abort();
}

void Program::clear() const {
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "")) remove_all(entry.path());
}

}  // namespace rooftile::fuzz
