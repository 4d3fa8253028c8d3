// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <barrier>
#include <cstddef>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

/// Host threads that emulate a GPU team. Each 32 of them are the lanes of a warp.
namespace rooftile::testing {

/// One value from each lane of a warp.
template <class Value>
struct Lanes {
  std::array<Value, 32> values;

  const Value& of(std::size_t lane) const { return values[lane]; }
  /// The value of lane 4g+t.
  const Value& operator()(int g, int t) const { return of(static_cast<std::size_t>(4 * g + t)); }
};

/// Exchanges values among the lanes of a warp.
class Warp {
 public:
  /// All lanes call it together, and each gets the values of all. Two alternating tables prevent a fast lane
  /// from overwriting values that are still read.
  template <class Value>
  Lanes<Value> exchange(std::size_t lane, std::size_t& turn, const Value& value) {
    static_assert(sizeof(Value) <= size);
    std::array<Slot, 32>& slots = tables_[turn++ % 2];
    std::memcpy(slots[lane].bytes, &value, sizeof value);
    all_.arrive_and_wait();
    Lanes<Value> found;
    for (std::size_t i = 0; i < 32; ++i) std::memcpy(&found.values[i], slots[i].bytes, sizeof value);
    return found;
  }

 private:
  static constexpr std::size_t size = 48;
  struct Slot {
    std::byte bytes[size];
  };

  std::barrier<> all_{32};
  std::array<std::array<Slot, 32>, 2> tables_;
};

/// A host thread as a lane.
class Lane {
 public:
  Lane(Warp& warp, int rank) : warp_(&warp), lane_(rank % 32) {}

  /// The g and t of this lane, number 4g+t.
  std::pair<int, int> place() const { return {lane_ / 4, lane_ % 4}; }
  template <class Value>
  Lanes<Value> exchange(const Value& value) {
    return warp_->exchange(static_cast<std::size_t>(lane_), turn_, value);
  }

 private:
  Warp* warp_;
  int lane_;
  std::size_t turn_ = 0;
};

inline thread_local Lane* current_lane = nullptr;
inline Lane& this_lane() {
  return *current_lane;
}

/// The team interface that kernels use.
class EmulatedTeam {
 public:
  EmulatedTeam(int rank, std::barrier<>& all) : rank_(rank), all_(&all) {}

  int rank() const { return rank_; }
  friend void barrier(const EmulatedTeam& team) { team.all_->arrive_and_wait(); }

 private:
  int rank_;
  std::barrier<>* all_;
};

/// Calls f(team) on each of a team's threads.
/// @pre `threads` is a multiple of 32
template <class F>
void run_team(int threads, const F& f) {
  std::barrier<> all(threads);
  std::vector<std::unique_ptr<Warp>> warps;
  for (int i = 0; i < threads; i += 32) warps.push_back(std::make_unique<Warp>());
  std::vector<std::jthread> running;
  for (int rank = 0; rank < threads; ++rank) {
    running.emplace_back([&, rank] {
      Lane lane(*warps[static_cast<std::size_t>(rank / 32)], rank);
      current_lane = &lane;
      f(EmulatedTeam(rank, all));
    });
  }
}

}  // namespace rooftile::testing
