// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "crash.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace rooftile::testing {
namespace {

// A signal handler may neither allocate nor print: it writes what lies ready.
std::array<char, 1024> line;
volatile std::size_t length = 0;

void write_all(const char* text, std::size_t size) {
  while (size > 0) {
    const ssize_t written = write(STDERR_FILENO, text, size);
    if (written <= 0) return;
    text += written, size -= static_cast<std::size_t>(written);
  }
}

void tell(int signal) {
  write_all(line.data(), length);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void tell_case_in_crashes() {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT})
    std::signal(signal, tell);
}

void begin_case(const Case& c) {
  const std::string text = "\nended in --case '" + to_string(c) + "'\n";
  length = 0;
  std::copy_n(text.begin(), std::min(text.size(), line.size()), line.begin());
  length = std::min(text.size(), line.size());
}

void end_in_case(const char* why) {
  write_all(why, std::strlen(why));
  write_all(line.data(), length);
  std::_Exit(1);
}

}  // namespace rooftile::testing
