// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "distributed/mpi/panel_buffers.hpp"
#include "distributed/mpi/watchdog.hpp"
#include "rooftile/distributed/context.hpp"

namespace rooftile::distributed {

/// Pending messages to and from other processes. Long messages are split, so that MPI's `int` counts suffice.
class Messages {
 public:
  Messages(const Context& context, int tag) : context_(context), tag_(tag) {}

  /// Reserves memory for `peers` messages with `elements` elements in total, so that no allocation can fail
  /// while other processes wait.
  template <class T>
  void reserve(std::size_t peers, Index elements) {
    const std::size_t all = peers + static_cast<std::size_t>(elements / elements_at_once<T>());
    requests_.reserve(all), ranks_.reserve(all);
  }
  template <class T>
  void send(const T* data, Index count, int rank) {
    for_each_part<T>(count, rank, [&](Index begin, int bytes, MPI_Request* request) {
      return MPI_Isend(data + begin, bytes, MPI_BYTE, rank, tag_, context_.communicator(), request);
    });
  }
  template <class T>
  void receive(T* data, Index count, int rank) {
    for_each_part<T>(count, rank, [&](Index begin, int bytes, MPI_Request* request) {
      return MPI_Irecv(data + begin, bytes, MPI_BYTE, rank, tag_, context_.communicator(), request);
    });
  }
  /// Receives `count(partner)` elements from each partner except this process, one message after another.
  template <class Partner, class T, class Count>
  void receive_each(const std::vector<Partner>& partners, T* to, const Count& count) {
    for (const Partner& partner : partners) {
      if (partner.rank == context_.rank()) continue;
      const Index elements = count(partner);
      receive(to, elements, partner.rank);
      to += elements;
    }
  }
  /// Sends to each partner the message that `pack(partner, to)` writes at `to`; `pack` returns its end.
  /// @return the message of this process to itself
  template <class Partner, class T, class Pack>
  const T* send_each(const std::vector<Partner>& partners, T* to, const Pack& pack) {
    const T* own = nullptr;
    for (const Partner& partner : partners) {
      T* const message = to;
      to = pack(partner, to);
      if (partner.rank == context_.rank()) {
        own = message;
      } else {
        send(message, to - message, partner.rank);
      }
    }
    return own;
  }
  /// Waits until all messages are sent or received.
  void wait() {
    context_.watch().wait(requests_, ranks_);
    requests_.clear(), ranks_.clear();
  }

 private:
  template <class T>
  Index elements_at_once() const {
    return std::max<Index>(context_.options().message / static_cast<Index>(sizeof(T)), 1);
  }
  template <class T, class F>
  void for_each_part(Index count, int rank, const F& post) {
    const Index at_once = elements_at_once<T>();
    for (Index begin = 0; begin < count; begin += at_once) {
      MPI_Request request = MPI_REQUEST_NULL;
      const int bytes = static_cast<int>(std::min(at_once, count - begin) * static_cast<Index>(sizeof(T)));
      context_.watch().check(post(begin, bytes, &request));
      requests_.push_back(request), ranks_.push_back(rank);
    }
  }

  const Context& context_;
  int tag_;
  std::vector<MPI_Request> requests_;
  std::vector<int> ranks_;  ///< the partner of each request
};

/// Copies a matrix into another one of equal shape. The inner loop runs along the contiguous dimension of Y.
template <class T>
void copy(MatrixRef<const T> X, MatrixRef<T> Y) {
  if (std::abs(Y.row_stride) > std::abs(Y.col_stride)) X = X.transposed(), Y = Y.transposed();
  for (Index j = 0; j < X.cols; ++j) {
    const T* const from = X.data + j * X.col_stride;
    T* const to = Y.data + j * Y.col_stride;
    if (X.row_stride == 1 && Y.row_stride == 1) {
      std::copy_n(from, X.rows, to);
    } else {
      for (Index i = 0; i < X.rows; ++i) to[i * Y.row_stride] = from[i * X.row_stride];
    }
  }
}

}  // namespace rooftile::distributed
