// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/distributed/redistribute.hpp"

#include <optional>

#include "distributed/mpi/messages.hpp"
#include "distributed/mpi/move.hpp"

namespace rooftile::distributed {

namespace {

/// Moves columns of A to the processes that hold them in B. A message contains the blocks that sender and
/// receiver share, each in column-major order.
template <class T>
class Columns {
 public:
  static constexpr std::size_t padding = 2 * alignment_of_buffers;

  /// @param at_once  maximum number of columns of one move
  /// @throws std::bad_alloc; later calls allocate no memory
  Columns(const Context& context, const DistributedMatrix<const T>& A, const DistributedMatrix<T>& B,
          Index at_once)
      : context_(context),
        grid_(context.grid()),
        A_(A),
        B_(B),
        conjugates_(conjugates(A, B)),
        max_sent_(at_once * held_by(A.rows, grid_, context.rank())),
        sources_(partners_of(context, A, B)),
        targets_(partners_of(context, B, A)),
        messages_(context, tag) {
    const Index max_received = at_once * held_by(B.rows, grid_, context.rank());
    messages_.reserve<T>(sources_.size() + targets_.size(), max_sent_ + max_received);
  }

  /// Moves columns [from, to), with the workspace of the plan.
  void move(Index from, Index to, std::byte* workspace) {
    const int here = context_.rank();
    T* const leaves = aligned(reinterpret_cast<T*>(workspace));
    T* const received = aligned(leaves + max_sent_);
    messages_.receive_each(sources_, received, [&](const Partner& source) {
      return source.rows * common(A_.cols, processes_of(A_.cols, grid_), source.col, B_.cols,
                                  processes_of(B_.cols, grid_),
                                  coordinate_of(B_.cols, context_.row(), context_.col()), from, to);
    });
    const T* own = messages_.send_each(targets_, leaves, [&](const Partner& target, T* leaving) {
      for_each_block(here, target.rank, from, to, [&](Place of_a, Place, Index rows, Index cols) {
        copy<T>(stored(A_).block(of_a.i, of_a.j, rows, cols), column_major(leaving, rows, cols));
        leaving += rows * cols;
      });
      return leaving;
    });
    messages_.wait();
    const T* arrived = received;
    for (const Partner& source : sources_) {
      const T*& message = source.rank == here ? own : arrived;
      for_each_block(source.rank, here, from, to, [&](Place, Place of_b, Index rows, Index cols) {
        put(column_major(message, rows, cols), stored(B_).block(of_b.i, of_b.j, rows, cols));
        message += rows * cols;
      });
    }
  }

 private:
  static constexpr int tag = 2;  // gemm uses tags 0 and 1
  /// Local indices of an element.
  struct Place {
    Index i, j;
  };

  /// Calls f(place in A, place in B, rows, cols) for each block of columns [from, to) that `sender` holds in
  /// A and `receiver` holds in B.
  template <class F>
  void for_each_block(int sender, int receiver, Index from, Index to, const F& f) const {
    const auto runs = [&](const Slice& slice, int rank, Index begin, Index end) {
      return Runs(slice, processes_of(slice, grid_),
                  coordinate_of(slice, rank / grid_.cols, rank % grid_.cols), begin, end);
    };
    for_each_common(runs(A_.cols, sender, from, to), runs(B_.cols, receiver, from, to),
                    [&](Index a_col, Index b_col, Index cols) {
                      for_each_common(runs(A_.rows, sender, 0, A_.rows.extent),
                                      runs(B_.rows, receiver, 0, B_.rows.extent),
                                      [&](Index a_row, Index b_row, Index rows) {
                                        f(Place{a_row, a_col}, Place{b_row, b_col}, rows, cols);
                                      });
                    });
  }

  void put(const MatrixRef<const T>& from, const MatrixRef<T>& to) const {
    if (!conjugates_) return copy(from, to);
    for (Index j = 0; j < from.cols; ++j) {
      for (Index i = 0; i < from.rows; ++i) {
        to.data[i * to.row_stride + j * to.col_stride] =
            detail::conjugated_if(true, from.data[i * from.row_stride + j * from.col_stride]);
      }
    }
  }

  const Context& context_;
  Grid grid_;
  DistributedMatrix<const T> A_;
  DistributedMatrix<T> B_;
  bool conjugates_;
  Index max_sent_;                          ///< elements, for `at_once` columns
  std::vector<Partner> sources_, targets_;  ///< partners of the elements of B here, and of those of A
  Messages messages_;
};

template <class T>
void move(Context& context, const DistributedMatrix<const T>& A, const DistributedMatrix<T>& B) {
  std::optional<Columns<T>> columns;
  std::byte* workspace = nullptr;
  Parts parts;
  Proposal mine;
  mine.refusal = refusal_of([&] {
    check_move(context, A, B);
    parts = parts_of(A, B, context.grid(), context.options().products.workspace, Columns<T>::padding);
    if (parts.columns == 0 || !context.in_grid()) return;
    columns.emplace(context, A, B, parts.columns);
    if ((workspace = context.reserve(parts.workspace)) == nullptr) {
      throw Error(detail::text("too little memory for the workspace of a redistribution (", parts.workspace,
                               " bytes): free some, or allow less workspace"));
    }
  });
  mine.fingerprint = fingerprint_of(A, B).value();
  agree(context.watch(), mine);
  if (!columns) return;
  for (Index from = 0; from < A.cols.extent; from += parts.columns) {
    columns->move(from, std::min(A.cols.extent, from + parts.columns), workspace);
  }
}

}  // namespace

template <class T>
void redistribute(Context& context, const DistributedMatrix<const T>& A, const DistributedMatrix<T>& B) {
  context.watch().run(
      [&] { along_columns(A, B, [&](const auto& from, const auto& to) { move<T>(context, from, to); }); });
}

template void redistribute(Context&, const DistributedMatrix<const float>&, const DistributedMatrix<float>&);
template void redistribute(Context&, const DistributedMatrix<const double>&,
                           const DistributedMatrix<double>&);
template void redistribute(Context&, const DistributedMatrix<const complex<float>>&,
                           const DistributedMatrix<complex<float>>&);
template void redistribute(Context&, const DistributedMatrix<const complex<double>>&,
                           const DistributedMatrix<complex<double>>&);

}  // namespace rooftile::distributed
