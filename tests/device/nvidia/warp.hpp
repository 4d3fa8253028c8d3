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

/// Threads of the host that stand for a team's on a GPU: 32 of them are a warp's lanes.
namespace rooftile::testing {

/// What the lanes of a warp gave.
template <class Value>
struct Lanes {
  std::array<Value, 32> values;

  const Value& of(std::size_t lane) const { return values[lane]; }
  /// Of lane 4g+t.
  const Value& operator()(int g, int t) const { return of(static_cast<std::size_t>(4 * g + t)); }
};

/// Where the lanes of a warp lay down what the others read.
class Warp {
 public:
  /// All lanes call it together, and get what each of them gave. Two tables keep calls from overtaking.
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

/// A thread of the host as a lane.
class Lane {
 public:
  Lane(Warp& warp, int rank) : warp_(&warp), lane_(rank % 32) {}

  /// Its g and t.
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

/// What a kernel asks of its team.
class EmulatedTeam {
 public:
  EmulatedTeam(int rank, std::barrier<>& all) : rank_(rank), all_(&all) {}

  int rank() const { return rank_; }
  friend void barrier(const EmulatedTeam& team) { team.all_->arrive_and_wait(); }

 private:
  int rank_;
  std::barrier<>* all_;
};

/// Calls f(team) as each of a team's threads. @pre 32 divides their number
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
