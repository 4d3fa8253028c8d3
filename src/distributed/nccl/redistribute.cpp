// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "cuda_native/device_accessible.hpp"
#include "distributed/mpi/move.hpp"
#include "distributed/mpi/panel_buffers.hpp"
#include "distributed/nccl/copy_runs.hpp"
#include "distributed/nccl/started_work.hpp"

namespace rooftile::distributed {

namespace {

/// Moves columns of A to the processes that hold them in B, as the `redistribute` for host memory does. A
/// message is a matrix of the rows and columns that sender and receiver share.
template <class T>
class DeviceColumns {
 public:
  static constexpr std::size_t padding = 2 * alignment_on_gpus;

  /// @param at_once  maximum number of columns of one move
  /// @param lists    receives the lists of runs of both matrices
  DeviceColumns(const Context& context, const DistributedMatrix<const T>& A, const DistributedMatrix<T>& B,
                Index at_once, RunLists& lists)
      : A_(A),
        B_(B),
        grid_(context.grid()),
        from_(stored(A)),
        to_(stored(B)),
        max_sent_(at_once * held_by(A.rows, grid_, context.rank())),
        max_received_(at_once * held_by(B.rows, grid_, context.rank())) {
    const int row = context.row(), col = context.col();
    const int a_row = coordinate_of(A.rows, row, col), a_col = coordinate_of(A.cols, row, col);
    const int b_row = coordinate_of(B.rows, row, col), b_col = coordinate_of(B.cols, row, col);
    const auto part = [&](int rank, int p_row, int p_col, int q_row, int q_col, Ends ends) {
      return Part{rank, p_col, q_col, common_runs(lists, A.rows, p_row, B.rows, q_row, ends),
                  common_runs(lists, A.cols, p_col, B.cols, q_col, ends)};
    };
    for (const auto& [rank, p_row, p_col, rows] : partners_of(context, A, B)) {
      if (rank == context.rank()) {
        own_ = part(rank, a_row, a_col, b_row, b_col, Ends::places);
      } else {
        sources_.push_back(part(rank, p_row, p_col, b_row, b_col, Ends::from_message));
      }
    }
    for (const auto& [rank, q_row, q_col, rows] : partners_of(context, B, A)) {
      if (rank != context.rank())
        targets_.push_back(part(rank, a_row, a_col, q_row, q_col, Ends::to_message));
    }
  }

  /// Maximum number of bytes that are sent, or received, at a time.
  std::size_t message_bytes() const {
    return static_cast<std::size_t>(std::max(max_sent_, max_received_)) * sizeof(T);
  }
  /// @param by_rows  whether messages are in row-major order, equal on all processes
  /// @param runs     the lists of runs on the device
  void take(std::byte* workspace, bool by_rows, const Run* runs) {
    sent_ = aligned(reinterpret_cast<T*>(workspace), alignment_on_gpus);
    received_ = aligned(sent_ + max_sent_, alignment_on_gpus);
    by_rows_ = by_rows, runs_ = runs;
  }

  /// Moves columns [begin, end), in stream order.
  void move(Index begin, Index end, DeviceMessages& messages, cudaStream_t stream) const {
    for_each_message(sources_, received_, begin, end,
                     [&](const Part& source, const Window&, T* place, Index size) {
                       messages.receive(place, static_cast<std::size_t>(size) * sizeof(T), source.rank);
                     });
    for_each_message(targets_, sent_, begin, end,
                     [&](const Part& target, const Window& cols, T* place, Index size) {
                       copy(stream, target, cols, 0, -cols.begin, from_, message(place, target, cols), false);
                       messages.send(place, static_cast<std::size_t>(size) * sizeof(T), target.rank);
                     });
    messages.start(stream);
    if (own_) copy(stream, *own_, window(*own_, begin, end), 0, 0, from_, to_, conjugates(A_, B_));
    messages.finish(stream);
    for_each_message(
        sources_, received_, begin, end, [&](const Part& source, const Window& cols, T* place, Index) {
          copy(stream, source, cols, -cols.begin, 0, message(place, source, cols), to_, conjugates(A_, B_));
        });
  }

 private:
  /// The two sides of a list: places in matrices, or numbers of a message's rows and columns.
  enum class Ends { places, to_message, from_message };

  /// The elements that this process exchanges with another process, or moves locally.
  struct Part {
    int rank, a_col, b_col;  ///< `a_col`, `b_col`: column coordinates in A and B
    RunList rows, cols;      ///< from source to destination
  };
  /// The columns of a list that the current move covers.
  struct Window {
    Index begin, extent;
  };

  /// The rows, or columns, that coordinate p holds in A and coordinate q holds in B.
  RunList common_runs(RunLists& lists, const Slice& a, int p, const Slice& b, int q, Ends ends) const {
    return lists.make([&](const auto& add) {
      Index number = 0;
      for_each_common(
          Runs(a, processes_of(a, grid_), p, 0, a.extent), Runs(b, processes_of(b, grid_), q, 0, b.extent),
          [&](Index of_a, Index of_b, Index length) {
            add(ends == Ends::from_message ? number : of_a, ends == Ends::to_message ? number : of_b, length);
            number += length;
          });
    });
  }
  Window window(const Part& part, Index begin, Index end) const {
    const auto before = [&](Index column) {
      return common(A_.cols, processes_of(A_.cols, grid_), part.a_col, B_.cols, processes_of(B_.cols, grid_),
                    part.b_col, 0, column);
    };
    const Index first = before(begin);
    return {first, before(end) - first};
  }
  /// Calls f(part, its columns, place, elements) for each message that is not empty.
  template <class F>
  void for_each_message(const std::vector<Part>& parts, T* place, Index begin, Index end, const F& f) const {
    for (const Part& part : parts) {
      const Window cols = window(part, begin, end);
      const Index size = part.rows.extent * cols.extent;
      if (size > 0) f(part, cols, place, size);
      place += size;
    }
  }
  MatrixRef<T> message(T* place, const Part& part, const Window& cols) const {
    return in_message(place, part.rows.extent, cols.extent, by_rows_);
  }
  /// @param from_shift, to_shift  added to the positions of columns
  void copy(cudaStream_t stream, const Part& part, const Window& cols, Index from_shift, Index to_shift,
            const MatrixRef<const T>& from, const MatrixRef<T>& to, bool conjugates) const {
    start_copy(stream,
               {axis_of(part.rows, runs_, 0, part.rows.extent, 0, 0),
                axis_of(part.cols, runs_, cols.begin, cols.extent, from_shift, to_shift), from.row_stride,
                from.col_stride, to.row_stride, to.col_stride, conjugates},
               sizeof(T), part.rows.word, part.cols.word, from.data, to.data);
  }

  DistributedMatrix<const T> A_;
  DistributedMatrix<T> B_;
  Grid grid_;
  MatrixRef<const T> from_;
  MatrixRef<T> to_;
  Index max_sent_, max_received_;  ///< elements
  std::optional<Part> own_;
  std::vector<Part> sources_, targets_;
  T* sent_ = nullptr;
  T* received_ = nullptr;
  bool by_rows_ = false;
  const Run* runs_ = nullptr;
};

/// @throws Error if the device cannot access the local operands
template <class T>
void check_on_device(const MatrixRef<const T>& A, const MatrixRef<const T>& B, int device) {
  const auto check = [&](const char* name, const MatrixRef<const T>& X) {
    if (detail::is_empty(X)) return;
    detail::check_operand(
        name, X.data, [&](const void* address) { return cuda_native::device_accessible(device, address); });
  };
  check("A", A), check("B", B);
}

template <class T>
void move(CudaContext& on_gpus, cudaStream_t stream, const DistributedMatrix<const T>& A,
          const DistributedMatrix<T>& B) {
  Context& context = on_gpus.processes();
  CudaContext::Device& device = on_gpus.on_device();
  const auto here = [&](const auto& X) {
    return local_block(X, context.grid(), context.row(), context.col());
  };
  std::optional<DeviceColumns<T>> columns;
  RunLists lists;
  Parts parts;
  Proposal mine;
  mine.refusal = refusal_of([&] {
    check_stream(stream, device.number);
    check_move(context, A, B);
    parts = parts_of(A, B, context.grid(), context.options().products.workspace, DeviceColumns<T>::padding);
    if (parts.columns == 0 || !context.in_grid()) return;
    check_on_device<T>(here(A), here(B), device.number);
    columns.emplace(context, A, B, parts.columns, lists);
    device.workspace.reserve(parts.workspace, "allocate a redistribution's workspace");
    device.messages->reserve(columns->message_bytes());
    device.upload(lists);
  });
  mine.fingerprint = fingerprint_of(A, B).value();
  mine.a_along_k = lies_along_k(A), mine.b_along_k = lies_along_k(DistributedMatrix<const T>(B));
  const Proposal all = agree(context.watch(), mine);
  device.runs.forget();
  if (parts.columns == 0) return;
  run_or_give_up(context, device, [&] { device.messages->meet(device.workspace.data()); });
  device.workspace.forget();  // now no process has it open
  if (!columns) return;
  run_or_give_up(context, device, [&] {
    columns->take(device.workspace.data(), all.a_along_k && all.b_along_k, device.runs_there());
    device.ready.record(stream);
    device.ready.hold(device.sends.get());
    for (Index from = 0; from < A.cols.extent; from += parts.columns) {
      columns->move(from, std::min(A.cols.extent, from + parts.columns), *device.messages,
                    device.sends.get());
    }
    wait_for_both(context, device, stream);
  });
}

}  // namespace

template <class T>
void redistribute(CudaContext& context, cudaStream_t stream, const DistributedMatrix<const T>& A,
                  const DistributedMatrix<T>& B) {
  const cuda_native::OnDevice there(context.device());
  context.processes().watch().run([&] {
    along_columns(A, B, [&](const auto& from, const auto& to) { move<T>(context, stream, from, to); });
  });
}

#define ROOFTILE_REDISTRIBUTE(T)                                                            \
  template void redistribute(CudaContext&, cudaStream_t, const DistributedMatrix<const T>&, \
                             const DistributedMatrix<T>&);
ROOFTILE_REDISTRIBUTE(float)
ROOFTILE_REDISTRIBUTE(double)
ROOFTILE_REDISTRIBUTE(float16)
ROOFTILE_REDISTRIBUTE(bfloat16)
ROOFTILE_REDISTRIBUTE(complex<float>)
ROOFTILE_REDISTRIBUTE(complex<double>)
#undef ROOFTILE_REDISTRIBUTE

}  // namespace rooftile::distributed
