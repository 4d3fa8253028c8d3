// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "search.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include "draw.hpp"
#include "rooftile/error.hpp"

namespace rooftile::testing {
namespace {

// A signal handler must not allocate or print: it writes this prepared line.
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

/// Sets the case that is being tried.
void begin_case(const Case& c) {
  const std::string text = "\nended in --case '" + to_string(c) + "'\n";
  length = 0;
  std::copy_n(text.begin(), std::min(text.size(), line.size()), line.begin());
  length = std::min(text.size(), line.size());
}

/// Ends the process after the device has stopped responding.
/// @param why  the device's message
[[noreturn]] void end_in_case(const char* why) {
  write_all(why, std::strlen(why));
  write_all(line.data(), length);
  std::_Exit(1);
}

std::string key_of(const std::string& path, const std::string& kernel, const std::string& tile,
                   ComputeMode math) {
  return path + ' ' + kernel + ' ' + (tile.empty() ? "" : tile + ' ') + std::string(to_string(math));
}

Verdict try_case(Subject& subject, const Case& c) {
  begin_case(c);
  try {
    return subject.try_case(c);
  } catch (const Error& error) {  // a device error: no further case can run
    end_in_case(error.what());
  }
}

}  // namespace

void tell_case_in_crashes() {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT})
    std::signal(signal, tell);
}

std::string Findings::untried(const Subject& subject) const {
  std::string names;
  for (const KernelName& name : subject.kernels()) {
    const std::string key = key_of(subject.path(), name.kernel, name.tile, name.math);
    if (!computed.contains(key)) names += (names.empty() ? "" : ", ") + key;
  }
  return names;
}

Findings search(Subject& subject, int cases, std::uint64_t seed, const Limits& limits, int max_smaller) {
  Findings findings{.tally = Tally(subject.kernels())};
  int number = 0, tried_smaller = 0;
  const auto property = [&] {
    if (findings.failure && tried_smaller++ >= max_smaller) return;  // stops the shrinking
    const auto cell = number < cases / 2 ? std::nullopt : std::optional(findings.tally.next_fewest());
    const Case c = *cases_of(subject.path(), subject.kernels(), limits, cell);
    const Verdict verdict = try_case(subject, c);
    if (!findings.failure) {
      ++number;
      ++(verdict.outcome == Verdict::refused ? findings.refused
                                             : findings.computed[key_of(c.path, c.kernel, c.tile, c.math)]);
      if (verdict.outcome == Verdict::computed) findings.tally.count(c);
    }
    if (verdict.fault.empty()) return;
    findings.failure = {c, verdict.fault, number};  // later failures are smaller
    RC_FAIL(verdict.fault);
  };
  setenv("RC_PARAMS", ("seed=" + std::to_string(seed)).c_str(), 1);  // so that RapidCheck reports this seed
  rc::detail::TestParams params;
  params.seed = seed, params.maxSuccess = cases;
  rc::detail::checkTestable(property, rc::detail::TestMetadata{}, params);
  return findings;
}

Verdict replay(Subject& subject, const Case& c, int times) {
  Verdict verdict;
  for (int i = 0; i < times && verdict.fault.empty() && verdict.outcome != Verdict::absent; ++i)
    verdict = try_case(subject, c);
  return verdict;
}

}  // namespace rooftile::testing
