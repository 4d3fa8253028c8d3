// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "distributed/mpi/panel_exchange.hpp"

#include <utility>

#include "distributed/mpi/owners.hpp"
#include "rooftile/types.hpp"

namespace rooftile::distributed {

template <class T>
PanelExchange<T>::PanelExchange(const Context& context, const DistributedMatrix<const T>& X,
                                const Slice& wanted, const Division& division, Index depth, int tag)
    : context_(context),
      X_(X),
      wanted_(wanted),
      division_(division),
      outer_count_(processes_of(X.rows, context.grid())),
      inner_count_(processes_of(X.cols, context.grid())),
      wanted_count_(processes_of(wanted, division.grid)),
      outer_here_(coordinate_of(X.rows, context.row(), context.col())),
      inner_here_(coordinate_of(X.cols, context.row(), context.col())),
      buffers_(PanelSizes::of(held_by(X.rows, context.grid(), context.rank()),
                              held_by(X.cols, context.grid(), context.rank()),
                              division.computed(wanted, context.rank()), division.layers, depth)),
      messages_(context, tag),
      has_segments_(division.layers == 1 && X.rows.to_rows == wanted.to_rows &&
                    divide_alike(X.rows, wanted)) {
  if (division.computes(context.rank())) {
    const auto [layer, row, col] = division.place(context.rank());
    layer_here_ = layer, wanted_here_ = coordinate_of(wanted, row, col);
    const std::vector<Index> rows =
        owners_of(X.rows, outer_count_, wanted, wanted_count_, wanted_here_, 0, wanted.extent);
    const std::vector<Index> steps =
        owners_of(X.cols, inner_count_, division.k, division.layers, layer, 0, division.k.extent);
    for_each_partner(context.grid(), X.rows, rows, steps, [&](int rank, int outer, int inner) {
      peers_.push_back({rank, outer, inner, rows[static_cast<std::size_t>(outer)]});
    });
  }
  const std::vector<Index> rows =
      owners_of(wanted, wanted_count_, X.rows, outer_count_, outer_here_, 0, wanted.extent);
  const std::vector<Index> steps =
      owners_of(division.k, division.layers, X.cols, inner_count_, inner_here_, 0, division.k.extent);
  std::size_t receivers = 0;
  for (int layer = 0; layer < division.layers; ++layer) {
    for (int p = 0; p < wanted_count_; ++p) {
      if (rows[static_cast<std::size_t>(p)] == 0 || steps[static_cast<std::size_t>(layer)] == 0) continue;
      groups_.push_back({layer, p, {}});
      for_each_rank(division.grid, wanted, p,
                    [&](int in_layer) { groups_.back().ranks.push_back(division.rank(layer, in_layer)); });
      receivers += groups_.back().ranks.size();
    }
  }
  // Reserves for the largest panel, so that no allocation can fail while other processes wait.
  const Index elements =
      buffers_.sent * static_cast<Index>(division.grid.size() / wanted_count_) + buffers_.received;
  messages_.reserve<T>(peers_.size() + receivers, elements);
  segments_.reserve(peers_.size());
}

template <class T>
std::byte* PanelExchange<T>::take(std::byte* workspace, bool along_k) {
  along_k_ = along_k;
  sent_ = reinterpret_cast<T*>(aligned(workspace));
  received_ = aligned(sent_ + buffers_.sent);
  panel_ = aligned(received_ + buffers_.received);
  return reinterpret_cast<std::byte*>(panel_ + buffers_.received);
}

template <class T>
Index PanelExchange<T>::count_from(const Peer& peer) const {
  return peer.rows *
         common(X_.cols, inner_count_, peer.inner, division_.k, division_.layers, layer_here_, from_, to_);
}

template <class T>
const T* PanelExchange<T>::as_message(const Group& group, Index& count) const {
  const MatrixRef<const T> local = stored(X_);
  const T* data = nullptr;
  int pieces = 0;
  for_each_common_stretch(
      Runs(X_.rows, outer_count_, outer_here_, 0, X_.rows.extent),
      Runs(wanted_, wanted_count_, group.wanted, 0, wanted_.extent), [&](Index row, Index, Index rows) {
        for_each_stretch(Runs(X_.cols, inner_count_, inner_here_, from_, to_),
                         Runs(division_.k, division_.layers, group.layer, from_, to_),
                         [&](Index k, Index steps) {
                           const MatrixRef<const T> piece = local.block(row, k, rows, steps);
                           const auto message = in_message(piece.data, rows, steps, along_k_);
                           const bool fits = (rows == 1 || piece.row_stride == message.row_stride) &&
                                             (steps == 1 || piece.col_stride == message.col_stride);
                           data = fits ? piece.data : nullptr;
                           count = rows * steps;
                           ++pieces;
                         });
      });
  return pieces == 1 ? data : nullptr;
}

template <class T>
T* PanelExchange<T>::pack(const Group& group, T* to_buffer) const {
  const MatrixRef<const T> local = stored(X_);
  const Index steps =
      common(X_.cols, inner_count_, inner_here_, division_.k, division_.layers, group.layer, from_, to_);
  if (steps == 0) return to_buffer;
  for_each_common_stretch(
      Runs(X_.rows, outer_count_, outer_here_, 0, X_.rows.extent),
      Runs(wanted_, wanted_count_, group.wanted, 0, wanted_.extent), [&](Index row, Index, Index rows) {
        const MatrixRef<T> run = in_message(to_buffer, rows, steps, along_k_);
        Index step = 0;
        for_each_stretch(Runs(X_.cols, inner_count_, inner_here_, from_, to_),
                         Runs(division_.k, division_.layers, group.layer, from_, to_),
                         [&](Index k, Index length) {
                           copy(local.block(row, k, rows, length), run.block(0, step, rows, length));
                           step += length;
                         });
        to_buffer += rows * steps;
      });
  return to_buffer;
}

template <class T>
MatrixRef<T> PanelExchange<T>::panel() const {
  const Index rows = division_.computed(wanted_, context_.rank());
  const Index steps = rows > 0 ? division_.steps(layer_here_, from_, to_) : 0;
  return in_message(panel_, rows, steps, along_k_);
}

template <class T>
void PanelExchange<T>::unpack(const Peer& peer, const T* message) const {
  const MatrixRef<T> all = panel();
  const Index steps = count_from(peer) / peer.rows;
  const Index first_row = wanted_.dealing.before(wanted_.begin, wanted_count_, wanted_here_);
  const Index first_step = division_.k.dealing.before(from_, division_.layers, layer_here_);
  for_each_common_stretch(Runs(X_.rows, outer_count_, peer.outer, 0, X_.rows.extent),
                          Runs(wanted_, wanted_count_, wanted_here_, 0, wanted_.extent),
                          [&](Index, Index row, Index rows) {
                            const MatrixRef<const T> run = in_message(message, rows, steps, along_k_);
                            Index step = 0;
                            for_each_common(Runs(X_.cols, inner_count_, peer.inner, from_, to_),
                                            Runs(division_.k, division_.layers, layer_here_, from_, to_),
                                            [&](Index, Index k, Index length) {
                                              copy(run.block(0, step, rows, length),
                                                   all.block(row - first_row, k - first_step, rows, length));
                                              step += length;
                                            });
                            message += rows * steps;
                          });
}

template <class T>
void PanelExchange<T>::start(Index from, Index to) {
  from_ = from, to_ = to;
  messages_.receive_each(peers_, received_, [&](const Peer& peer) { return count_from(peer); });
  T* leaves = sent_;
  for (const Group& group : groups_) {
    Index count = 0;
    const T* message = as_message(group, count);
    if (message == nullptr) {
      message = leaves;
      leaves = pack(group, leaves);
      count = leaves - message;
    }
    for (const int rank : group.ranks) {
      if (rank == context_.rank()) {
        own_ = message;
      } else {
        messages_.send(message, count, rank);
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
    message += count_from(peer);
  }
  return panel();
}

template <class T>
const std::vector<MatrixRef<const T>>& PanelExchange<T>::finish_segments() {
  messages_.wait();
  segments_.clear();
  const T* message = received_;
  for (const Peer& peer : peers_) {
    const Index steps = count_from(peer) / peer.rows;
    if (peer.rank == context_.rank()) {
      const Index first = X_.cols.dealing.before(X_.cols.begin + from_, inner_count_, inner_here_);
      const Index row = X_.rows.dealing.before(X_.rows.begin, outer_count_, outer_here_);
      const MatrixRef<const T> own = stored(X_).block(row, first, peer.rows, steps);
      segments_.push_back({own.data, own.rows, own.cols, own.row_stride, own.col_stride});
    } else {
      segments_.push_back(in_message(message, peer.rows, steps, along_k_));
      message += peer.rows * steps;
    }
  }
  std::swap(received_, panel_);  // the next panel arrives while these segments are multiplied
  return segments_;
}

template class PanelExchange<float>;
template class PanelExchange<double>;
template class PanelExchange<complex<float>>;
template class PanelExchange<complex<double>>;

}  // namespace rooftile::distributed
