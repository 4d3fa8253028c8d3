// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <iterator>

#include <sys/wait.h>
#include <unistd.h>

namespace rooftile::testing {

/// The number of threads of this process.
inline int threads() {
  const auto tasks = std::filesystem::directory_iterator("/proc/self/task");
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

/// Whether `child` returns true in a forked process. A timeout ends a child that hangs.
template <class Child>
bool holds_in_fork(const Child& child) {
  const pid_t process = fork();
  if (process == 0) {
    alarm(20);
    _exit(child() ? 0 : 1);
  }
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace rooftile::testing
