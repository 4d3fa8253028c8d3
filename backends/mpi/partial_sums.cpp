// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "backends/mpi/partial_sums.hpp"

#include <algorithm>

#include "rooftile/types.hpp"

namespace rooftile::distributed {

namespace {

constexpr int tag = 3;  // panels have 0 and 1, redistributions 2

}  // namespace

template <class T>
PartialSums<T>::PartialSums(const Context& context, const DistributedMatrix<T>& C, const Division& division)
    : context_(context),
      C_(C),
      division_(division),
      sizes_(SumSizes::of(C.rows, C.cols, division, context.grid(), context.rank())),
      messages_(context, tag) {
  messages_.reserve<T>(2 * static_cast<std::size_t>(context.grid().size()), sizes_.sent + sizes_.received);
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
  const MatrixRef<T> C = C_.is_transposed ? C_.local.transposed() : C_.local;
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
  const int here = context_.rank(), processes = context_.grid().size();
  const auto count = [&](int computes, int holds) {
    Index elements = 0;
    for_each_block(computes, holds,
                   [&](auto, auto, auto, auto, Index rows, Index cols) { elements += rows * cols; });
    return elements;
  };
  T* const leaves = aligned(partial_ + sizes_.partial);
  T* const received = aligned(leaves + sizes_.sent);
  const int computing = std::min(processes, division_.grid.size() * division_.layers);
  messages_.receive_each(computing, received, [&](int rank) { return count(rank, here); });
  const T* const own =
      messages_.send_each(division_.computes(here) ? processes : 0, leaves, [&](int rank, T* to) {
        for_each_block(here, rank, [&](Index i, Index j, Index, Index, Index rows, Index cols) {
          copy<T>(partial().block(i, j, rows, cols), column_major(to, rows, cols));
          to += rows * cols;
        });
        return to;
      });
  messages_.wait();
  // By ranks: for each element of C these come in the order of the layers.
  const T* message = received;
  for (int rank = 0; rank < computing; ++rank) {
    add_message(rank, rank == here ? own : message, division_.place(rank).layer == 0 ? beta : T(1));
    if (rank != here) message += count(rank, here);
  }
}

template class PartialSums<float>;
template class PartialSums<double>;
template class PartialSums<complex<float>>;
template class PartialSums<complex<double>>;

}  // namespace rooftile::distributed
