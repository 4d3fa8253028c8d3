// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "backends/mpi/panel_exchange.hpp"

#include <cstdlib>

#include "rooftile/types.hpp"

namespace rooftile::distributed {

namespace {

/// What a message has of a run: (rows, steps).
template <class T>
MatrixRef<T> in_message(T* data, Index rows, Index steps, bool along_k) {
  return along_k ? row_major(data, rows, steps) : column_major(data, rows, steps);
}

}  // namespace

template <class T>
PanelExchange<T>::PanelExchange(const Context& context, const DistributedMatrix<const T>& X,
                                const Slice& wanted, Index depth, int tag)
    : context_(context),
      X_(X),
      wanted_(wanted),
      depth_(depth),
      outer_here_(coordinate_of(X.rows, context.row(), context.col())),
      inner_here_(coordinate_of(X.cols, context.row(), context.col())),
      wanted_here_(coordinate_of(wanted, context.row(), context.col())),
      outer_count_(processes_of(X.rows, context.grid())),
      inner_count_(processes_of(X.cols, context.grid())),
      wanted_count_(processes_of(wanted, context.grid())),
      buffers_(PanelSizes::of(X.rows, wanted, context.grid(), context.row(), context.col())),
      groups_(static_cast<std::size_t>(wanted_count_)),
      messages_(context, tag) {
  const Grid grid = context.grid();
  std::vector<Index> rows_from(static_cast<std::size_t>(outer_count_));
  for (int p = 0; p < outer_count_; ++p) {
    rows_from[static_cast<std::size_t>(p)] =
        common(X.rows, outer_count_, p, wanted, wanted_count_, wanted_here_);
  }
  for (int p = 0; p < wanted_count_; ++p) {
    groups_[static_cast<std::size_t>(p)].rows =
        common(X.rows, outer_count_, outer_here_, wanted, wanted_count_, p);
  }
  for (int row = 0; row < grid.rows; ++row) {
    for (int col = 0; col < grid.cols; ++col) {
      const int outer = coordinate_of(X.rows, row, col), inner = coordinate_of(X.cols, row, col);
      const Index rows = rows_from[static_cast<std::size_t>(outer)];
      if (rows > 0) peers_.push_back({grid.rank(row, col), outer, inner, rows});
      groups_[static_cast<std::size_t>(coordinate_of(wanted, row, col))].ranks.push_back(grid.rank(row, col));
    }
  }
  // All that a panel can take, so that no memory is asked for while others wait.
  const Index elements =
      depth_ * (buffers_.sent * static_cast<Index>(grid.size() / wanted_count_) + buffers_.wanted);
  messages_.reserve<T>(peers_.size() + static_cast<std::size_t>(grid.size()), elements);
}

template <class T>
bool PanelExchange<T>::lies_along_k(const DistributedMatrix<const T>& X) {
  const MatrixRef<const T> local = X.is_transposed ? X.local.transposed() : X.local;
  return local.rows > 0 && local.cols > 0 && std::abs(local.col_stride) < std::abs(local.row_stride);
}

template <class T>
std::byte* PanelExchange<T>::take(std::byte* workspace, bool along_k) {
  along_k_ = along_k;
  sent_ = reinterpret_cast<T*>(aligned(workspace));
  received_ = aligned(sent_ + depth_ * buffers_.sent);
  panel_ = aligned(received_ + depth_ * buffers_.wanted);
  return reinterpret_cast<std::byte*>(panel_ + depth_ * buffers_.wanted);
}

template <class T>
T* PanelExchange<T>::pack(int group, Index from, Index to, T* to_buffer) const {
  const MatrixRef<const T> local = X_.is_transposed ? X_.local.transposed() : X_.local;
  const Index first = X_.cols.dealing.before(X_.cols.begin + from, inner_count_, inner_here_);
  const Index steps = held(X_.cols, inner_count_, inner_here_, from, to);
  for_each_common(Runs(X_.rows, outer_count_, outer_here_, 0, X_.rows.extent),
                  Runs(wanted_, wanted_count_, group, 0, wanted_.extent), [&](Index row, Index, Index rows) {
                    copy(local.block(row, first, rows, steps), in_message(to_buffer, rows, steps, along_k_));
                    to_buffer += rows * steps;
                  });
  return to_buffer;
}

template <class T>
MatrixRef<T> PanelExchange<T>::panel() const {
  return along_k_ ? row_major(panel_, buffers_.wanted, to_ - from_)
                  : column_major(panel_, buffers_.wanted, to_ - from_);
}

template <class T>
void PanelExchange<T>::unpack(const Peer& peer, const T* message) const {
  const MatrixRef<T> all = panel();
  const Index steps = held(X_.cols, inner_count_, peer.inner, from_, to_);
  const Index first_row = wanted_.dealing.before(wanted_.begin, wanted_count_, wanted_here_);
  for_each_common(
      Runs(X_.rows, outer_count_, peer.outer, 0, X_.rows.extent),
      Runs(wanted_, wanted_count_, wanted_here_, 0, wanted_.extent), [&](Index, Index row, Index rows) {
        const MatrixRef<const T> run = in_message(message, rows, steps, along_k_);
        Index step = 0;
        for (Runs k(X_.cols, inner_count_, peer.inner, from_, to_); k.more(); k.skip(k.length())) {
          copy(run.block(0, step, rows, k.length()),
               all.block(row - first_row, k.begin() - from_, rows, k.length()));
          step += k.length();
        }
        message += rows * steps;
      });
}

template <class T>
void PanelExchange<T>::start(Index from, Index to) {
  from_ = from, to_ = to;
  T* arrives = received_;
  for (const Peer& peer : peers_) {
    const Index count = peer.rows * held(X_.cols, inner_count_, peer.inner, from, to);
    if (peer.rank == context_.rank()) continue;
    messages_.receive(arrives, count, peer.rank);
    arrives += count;
  }
  T* leaves = sent_;
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    T* const message = leaves;
    leaves = pack(static_cast<int>(group), from, to, leaves);
    for (const int rank : groups_[group].ranks) {
      if (rank == context_.rank()) {
        own_ = message;
      } else {
        messages_.send(message, leaves - message, rank);
      }
    }
  }
}

template <class T>
MatrixRef<const T> PanelExchange<T>::finish() {
  messages_.wait();
  const T* message = received_;
  for (const Peer& peer : peers_) {
    if (peer.rank == context_.rank()) {
      unpack(peer, own_);
      continue;
    }
    unpack(peer, message);
    message += peer.rows * held(X_.cols, inner_count_, peer.inner, from_, to_);
  }
  return panel();
}

template class PanelExchange<float>;
template class PanelExchange<double>;
template class PanelExchange<complex<float>>;
template class PanelExchange<complex<double>>;

}  // namespace rooftile::distributed
