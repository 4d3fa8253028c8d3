// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "distributed/mpi/messages.hpp"

namespace rooftile::distributed {

/// Brings an operand (outer, K) in panels along K to where C is computed. Each process packs what it holds
/// once for each group that wants the same. A message holds the common runs of indices, each (run, steps).
template <class T>
class PanelExchange {
 public:
  /// @param X (outer, K) @param wanted  C's dimension that `outer` is @param depth  the most of a panel
  /// @throws std::bad_alloc; later, no memory is asked for
  PanelExchange(const Context& context, const DistributedMatrix<const T>& X, const Slice& wanted,
                const Division& division, Index depth, int tag);

  /// Takes its part of the workspace. @return what is behind
  /// @param along_k  whether messages are contiguous along K, on all processes
  std::byte* take(std::byte* workspace, bool along_k);

  /// Sends steps [from, to) along K, of all layers, and begins to receive this one's. @pre none is under way
  void start(Index from, Index to);
  /// The panel (outer computed, this layer's steps), which stays until `finish` is called again. @pre one is
  /// under way
  MatrixRef<const T> finish();

 private:
  struct Peer {
    int rank;
    int outer, inner;  ///< coordinates of what it holds
    Index rows;        ///< that it holds of what is wanted here
  };
  struct Group {
    int layer, wanted;       ///< what its processes compute
    std::vector<int> ranks;  ///< of them
  };

  /// Elements of this panel that a peer sends here.
  Index count_from(const Peer& peer) const;
  T* pack(const Group& group, T* to_buffer) const;
  void unpack(const Peer& peer, const T* message) const;
  MatrixRef<T> panel() const;

  const Context& context_;
  DistributedMatrix<const T> X_;
  Slice wanted_;
  Division division_;
  bool along_k_ = false;
  int outer_count_, inner_count_, wanted_count_;
  int outer_here_, inner_here_;           ///< coordinates of what this process holds
  int wanted_here_ = 0, layer_here_ = 0;  ///< of what it computes, if it does
  PanelSizes buffers_;
  std::vector<Peer> peers_;    ///< who holds something of what is wanted here, this process among them
  std::vector<Group> groups_;  ///< who wants something of what is held here
  Messages messages_;
  T* sent_ = nullptr;
  T* received_ = nullptr;
  T* panel_ = nullptr;
  const T* own_ = nullptr;  ///< in what is sent, what this process wants itself
  Index from_ = 0, to_ = 0;
};

}  // namespace rooftile::distributed
