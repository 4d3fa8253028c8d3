// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "perf/machine.hpp"

namespace rooftile::testing {

/// The cases and kernels that an executable tests.
struct Program {
  std::string path, backend;
  std::string kept_cases;                           ///< file with cases that were once wrong
  std::function<void(perf::Machine&)> change = {};  ///< changes the kernels first
};

/// `main` of the executables.
/// @return 0: all results are right; 1: a case is wrong, or a kernel computed no case; 2: the command line or
/// a file is wrong; 77: there is no such device
int run(int argc, char** argv, const Program& program);

}  // namespace rooftile::testing
