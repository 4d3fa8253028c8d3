// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "distributed/mpi/messages.hpp"

namespace rooftile::distributed {

/// Sends an operand (outer, K), in panels along K, to the processes that compute C. Each process packs its
/// elements once for each group of processes that want equal elements, and sends elements that lie as in a
/// message from where they are. A message contains the common stretches of indices, each as (stretch, steps).
template <class T>
class PanelExchange {
 public:
  /// @param X  the operand (outer, K)
  /// @param wanted  the dimension of C that `outer` corresponds to
  /// @param depth  maximum depth of a panel
  /// @throws std::bad_alloc; later calls allocate no memory
  PanelExchange(const Context& context, const DistributedMatrix<const T>& X, const Slice& wanted,
                const Division& division, Index depth, int tag);

  /// Takes its part of the workspace.
  /// @param along_k  whether messages are contiguous along K, equal on all processes
  /// @return the end of that part
  std::byte* take(std::byte* workspace, bool along_k);

  /// Sends steps [from, to) along K of all layers, and starts to receive those of this layer. @pre no
  /// exchange is pending
  void start(Index from, Index to);
  /// Waits for the panel (outer computed, steps of this layer). The panel is valid until the next `finish`.
  /// @pre an exchange is pending
  MatrixRef<const T> finish();

  /// Whether each process holds all rows that it wants, for some steps along K. `finish_segments` then
  /// replaces `finish`. Equal on all processes.
  bool has_segments() const { return has_segments_; }
  /// Waits for the panel. Does not copy it. @return a segment (outer computed, steps) for each process that
  /// holds steps, in the order of their coordinates; valid until the next `finish_segments`. @pre
  /// has_segments
  const std::vector<MatrixRef<const T>>& finish_segments();

 private:
  struct Peer {
    int rank;
    int outer, inner;  ///< coordinates of the elements that it holds
    Index rows;        ///< rows that it holds and this process wants
  };
  struct Group {
    int layer, wanted;       ///< the layer and the coordinate that its processes compute
    std::vector<int> ranks;  ///< its processes
  };

  /// The number of elements of this panel that a peer sends to this process.
  Index count_from(const Peer& peer) const;
  /// The elements of a message if they lie in memory as in a message, else null.
  const T* as_message(const Group& group, Index& count) const;
  T* pack(const Group& group, T* to_buffer) const;
  void unpack(const Peer& peer, const T* message) const;
  MatrixRef<T> panel() const;

  const Context& context_;
  DistributedMatrix<const T> X_;
  Slice wanted_;
  Division division_;
  bool along_k_ = false;
  int outer_count_, inner_count_, wanted_count_;
  int outer_here_, inner_here_;           ///< coordinates of the elements that this process holds
  int wanted_here_ = 0, layer_here_ = 0;  ///< coordinates of what this process computes, if any
  PanelSizes buffers_;
  std::vector<Peer> peers_;    ///< processes, this one included, that hold wanted elements
  std::vector<Group> groups_;  ///< processes that want elements held here
  Messages messages_;
  T* sent_ = nullptr;
  T* received_ = nullptr;
  T* panel_ = nullptr;
  const T* own_ = nullptr;  ///< the message of this process to itself
  bool has_segments_ = false;
  std::vector<MatrixRef<const T>> segments_;
  Index from_ = 0, to_ = 0;
};

}  // namespace rooftile::distributed
