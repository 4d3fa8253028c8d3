// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "distributed/mpi/partial_sums.hpp"

#include "distributed/mpi/owners.hpp"
#include "rooftile/types.hpp"

namespace rooftile::distributed {

namespace {

constexpr int tag = 3;  // tags 0 and 1: panels; 2: redistributions

}  // namespace

template <class T>
PartialSums<T>::PartialSums(const Context& context, const DistributedMatrix<T>& C, const Division& division)
    : context_(context),
      C_(C),
      division_(division),
      sizes_(SumSizes::of(
          division.computed(division.c_rows, context.rank()) *
              division.computed(division.c_cols, context.rank()),
          held_by(C.rows, context.grid(), context.rank()) * held_by(C.cols, context.grid(), context.rank()),
          division.layers)),
      messages_(context, tag) {
  const Grid grid = context.grid();
  // For each process by x, the number of indices that it shares with the process (row, col) of grid `of_y` by
  // y.
  const auto owners = [](const Slice& x, const Grid& of_x, const Slice& y, const Grid& of_y, int row,
                         int col) {
    return owners_of(x, processes_of(x, of_x), y, processes_of(y, of_y), coordinate_of(y, row, col), 0,
                     y.extent);
  };
  const auto elements = [](const std::vector<Index>& rows, int p, const std::vector<Index>& cols, int q) {
    return rows[static_cast<std::size_t>(p)] * cols[static_cast<std::size_t>(q)];
  };
  const std::vector<Index> rows =
      owners(division.c_rows, division.grid, C.rows, grid, context.row(), context.col());
  const std::vector<Index> cols =
      owners(division.c_cols, division.grid, C.cols, grid, context.row(), context.col());
  // The sources of one part of C are in the order of the layers, which fixes the order of the sum.
  for_each_partner(division.grid, division.c_rows, rows, cols, [&](int in_layer, int p, int q) {
    for (int layer = 0; layer < division.layers; ++layer) {
      sources_.push_back({division.rank(layer, in_layer), elements(rows, p, cols, q)});
    }
  });
  if (division.computes(context.rank())) {
    const auto [layer, row, col] = division.place(context.rank());
    const std::vector<Index> held_rows = owners(C.rows, grid, division.c_rows, division.grid, row, col);
    const std::vector<Index> held_cols = owners(C.cols, grid, division.c_cols, division.grid, row, col);
    for_each_partner(grid, C.rows, held_rows, held_cols, [&](int rank, int p, int q) {
      targets_.push_back({rank, elements(held_rows, p, held_cols, q)});
    });
  }
  messages_.reserve<T>(sources_.size() + targets_.size(), sizes_.sent + sizes_.received);
}

template <class T>
MatrixRef<T> PartialSums<T>::partial() const {
  return column_major(partial_, division_.computed(division_.c_rows, context_.rank()),
                      division_.computed(division_.c_cols, context_.rank()));
}

template <class T>
MatrixRef<T> PartialSums<T>::take(std::byte* workspace) {
  partial_ = aligned(reinterpret_cast<T*>(workspace));
  return partial();
}

template <class T>
template <class F>
void PartialSums<T>::for_each_block(int computes, int holds, const F& f) const {
  const Grid grid = context_.grid();
  const auto [layer, row, col] = division_.place(computes);
  const auto computed = [&, row = row, col = col](const Slice& slice) {
    return Runs(slice, processes_of(slice, division_.grid), coordinate_of(slice, row, col), 0, slice.extent);
  };
  const auto held = [&](const Slice& slice) {
    return Runs(slice, processes_of(slice, grid), coordinate_of(slice, holds / grid.cols, holds % grid.cols),
                0, slice.extent);
  };
  for_each_common(computed(division_.c_cols), held(C_.cols), [&](Index j, Index c_j, Index cols) {
    for_each_common(computed(division_.c_rows), held(C_.rows),
                    [&](Index i, Index c_i, Index rows) { f(i, j, c_i, c_j, rows, cols); });
  });
}

template <class T>
void PartialSums<T>::add_message(int computes, const T* message, T beta) {
  const MatrixRef<T> C = stored(C_);
  const bool conjugated = detail::reads_conjugates(C);
  for_each_block(computes, context_.rank(), [&](Index, Index, Index i, Index j, Index rows, Index cols) {
    for (Index y = 0; y < cols; ++y) {
      for (Index x = 0; x < rows; ++x) {
        T& c = C.data[(i + x) * C.row_stride + (j + y) * C.col_stride];
        const T sum = message[y * rows + x];
        c = beta == T(0)
                ? detail::conjugated_if(conjugated, sum)
                : detail::conjugated_if(conjugated, beta * detail::conjugated_if(conjugated, c) + sum);
      }
    }
    message += rows * cols;
  });
}

template <class T>
void PartialSums<T>::add(T beta) {
  const int here = context_.rank();
  T* const leaves = aligned(partial_ + sizes_.partial);
  T* const received = aligned(leaves + sizes_.sent);
  messages_.receive_each(sources_, received, [&](const Partner& source) { return source.elements; });
  const T* const own = messages_.send_each(targets_, leaves, [&](const Partner& target, T* to) {
    for_each_block(here, target.rank, [&](Index i, Index j, Index, Index, Index rows, Index cols) {
      copy<T>(partial().block(i, j, rows, cols), column_major(to, rows, cols));
      to += rows * cols;
    });
    return to;
  });
  messages_.wait();
  const T* message = received;
  for (const auto& [rank, elements] : sources_) {
    add_message(rank, rank == here ? own : message, division_.place(rank).layer == 0 ? beta : T(1));
    if (rank != here) message += elements;
  }
}

template class PartialSums<float>;
template class PartialSums<double>;
template class PartialSums<complex<float>>;
template class PartialSums<complex<double>>;

}  // namespace rooftile::distributed
