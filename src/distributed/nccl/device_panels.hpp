// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "distributed/mpi/division.hpp"
#include "distributed/mpi/panel_buffers.hpp"
#include "distributed/nccl/device_messages.hpp"
#include "distributed/nccl/run_lists.hpp"

namespace rooftile::distributed {

/// `PanelExchange` in GPU memory, with one layer. A message is a matrix (rows, steps). A part with
/// matching layout is sent in place, and a message in final order is received in place. An operand that is
/// already in place is read there.
template <class T>
class DevicePanels {
 public:
  /// @param X       the operand (outer, K)
  /// @param wanted  the dimension of C that `outer` corresponds to
  /// @param depth   maximum depth of a panel
  /// @param lists   receives the lists of runs of this operand
  DevicePanels(const Context& context, const DistributedMatrix<const T>& X, const Slice& wanted,
               const Division& division, Index depth, RunLists& lists);

  /// Maximum number of bytes that are sent, or received, at a time.
  std::size_t message_bytes() const;
  /// Takes its part of the workspace.
  /// @param along_k  whether messages are contiguous along K
  /// @param lists,runs  the product's lists of runs, on the host and on the device
  /// @return the end of that part
  std::byte* take(std::byte* workspace, bool along_k, const RunLists& lists, const Run* runs);

  /// Packs steps [from, to) along K, and posts the messages for the panel of slot `slot` (0 or 1).
  void start(Index from, Index to, int slot, DeviceMessages& messages, cudaStream_t stream);
  /// Assembles the panel from messages and from local elements.
  void finish(cudaStream_t stream);
  /// The panel (outer computed, steps), with conjugation.
  MatrixRef<const T> panel(Index from, Index to, int slot) const;

 private:
  struct Peer {
    int rank, inner;  ///< `inner`: its coordinate along K
    RunList rows;     ///< from its message to the panel
  };
  struct Group {
    std::vector<int> ranks;  ///< processes, without this one, that want equal elements
    RunList rows;            ///< from the local elements to the message
  };

  /// Calls f(first step in the message, step along K, steps) for each part of a message.
  template <class F>
  void for_each_part(int inner, const F& f) const;
  Index steps_of(int inner) const;
  /// Whether the message of a peer can be received directly in the panel.
  bool arrives_in_place(const Peer& peer) const;
  /// Packs the message for a group. @return the message: in `buffer`, or in place
  const T* packed(const Group& group, T* buffer, cudaStream_t stream) const;
  RunCopy copy(const Axis& rows, const Axis& steps, const MatrixRef<const T>& from,
               const MatrixRef<const T>& to) const;
  MatrixRef<T> place_of_panel(Index steps, int slot) const;

  const Context& context_;
  DistributedMatrix<const T> X_;
  MatrixRef<const T> local_;  ///< local elements: (outer, K)
  bool stays_;
  int inner_count_, inner_here_;
  Index first_row_ = 0, first_step_ = 0;  ///< of the product, in `local_`
  Index rows_ = 0;                        ///< rows of a panel
  GpuPanelSizes sizes_;
  std::vector<Peer> peers_;
  std::vector<Group> groups_;
  RunList own_rows_;            ///< from the local elements to the panel
  std::vector<RunList> steps_;  ///< for each process along K: from its own step numbers to steps along K
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
