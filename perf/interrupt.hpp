// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <csignal>
#include <cstddef>
#include <exception>
#include <string_view>

#include <unistd.h>

/// Ends a long run early and keeps its results so far.
namespace rooftile::perf {

/// Thrown when a signal interrupts the current work, which is discarded.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// Records SIGINT (Ctrl-C), SIGTERM (batch time limit) and SIGHUP (terminal closed) during its lifetime.
/// SIGHUP stays ignored under `nohup`. A second signal terminates the process. Only one object may exist at a
/// time.
class Interrupts {
 public:
  Interrupts() {
    noted_ = 0;
    struct sigaction action {};
    action.sa_handler = note;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    for (std::size_t i = 0; i < signals.size(); ++i) {
      sigaction(signals[i], nullptr, &before_[i]);
      const bool spared = signals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN;
      if (!spared) sigaction(signals[i], &action, nullptr);
    }
  }
  ~Interrupts() {
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
  }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  static int noted() { return noted_; }

 private:
  static void note(int signal) {
    noted_ = signal;
    constexpr std::string_view text = "\nrooftile: ending with what there is; once more ends at once\n";
    static_cast<void>(!write(STDERR_FILENO, text.data(), text.size()));
  }

  static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
  static inline volatile std::sig_atomic_t noted_ = 0;
  std::array<struct sigaction, signals.size()> before_{};
};

}  // namespace rooftile::perf
