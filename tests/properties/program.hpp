// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "perf/machine.hpp"

namespace rooftile::testing {

/// What an executable tries.
struct Program {
  std::string path, backend;
  std::string kept_cases;                           ///< the file of what was once wrong
  std::function<void(perf::Machine&)> change = {};  ///< of the kernels, before they are tried
};

/// `main` of the executables. @return 0: all is right; 1: a case is wrong, or no case was computed by some
/// kernel; 2: the command line or a file is wrong; 77: there is no such device
int run(int argc, char** argv, const Program& program);

}  // namespace rooftile::testing
