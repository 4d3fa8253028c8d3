// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "rooftile/distributed/distributed_matrix.hpp"

namespace rooftile::distributed {

/// The number of processes that a slice's dimension is distributed over.
inline int processes_of(const Slice& slice, const Grid& grid) {
  return slice.to_rows ? grid.rows : grid.cols;
}
/// The coordinate of process (row, col) in a slice's dimension of the grid.
inline int coordinate_of(const Slice& slice, int row, int col) {
  return slice.to_rows ? row : col;
}

/// Iterates, in order, over the runs of indices [from, to) of a slice that one process holds. Indices count
/// from the beginning of the slice. The indices of a run are contiguous globally and in the memory of the
/// process.
class Runs {
 public:
  Runs(const Slice& slice, int processes, int process, Index from, Index to)
      : dealing_(slice.dealing),
        processes_(processes),
        origin_(slice.begin),
        end_(slice.begin + to),
        global_(slice.begin + from),
        local_(dealing_.before(global_, processes, process)) {
    if (processes == 1) {  // its blocks are contiguous
      stop_ = end_;
      return;
    }
    block_ = dealing_.block_of(global_);
    const int ahead = (process - dealing_.owner(block_, processes) + processes) % processes;
    if (ahead > 0) block_ += ahead, global_ = dealing_.begin_of(block_);
    stop_ = std::min(end_, dealing_.begin_of(block_ + 1));
  }

  bool more() const { return global_ < end_; }
  Index begin() const { return global_ - origin_; }  ///< first index of the run, in the slice
  Index local() const { return local_; }            ///< local index of `begin()` in the memory of the process
  Index length() const { return stop_ - global_; }  ///< remaining length of the run

  /// Advances by `count` indices. @pre count ≤ length()
  void skip(Index count) {
    global_ += count, local_ += count;
    if (global_ < stop_) return;
    if (processes_ == 1) return;
    block_ += processes_;
    global_ = dealing_.begin_of(block_);
    stop_ = std::min(end_, dealing_.begin_of(block_ + 1));
  }

 private:
  Dealing dealing_;
  int processes_;
  Index origin_, end_, global_, local_;
  Index block_ = 0, stop_ = 0;
};

/// The number of indices [from, to) of a slice that a process holds.
inline Index held(const Slice& slice, int processes, int process, Index from, Index to) {
  return slice.dealing.before(slice.begin + to, processes, process) -
         slice.dealing.before(slice.begin + from, processes, process);
}

/// The number of indices of a slice that a process of the grid holds.
inline Index held_by(const Slice& slice, const Grid& grid, int rank) {
  return held(slice, processes_of(slice, grid), coordinate_of(slice, rank / grid.cols, rank % grid.cols), 0,
              slice.extent);
}

/// The local part of the whole matrix, transposed if X is transposed.
template <class T>
MatrixRef<T> stored(const DistributedMatrix<T>& X) {
  return X.is_transposed ? X.local.transposed() : X.local;
}

/// Calls f(local index in x, local index in y, length), in order, for each run of indices in both x and y.
template <class F>
void for_each_common(Runs x, Runs y, const F& f) {
  while (x.more() && y.more()) {
    const Index x_end = x.begin() + x.length(), y_end = y.begin() + y.length();
    const Index begin = std::max(x.begin(), y.begin()), end = std::min(x_end, y_end);
    if (begin < end) f(x.local() + begin - x.begin(), y.local() + begin - y.begin(), end - begin);
    if (x_end <= y_end) x.skip(x.length());
    if (y_end <= x_end) y.skip(y.length());
  }
}

/// Calls f(local index in x, local index in y, length) for each stretch of indices that are in both x and y
/// and contiguous in the memory of both.
template <class F>
void for_each_common_stretch(const Runs& x, const Runs& y, const F& f) {
  Index in_x = 0, in_y = 0, length = 0;
  for_each_common(x, y, [&](Index i, Index j, Index more) {
    if (length > 0 && (i != in_x + length || j != in_y + length)) f(in_x, in_y, length), length = 0;
    if (length == 0) in_x = i, in_y = j;
    length += more;
  });
  if (length > 0) f(in_x, in_y, length);
}

/// Calls f(local index in x, length) for each stretch of indices that are in both x and y and contiguous in
/// x's memory.
template <class F>
void for_each_stretch(const Runs& x, const Runs& y, const F& f) {
  Index begin = 0, length = 0;
  for_each_common(x, y, [&](Index local, Index, Index more) {
    if (length > 0 && local != begin + length) f(begin, length), length = 0;
    if (length == 0) begin = local;
    length += more;
  });
  if (length > 0) f(begin, length);
}

/// Whether two slices deal their indices alike, given equally many processes.
inline bool divide_alike(const Slice& x, const Slice& y) {
  return x.begin == y.begin && x.dealing == y.dealing;
}

/// The number of indices [from, to) that process p holds by slice x and process q holds by slice y. Both
/// slices have equal extents.
inline Index common(const Slice& x, int x_processes, int p, const Slice& y, int y_processes, int q,
                    Index from, Index to) {
  if (y_processes == 1) return held(x, x_processes, p, from, to);
  Index count = 0;
  for_each_common(Runs(x, x_processes, p, from, to), Runs(y, y_processes, q, from, to),
                  [&](Index, Index, Index length) { count += length; });
  return count;
}
}  // namespace rooftile::distributed
