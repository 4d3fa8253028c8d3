// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <utility>

#include "cpu/caches.hpp"
#include "cpu/workspace.hpp"

/// The threads that share a product.
namespace rooftile::portable {

/// A team of one thread.
struct OneThread {
  static constexpr int rank() { return 0; }
  static constexpr int size() { return 1; }
  static constexpr void barrier() {}
};

/// The calling thread's memory for a team.
inline KeptWorkspace& kept_team() {
  thread_local constinit KeptWorkspace kept;
  return kept;
}

/// The shared state of the threads of a team. A calling thread has one team at a time.
class Team {
 public:
  /// @param most  the maximum number of threads
  explicit Team(int most) : joined_(static_cast<char*>(kept_team().of(static_cast<std::size_t>(most)))) {
    std::fill_n(joined_, most, 0);
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Whether a thread joins for the first time. If the OpenMP runtime starts fewer threads than requested,
  /// each thread calls this function several times.
  bool joins(int rank) { return std::exchange(joined_[rank], 1) == 0; }

  /// Waits for the other threads, which must all be running. Spins at first, because waits are short, and
  /// then yields the core.
  void barrier(int threads) {
    constexpr int patience = 4096;
    const unsigned phase = phase_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads) {
      arrived_.store(0, std::memory_order_relaxed);
      phase_.store(phase + 1, std::memory_order_release);
      return;
    }
    for (int looks = 0; phase_.load(std::memory_order_acquire) == phase; ++looks) {
      if (looks > patience) std::this_thread::yield();
    }
  }

 private:
  char* joined_;  // by rank; nonzero if joined
  alignas(cache_line) std::atomic<int> arrived_ = 0;
  alignas(cache_line) std::atomic<unsigned> phase_ = 0;
};

/// One thread of a team of several.
class ThreadOfTeam {
 public:
  ThreadOfTeam(Team& team, int rank, int size) : team_(&team), rank_(rank), size_(size) {}

  int rank() const { return rank_; }
  int size() const { return size_; }
  void barrier() const { team_->barrier(size_); }

 private:
  Team* team_;
  int rank_, size_;
};

}  // namespace rooftile::portable
