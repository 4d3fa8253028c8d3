// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "distributed/nccl/device_panels.hpp"

#include <algorithm>

#include "distributed/mpi/owners.hpp"
#include "distributed/nccl/copy_runs.hpp"

namespace rooftile::distributed {

namespace {

/// Maximum number of parts of a message. A message with more parts is sent as a whole.
constexpr int max_parts = 32;

}  // namespace

template <class T>
DevicePanels<T>::DevicePanels(const Context& context, const DistributedMatrix<const T>& X,
                              const Slice& wanted, const Division& division, Index depth, RunLists& lists)
    : context_(context),
      X_(X),
      local_(stored(X)),
      stays_(stays(X.rows, X.cols, wanted, context.grid())),
      inner_count_(processes_of(X.cols, context.grid())),
      inner_here_(coordinate_of(X.cols, context.row(), context.col())),
      sizes_(stays_ ? GpuPanelSizes{}
                    : GpuPanelSizes::of(held_by(X.rows, context.grid(), context.rank()),
                                        held_by(X.cols, context.grid(), context.rank()),
                                        division.computed(wanted, context.rank()), depth)) {
  const Grid grid = context.grid();
  const int outer_count = processes_of(X.rows, grid), wanted_count = processes_of(wanted, grid);
  const int outer_here = coordinate_of(X.rows, context.row(), context.col());
  const int wanted_here = coordinate_of(wanted, context.row(), context.col());
  first_row_ = X.rows.dealing.before(X.rows.begin, outer_count, outer_here);
  first_step_ = X.cols.dealing.before(X.cols.begin, inner_count_, inner_here_);
  rows_ = division.computed(wanted, context.rank());
  if (stays_) return;

  const Index first_wanted = wanted.dealing.before(wanted.begin, wanted_count, wanted_here);
  const auto rows = [&](int outer, int where, const auto& to) {
    return lists.make([&](const auto& add) {
      Index number = 0;
      for_each_common(Runs(X.rows, outer_count, outer, 0, X.rows.extent),
                      Runs(wanted, wanted_count, where, 0, wanted.extent),
                      [&](Index local, Index row, Index length) {
                        to(add, number, local, row, length);
                        number += length;
                      });
    });
  };
  const auto to_message = [](const auto& add, Index number, Index local, Index, Index length) {
    add(local, number, length);
  };
  const auto from_message = [&](const auto& add, Index number, Index, Index row, Index length) {
    add(number, row - first_wanted, length);
  };
  const auto to_panel = [&](const auto& add, Index, Index local, Index row, Index length) {
    add(local, row - first_wanted, length);
  };
  own_rows_ = rows(outer_here, wanted_here, to_panel);
  const std::vector<Index> from =
      owners_of(X.rows, outer_count, wanted, wanted_count, wanted_here, 0, wanted.extent);
  const std::vector<Index> to =
      owners_of(wanted, wanted_count, X.rows, outer_count, outer_here, 0, wanted.extent);
  for (int p = 0; p < outer_count; ++p) {
    if (from[static_cast<std::size_t>(p)] == 0) continue;
    const RunList list = rows(p, wanted_here, from_message);
    for_each_rank(grid, X.rows, p, [&](int rank) {
      const int inner = coordinate_of(X.cols, rank / grid.cols, rank % grid.cols);
      if (rank != context.rank()) peers_.push_back({rank, inner, list});
    });
  }
  for (int p = 0; p < wanted_count; ++p) {
    if (to[static_cast<std::size_t>(p)] == 0) continue;
    groups_.push_back({{}, rows(outer_here, p, to_message)});
    for_each_rank(grid, wanted, p, [&](int rank) {
      if (rank != context.rank()) groups_.back().ranks.push_back(rank);
    });
  }
  for (int p = 0; p < inner_count_; ++p) {
    steps_.push_back(lists.make([&](const auto& add) {
      Index number = 0;
      for (Runs runs(X.cols, inner_count_, p, 0, X.cols.extent); runs.more(); runs.skip(runs.length())) {
        add(number, runs.begin(), runs.length());
        number += runs.length();
      }
    }));
  }
}

template <class T>
std::size_t DevicePanels<T>::message_bytes() const {
  return static_cast<std::size_t>(std::max(sizes_.sent, sizes_.received)) * sizeof(T);
}

template <class T>
std::byte* DevicePanels<T>::take(std::byte* workspace, bool along_k, const RunLists& lists, const Run* runs) {
  along_k_ = along_k, lists_ = &lists, runs_ = runs;
  if (stays_) return workspace;
  sent_ = aligned(reinterpret_cast<T*>(workspace), alignment_on_gpus);
  received_ = aligned(sent_ + sizes_.sent, alignment_on_gpus);
  panels_[0] = aligned(received_ + sizes_.received, alignment_on_gpus);
  panels_[1] = aligned(panels_[0] + sizes_.panel, alignment_on_gpus);
  return reinterpret_cast<std::byte*>(panels_[1] + sizes_.panel);
}

template <class T>
Index DevicePanels<T>::steps_of(int inner) const {
  return held(X_.cols, inner_count_, inner, from_, to_);
}

template <class T>
template <class F>
void DevicePanels<T>::for_each_part(int inner, const F& f) const {
  const Index steps = steps_of(inner);
  int parts = 0;
  for (Runs runs(X_.cols, inner_count_, inner, from_, to_); runs.more() && parts <= max_parts; ++parts) {
    runs.skip(runs.length());
  }
  if (along_k_ || parts > max_parts) return f(Index{0}, Index{-1}, steps);
  Index first = 0;
  for (Runs runs(X_.cols, inner_count_, inner, from_, to_); runs.more(); runs.skip(runs.length())) {
    f(first, runs.begin() - from_, runs.length());
    first += runs.length();
  }
}

template <class T>
MatrixRef<T> DevicePanels<T>::place_of_panel(Index steps, int slot) const {
  return along_k_ ? row_major(panels_[slot], rows_, steps, GpuPanelSizes::line(steps))
                  : column_major(panels_[slot], rows_, steps, GpuPanelSizes::line(rows_));
}

template <class T>
RunCopy DevicePanels<T>::copy(const Axis& rows, const Axis& steps, const MatrixRef<const T>& from,
                              const MatrixRef<const T>& to) const {
  return {rows, steps, from.row_stride, from.col_stride, to.row_stride, to.col_stride};
}

template <class T>
const T* DevicePanels<T>::packed(const Group& group, T* buffer, cudaStream_t stream) const {
  const Index rows = group.rows.extent, steps = steps_of(inner_here_);
  const Index first_step = first_step_ + held(X_.cols, inner_count_, inner_here_, 0, from_);
  const bool by_columns = local_.row_stride == 1 && (local_.col_stride == rows || steps == 1);
  if (!along_k_ && group.rows.count == 1 && by_columns) {
    const Run& run = *lists_->of(group.rows);
    return local_.data + run.from + first_step * local_.col_stride;
  }
  start_copy(stream,
             copy(axis_of(group.rows, runs_, 0, rows, 0, 0), axis_of(steps, first_step, 0), local_,
                  in_message(buffer, rows, steps, along_k_)),
             sizeof(T), group.rows.word, std::gcd(first_step, steps), local_.data, buffer);
  return buffer;
}

template <class T>
bool DevicePanels<T>::arrives_in_place(const Peer& peer) const {
  if (along_k_ || !peer.rows.is_all_of(rows_) || GpuPanelSizes::line(rows_) != rows_) return false;
  bool in_parts = true;
  for_each_part(peer.inner, [&](Index, Index step, Index) { in_parts = in_parts && step >= 0; });
  return in_parts;
}

template <class T>
void DevicePanels<T>::start(Index from, Index to, int slot, DeviceMessages& messages, cudaStream_t stream) {
  from_ = from, to_ = to, slot_ = slot;
  if (stays_) return;
  T* arrives = received_;
  for (const Peer& peer : peers_) {
    const bool in_place = arrives_in_place(peer);
    const Index rows = peer.rows.extent;
    for_each_part(peer.inner, [&](Index first, Index step, Index steps) {
      T* const place = in_place ? panels_[slot] + step * rows : arrives + first * rows;
      if (steps > 0) messages.receive(place, static_cast<std::size_t>(rows * steps) * sizeof(T), peer.rank);
    });
    if (!in_place) arrives += rows * steps_of(peer.inner);
  }
  T* leaves = sent_;
  for (const Group& group : groups_) {
    const Index rows = group.rows.extent;
    if (group.ranks.empty() || rows == 0 || steps_of(inner_here_) == 0) continue;
    const T* const data = packed(group, leaves, stream);
    if (data == leaves) leaves += rows * steps_of(inner_here_);
    for (const int rank : group.ranks) {
      for_each_part(inner_here_, [&](Index first, Index, Index steps) {
        messages.send(data + first * rows, static_cast<std::size_t>(rows * steps) * sizeof(T), rank);
      });
    }
  }
}

template <class T>
void DevicePanels<T>::finish(cudaStream_t stream) {
  if (stays_) return;
  const MatrixRef<T> all = place_of_panel(to_ - from_, slot_);
  const auto numbers = [&](int inner) { return held(X_.cols, inner_count_, inner, 0, from_); };
  const auto put = [&](const RunList& rows, int inner, const MatrixRef<const T>& source, Index shift) {
    const RunList& steps = steps_[static_cast<std::size_t>(inner)];
    const Index begin = numbers(inner), extent = steps_of(inner);
    start_copy(stream,
               copy(axis_of(rows, runs_, 0, rows.extent, 0, 0),
                    axis_of(steps, runs_, begin, extent, shift, -from_), source, all),
               sizeof(T), rows.word, steps.word, source.data, all.data);
  };
  put(own_rows_, inner_here_, local_, first_step_);
  T* arrives = received_;
  for (const Peer& peer : peers_) {
    const Index rows = peer.rows.extent, steps = steps_of(peer.inner);
    if (arrives_in_place(peer)) continue;
    put(peer.rows, peer.inner, in_message(arrives, rows, steps, along_k_), -numbers(peer.inner));
    arrives += rows * steps;
  }
}

template <class T>
MatrixRef<const T> DevicePanels<T>::panel(Index from, Index to, int slot) const {
  const Index steps = to - from;
  if (stays_) {
    return rows_ == 0 ? local_.block(0, 0, 0, steps)
                      : local_.block(first_row_, first_step_ + from, rows_, steps);
  }
  const MatrixRef<const T> arrived = place_of_panel(steps, slot);
  return detail::reads_conjugates(local_) ? arrived.conjugated() : arrived;
}

template class DevicePanels<float>;
template class DevicePanels<double>;
template class DevicePanels<float16>;
template class DevicePanels<bfloat16>;
template class DevicePanels<complex<float>>;
template class DevicePanels<complex<double>>;

}  // namespace rooftile::distributed
