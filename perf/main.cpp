// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The program `rooftile`: prepares the standard streams and reports errors of commands.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "command.hpp"
#include "cpu/instruction_set.hpp"
#include "rooftile/error.hpp"

namespace {

/// Makes writes beyond the file size limit (`ulimit -f`) fail like writes to a full disk. By default SIGXFSZ
/// terminates the program.
void hold_limit_signal() {
  std::signal(SIGXFSZ, SIG_IGN);
}

/// Opens /dev/null in place of closed standard streams. Otherwise the next opened file would get the stream's
/// descriptor and receive printed text. @return whether standard output is open
bool hold_standard_streams() {
  bool output = true;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    output = output && stream != STDOUT_FILENO;
    static_cast<void>(open("/dev/null", O_RDWR));  // open() takes the lowest free descriptor: this stream
  }
  return output;
}

/// Flushes standard output. @return why printed text was lost; empty if none was lost
std::string lost_output() {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  const int problem = errno;
  if (flushed && std::ferror(stdout) == 0) return {};
  return problem == 0 ? "write failed" : std::generic_category().message(problem);
}

/// Refuses an unsupported ROOFTILE_ISA. The library would fall back to the best set, which results do not
/// show.
void check_instruction_set() {
  const char* const wanted = std::getenv("ROOFTILE_ISA");
  if (wanted == nullptr || *wanted == '\0') return;
  if (const std::string problem = rooftile::portable::isa_problem(wanted); !problem.empty())
    throw rooftile::Error(problem);
}

/// @return an ExitCode. @throws std::system_error if standard output cannot be written
int run(int argc, char** argv) {
  using namespace rooftile::perf;
  try {
    check_instruction_set();
    return run_command_line({argv + std::min(argc, 1), argv + argc});
  } catch (const rooftile::Error& error) {
    std::fprintf(stderr, "rooftile: %s\n", rooftile::detail::visible(error.what()).c_str());
    return bad_usage;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "rooftile: out of memory on the host: free some, or ask for less\n");
    return check_failed;
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) throw;
    std::fprintf(stderr, "rooftile: %s\n", error.what());
    return check_failed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rooftile: %s\n", error.what());
    return check_failed;
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace rooftile::perf;
  std::string lost = "it is closed";
  int ended = check_failed;
  hold_limit_signal();
  if (hold_standard_streams()) {
    try {
      ended = run(argc, argv);
      lost = lost_output();
    } catch (const std::system_error& error) {
      lost = error.code().message();
    }
  }
  if (lost.empty()) return ended;
  std::fprintf(stderr,
               "rooftile: standard output was lost (%s): give a file on which there is space, or a pipe\n",
               lost.c_str());
  return check_failed;
}
