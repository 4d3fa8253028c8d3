// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

#include "distributed/mpi/runs.hpp"
#include "distributed/nccl/copy_runs.hpp"

namespace rooftile::distributed {

/// A list of runs, which the copies of a product use.
struct RunList {
  std::size_t begin = 0;  ///< position of the first run among all runs
  Index count = 0;        ///< number of runs
  Index extent = 0;       ///< number of indices
  Index word = 0;         ///< divides the beginnings, on both sides, and the lengths of all runs

  /// Whether the list is a single run of `indices` indices.
  bool is_all_of(Index indices) const { return count == 1 && extent == indices; }
};

/// All lists of a product. The host makes them once.
class RunLists {
 public:
  /// Makes a list of the runs that `visit(add)` adds, in order, by add(from, to, length).
  template <class Visit>
  RunList make(const Visit& visit) {
    RunList list{.begin = runs_.size()};
    visit([&](Index from, Index to, Index length) {
      for (const Index x : {list.extent, from, to, length}) list.word = std::gcd(list.word, x);
      if (list.count > 0 && runs_.back().from + list.extent - runs_.back().first == from &&
          runs_.back().to + list.extent - runs_.back().first == to) {  // extends the last run
        list.extent += length;
        return;
      }
      runs_.push_back({list.extent, from, to});
      ++list.count, list.extent += length;
    });
    return list;
  }
  const std::vector<Run>& runs() const { return runs_; }
  const Run* of(const RunList& list) const { return runs_.data() + list.begin; }

 private:
  std::vector<Run> runs_;
};

/// An axis of some indices of a list; all runs start at `runs`.
inline Axis axis_of(const RunList& list, const Run* runs, Index begin, Index extent, Index from_shift,
                    Index to_shift) {
  return {runs + list.begin, list.count, begin, extent, from_shift, to_shift};
}
/// An axis of contiguous indices.
inline Axis axis_of(Index extent, Index from_shift, Index to_shift) {
  return {nullptr, 0, 0, extent, from_shift, to_shift};
}

}  // namespace rooftile::distributed
