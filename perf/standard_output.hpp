// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

/// The program's three streams. Only `main` uses this.
namespace rooftile::perf {

/// From now on a write beyond the longest file that the process may make (`ulimit -f`) fails, as on a full
/// disk, and does not end the program.
inline void hold_limit_signal() {
  std::signal(SIGXFSZ, SIG_IGN);
}

/// Whether there is a standard output. In the place of a stream that is closed stands /dev/null from now on:
/// else the next file that is opened would be taken for it, and what is printed would land there.
inline bool hold_standard_streams() {
  bool output = true;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    output = output && stream != STDOUT_FILENO;
    static_cast<void>(open("/dev/null", O_RDWR));  // the lowest number that is free is this one
  }
  return output;
}

/// Flushes standard output. @return why something printed did not arrive; empty if all did
inline std::string lost_output() {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  const int problem = errno;
  if (flushed && std::ferror(stdout) == 0) return {};
  return problem == 0 ? "write failed" : std::generic_category().message(problem);
}

}  // namespace rooftile::perf
