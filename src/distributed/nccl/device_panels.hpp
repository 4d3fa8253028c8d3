// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "distributed/mpi/division.hpp"
#include "distributed/mpi/panel_buffers.hpp"
#include "distributed/nccl/device_messages.hpp"
#include "distributed/nccl/run_lists.hpp"

namespace rooftile::distributed {

/// `PanelExchange` in memory of GPUs, on one layer. A message is a matrix (rows, steps): what lies so is sent
/// from there, what arrives as wanted goes to its place at once, and what all hold as
/// wanted stays.
template <class T>
class DevicePanels {
 public:
  /// @param X       (outer, K) @param wanted  C's dimension that X's first one is
  /// @param depth   of a panel, at most @param lists  get those of this operand
  DevicePanels(const Context& context, const DistributedMatrix<const T>& X, const Slice& wanted,
               const Division& division, Index depth, RunLists& lists);

  /// Bytes that are sent, or received, at a time.
  std::size_t message_bytes() const;
  /// Takes its part of the workspace. @return what is behind
  /// @param along_k  whether messages are so @param lists,runs  the product's, here and on the device
  std::byte* take(std::byte* workspace, bool along_k, const RunLists& lists, const Run* runs);

  /// Packs steps [from, to) along K and posts what is sent and received for panel number `slot` of two.
  void start(Index from, Index to, int slot, DeviceMessages& messages, cudaStream_t stream);
  /// Makes the panel of what has arrived, and of what this process holds itself.
  void finish(cudaStream_t stream);
  /// That panel: (outer computed, steps), as it is read.
  MatrixRef<const T> panel(Index from, Index to, int slot) const;

 private:
  struct Peer {
    int rank, inner;  ///< and the coordinate of what it holds along K
    RunList rows;     ///< from its message to the panel
  };
  struct Group {
    std::vector<int> ranks;  ///< who wants the same, but this process
    RunList rows;            ///< from what this process holds to their message
  };

  /// Calls f(first step in the message, step along K, steps) for each part that a message is sent in.
  template <class F>
  void for_each_part(int inner, const F& f) const;
  Index steps_of(int inner) const;
  /// Whether a peer's message lies in the panel as it arrives.
  bool arrives_in_place(const Peer& peer) const;
  /// Of the message that a group gets, where it lies.
  const T* packed(const Group& group, T* buffer, cudaStream_t stream) const;
  RunCopy copy(const Axis& rows, const Axis& steps, const MatrixRef<const T>& from,
               const MatrixRef<const T>& to) const;
  MatrixRef<T> place_of_panel(Index steps, int slot) const;

  const Context& context_;
  DistributedMatrix<const T> X_;
  MatrixRef<const T> local_;  ///< what this process holds: (outer, K)
  bool stays_;
  int inner_count_, inner_here_;
  Index first_row_ = 0, first_step_ = 0;  ///< in local_, of what is in the product
  Index rows_ = 0;                        ///< of panels
  GpuPanelSizes sizes_;
  std::vector<Peer> peers_;
  std::vector<Group> groups_;
  RunList own_rows_;            ///< from what this process holds to the panel
  std::vector<RunList> steps_;  ///< of each process along K: from its own steps' numbers to steps along K
  const RunLists* lists_ = nullptr;
  const Run* runs_ = nullptr;
  bool along_k_ = false;
  T* sent_ = nullptr;
  T* received_ = nullptr;
  T* panels_[2] = {};
  Index from_ = 0, to_ = 0;
  int slot_ = 0;
};

}  // namespace rooftile::distributed
