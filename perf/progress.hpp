// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

namespace rooftile::perf {

/// Estimates the remaining time of a run from the finished steps. A step's time is taken as proportional to
/// its work.
class TimeLeft {
 public:
  /// @param work  one value for each step, in any common unit
  explicit TimeLeft(std::vector<double> work = {}) : work_(std::move(work)) {}

  void done(double seconds) {
    if (step_ >= work_.size()) return;
    seconds_ += seconds, done_ += work_[step_++];
  }

  /// Remaining seconds; negative: not known, because no step is done.
  double seconds() const {
    double rest = 0;
    for (std::size_t i = step_; i < work_.size(); ++i) rest += work_[i];
    return done_ > 0 ? seconds_ * rest / done_ : -1;
  }

  /// `3 of 20, 1:05 left: `; empty for a run of fewer than two steps.
  std::string text() const {
    if (work_.size() < 2 || step_ >= work_.size()) return {};
    const auto left = static_cast<long long>(seconds() + 0.5);
    return fmt::format("{} of {}{}: ", step_ + 1, work_.size(),
                       seconds() < 0 ? std::string() : fmt::format(", {}:{:02} left", left / 60, left % 60));
  }

 private:
  std::vector<double> work_;
  std::size_t step_ = 0;
  double done_ = 0, seconds_ = 0;
};

/// A progress line that the next one overwrites; silent if standard error is not a terminal.
class Progress {
 public:
  void operator()(const std::string& text) const {
    if (watched_) fmt::print(stderr, "\r\033[K{}{}", text.empty() ? "" : left_.text(), text);
  }
  ~Progress() {
    if (watched_) fmt::print(stderr, "\r\033[K");
  }

  /// Announces the steps and starts the first one.
  void expect(std::vector<double> work) { left_ = TimeLeft(std::move(work)), begun_ = Clock::now(); }

  void step() {
    const Clock::time_point now = Clock::now();
    left_.done(std::chrono::duration<double>(now - begun_).count());
    begun_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool watched_ = isatty(STDERR_FILENO) != 0;
  TimeLeft left_;
  Clock::time_point begun_ = Clock::now();
};

}  // namespace rooftile::perf
