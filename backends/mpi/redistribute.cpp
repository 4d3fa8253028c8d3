// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/distributed/redistribute.hpp"

#include <algorithm>
#include <optional>

#include "backends/mpi/agreement.hpp"
#include "backends/mpi/checks.hpp"
#include "backends/mpi/messages.hpp"
#include "backends/mpi/owners.hpp"

namespace rooftile::distributed {

namespace {

/// Moves columns of A to where B's are. A message holds the blocks that sender and receiver have in common,
/// each by columns.
template <class T>
class Columns {
 public:
  /// Bytes of the buffers for each column, on the process that takes the most.
  static std::size_t bytes_of_one(const Slice& a_rows, const Slice& b_rows, const Grid& grid) {
    const auto max_held = [&](bool rows) {
      Index most = 0;
      for (int p = 0; p < (rows ? grid.rows : grid.cols); ++p) {
        Index here = 0;
        for (const Slice* slice : {&a_rows, &b_rows}) {
          if (slice->to_rows == rows) here += held(*slice, processes_of(*slice, grid), p, 0, slice->extent);
        }
        most = std::max(most, here);
      }
      return most;
    };
    return static_cast<std::size_t>(std::max<Index>(max_held(true) + max_held(false), 1)) * sizeof(T);
  }
  static constexpr std::size_t padding = 2 * alignment_of_buffers;

  /// @param at_once  columns that are moved at once, at most
  /// @throws std::bad_alloc; later, no memory is asked for
  Columns(const Context& context, const DistributedMatrix<const T>& A, const DistributedMatrix<T>& B,
          Index at_once)
      : context_(context),
        grid_(context.grid()),
        A_(A),
        B_(B),
        conjugates_(detail::reads_conjugates(A.local) != detail::reads_conjugates(B.local)),
        max_sent_(at_once * held_by(A.rows, grid_, context.rank())),
        sources_(partners_of(A, B)),
        targets_(partners_of(B, A)),
        messages_(context, tag) {
    const Index max_received = at_once * held_by(B.rows, grid_, context.rank());
    messages_.reserve<T>(sources_.size() + targets_.size(), max_sent_ + max_received);
  }

  /// Columns [from, to), with that workspace.
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
  static constexpr int tag = 2;  // gemm has 0 and 1
  struct Partner {
    int rank;
    int col;     ///< where it stands, along the columns
    Index rows;  ///< that are common
  };
  /// In what a process holds.
  struct Place {
    Index i, j;
  };

  /// Who has by X something of what this process has by Y, itself, too.
  template <class U, class V>
  std::vector<Partner> partners_of(const DistributedMatrix<U>& X, const DistributedMatrix<V>& Y) const {
    const auto owners = [&](const Slice& x, const Slice& y) {
      return owners_of(x, processes_of(x, grid_), y, processes_of(y, grid_),
                       coordinate_of(y, context_.row(), context_.col()), 0, y.extent);
    };
    const std::vector<Index> rows = owners(X.rows, Y.rows);
    std::vector<Partner> partners;
    for_each_partner(grid_, X.rows, rows, owners(X.cols, Y.cols), [&](int rank, int p, int q) {
      partners.push_back({rank, q, rows[static_cast<std::size_t>(p)]});
    });
    return partners;
  }
  /// Calls f(place in A, place in B, rows, cols) for each block of columns [from, to) that one process has of
  /// A and another of B.
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

  template <class U>
  static MatrixRef<U> stored(const DistributedMatrix<U>& X) {
    return X.is_transposed ? X.local.transposed() : X.local;
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
  Index max_sent_;                          ///< elements, of `at_once` columns
  std::vector<Partner> sources_, targets_;  ///< of B's elements here, and of A's
  Messages messages_;
};

/// @throws Error where this process sees a fault
template <class T>
void check_move(const Context& context, const DistributedMatrix<const T>& A, const DistributedMatrix<T>& B) {
  check_matrix("A", A, context);
  check_matrix("B", B, context);
  if (A.rows.extent != B.rows.extent || A.cols.extent != B.cols.extent) {
    throw Error(detail::text("shapes differ (A ", A.rows.extent, " x ", A.cols.extent, ", B ", B.rows.extent,
                             " x ", B.cols.extent, "): give matrices of one shape"));
  }
  if (!context.in_grid()) return;
  const MatrixRef<T> own = local_block(B, context.grid(), context.row(), context.col());
  if (detail::is_empty(own)) return;
  detail::check_distinct(own);
  const MatrixRef<const T> read = local_block(A, context.grid(), context.row(), context.col());
  if (detail::overlap<T>(read, own)) {
    throw Error(detail::text("B overlaps A (", static_cast<const void*>(own.data), " and ",
                             static_cast<const void*>(read.data), "): write to a matrix of its own"));
  }
}

template <class T>
void move(Context& context, const DistributedMatrix<const T>& A, const DistributedMatrix<T>& B) {
  // In parts along the longer dimension, of which more fit.
  if (A.rows.extent > A.cols.extent && B.rows.extent > B.cols.extent) {
    return move<T>(context, A.transposed(), B.transposed());
  }
  std::optional<Columns<T>> columns;
  std::byte* workspace = nullptr;
  Index at_once = 0;
  Proposal mine;
  mine.refusal = refusal_of([&] {
    check_move(context, A, B);
    const std::size_t of_one = Columns<T>::bytes_of_one(A.rows, B.rows, context.grid());
    constexpr std::size_t padding = Columns<T>::padding;
    const std::size_t limit = context.options().products.workspace;
    const std::size_t fit = limit > padding ? (limit - padding) / of_one : 0;
    at_once = static_cast<Index>(std::min(fit, static_cast<std::size_t>(A.cols.extent)));
    if (at_once == 0 && A.cols.extent > 0) {
      throw Error(detail::text("too little workspace to redistribute a matrix (", limit, " of ",
                               of_one + padding, " bytes): allow more, or take more processes"));
    }
    if (at_once == 0 || !context.in_grid()) return;
    columns.emplace(context, A, B, at_once);
    const std::size_t bytes = static_cast<std::size_t>(at_once) * of_one + padding;
    if ((workspace = context.reserve(bytes)) == nullptr) {
      throw Error(detail::text("too little memory for the workspace of a redistribution (", bytes,
                               " bytes): free some, or allow less workspace"));
    }
  });
  Fingerprint fingerprint;
  fingerprint.add(type_of<T>(), detail::reads_conjugates(A.local), detail::reads_conjugates(B.local));
  for (const Slice* slice : {&A.rows, &A.cols, &B.rows, &B.cols}) fingerprint.add(*slice);
  mine.fingerprint = fingerprint.value();
  agree(context.watch(), mine);
  if (!columns) return;
  for (Index from = 0; from < A.cols.extent; from += at_once) {
    columns->move(from, std::min(A.cols.extent, from + at_once), workspace);
  }
}

}  // namespace

template <class T>
void redistribute(Context& context, const DistributedMatrix<const T>& A, const DistributedMatrix<T>& B) {
  context.watch().run([&] { move<T>(context, A, B); });
}

template void redistribute(Context&, const DistributedMatrix<const float>&, const DistributedMatrix<float>&);
template void redistribute(Context&, const DistributedMatrix<const double>&,
                           const DistributedMatrix<double>&);
template void redistribute(Context&, const DistributedMatrix<const complex<float>>&,
                           const DistributedMatrix<complex<float>>&);
template void redistribute(Context&, const DistributedMatrix<const complex<double>>&,
                           const DistributedMatrix<complex<double>>&);

}  // namespace rooftile::distributed
