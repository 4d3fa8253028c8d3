// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "rooftile/detail/host_product.hpp"
#include "rooftile/problem.hpp"
#include "team/address_space.hpp"
#include "team/stage.hpp"
#include "team/thread_tile.hpp"
#if defined(__CUDA_ARCH__)
#include "team/warp_tile.hpp"
#elif defined(__HIP_DEVICE_COMPILE__)
#include "team/wave_tile.hpp"
#endif

/// Matrix products inside a user's kernel: all threads of a team or block compute one product.
namespace rooftile::detail {

ROOFTILE_FUNCTION constexpr int tiles_along(Index extent, int tile) {
  return (static_cast<int>(extent) + tile - 1) / tile;
}
template <class Tile>
ROOFTILE_FUNCTION constexpr int tiles_of(Index rows, Index cols) {
  return tiles_along(rows, Tile::rows) * tiles_along(cols, Tile::cols);
}

/// Distributes the tiles of C round-robin among the threads, or among the warps for matrix instructions.
template <class Tile, class T>
ROOFTILE_FUNCTION void multiply_tiles(const GroupThread& thread, const GemmArgs<T>& args) {
  const int tiles_y = tiles_along(args.C.rows, Tile::rows), tiles_x = tiles_along(args.C.cols, Tile::cols);
  const int workers = thread.size / Tile::threads, worker = thread.rank / Tile::threads;
  if (worker >= workers) return;  // an incomplete warp cannot execute matrix instructions
  for (int i = worker; i < tiles_y * tiles_x; i += workers) {
    Tile tile(args.A, args.B, thread.rank % Tile::threads, i / tiles_x, i % tiles_x, tiles_y, tiles_x);
    tile.add(args.A, args.B);
    tile.store(args);
  }
}

/// Selects the largest tile that leaves no worker without a tile, unless C fits into the next smaller tile.
/// The smallest tile is the fallback. With constant extents, tiles that leave most of a warp idle are not
/// compiled.
template <class Options, class Tile, class... Smaller, class T>
ROOFTILE_FUNCTION void multiply_by(const GroupThread& thread, const GemmArgs<T>& args) {
  constexpr bool is_constant = Options::M > 0 && Options::N > 0;
  if constexpr (sizeof...(Smaller) > 0) {
    using Next = std::tuple_element_t<0, std::tuple<Smaller...>>;
    constexpr bool is_sparse = is_constant && ((Options::M <= Next::rows && Options::N <= Next::cols) ||
                                               tiles_of<Tile>(Options::M, Options::N) * Tile::threads < 32);
    if constexpr (is_sparse) {
      return multiply_by<Options, Smaller...>(thread, args);
    } else if (tiles_of<Tile>(args.C.rows, args.C.cols) * Tile::threads < thread.size ||
               (args.C.rows <= Next::rows && args.C.cols <= Next::cols)) {
      return multiply_by<Options, Smaller...>(thread, args);
    }
  }
  multiply_tiles<Tile>(thread, args);
}

/// Whether the target device of this compilation has matrix instructions for products of T in a mode.
template <class T, ComputeMode math>
inline constexpr bool has_matrix_instructions =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    std::is_same_v<Real<In<T>>, double> || Element16<In<T>> || math == ComputeMode::tf32;
#elif defined(__HIP_DEVICE_COMPILE__)
    has_mfma && !is_complex<In<T>>;
#else
    false;
#endif

/// Sides of the largest square tiles: of a warp or wave, and of a thread.
template <class T>
inline constexpr int matrix_side = matrix_tile_side(own_mode<T>());
template <class T>
inline constexpr int thread_side = thread_tile_side(sizeof(Scalar<T>));

/// A tile for matrix instructions of the target device.
#if defined(__CUDA_ARCH__)
template <class T, int side>
using MatrixTile = WarpTile<T, side, side>;
#elif defined(__HIP_DEVICE_COMPILE__)
template <class T, int side>
using MatrixTile = WaveTile<T, side, side>;
#else
template <class T, int side>
using MatrixTile = ThreadTile<T, side, side>;  // never compiled
#endif

/// Multiplies operands in place. Operands in global memory do not use the largest thread tile: its registers
/// reduce occupancy, and too few threads would hide the memory latency.
/// @tparam shared  both operands are in shared memory
template <class Options, bool shared, class T>
ROOFTILE_FUNCTION void multiply_operands(const GroupThread& thread, GemmArgs<T> args) {
  if constexpr (shared) args.A.data = shared_pointer(args.A.data), args.B.data = shared_pointer(args.B.data);
  constexpr int side = thread_side<T>, half = side / 2, quarter = side > 4 ? side / 4 : 1;
  using Half = ThreadTile<T, half, half>;
  using Quarter = ThreadTile<T, quarter, quarter>;
  if constexpr (has_matrix_instructions<T, Options::math>) {
    using Large = MatrixTile<T, matrix_side<T>>;
    if (thread.size >= Large::threads) return multiply_by<Options, Large, MatrixTile<T, 16>>(thread, args);
    multiply_tiles<Quarter>(thread, args);  // fewer threads than a warp: too rare for more code
  } else if constexpr (shared) {
    multiply_by<Options, ThreadTile<T, side, side>, Half, Quarter>(thread, args);
  } else {
    multiply_by<Options, Half, Quarter>(thread, args);
  }
}

/// Scratch memory and barrier of a group of threads.
template <class Barrier>
struct GroupScratch {
  void* data;
  std::size_t bytes;
  Barrier barrier;

  ROOFTILE_FUNCTION GroupScratch(void* data_, std::size_t bytes_, const Barrier& barrier_)
      : data(data_), bytes(bytes_), barrier(barrier_) {}
};

/// Computes C = alpha·A·B + beta·C with all threads of a group. @pre all threads of a warp call it together
template <class Options, class T, class Barrier>
ROOFTILE_FUNCTION void multiply_in_group(const GroupThread& thread, GemmArgs<T> args,
                                         const GroupScratch<Barrier>& scratch) {
  using E = In<T>;
  if (reads_conjugates(args.C)) args = args.conjugated();
  if (args.alpha == Scalar<T>(0)) args.A.cols = args.B.rows = 0;
  if (args.A.cols == 0) args.alpha = Scalar<T>(0);  // avoids NaN: alpha may be infinite, and the sum is 0
  const Index row_stride = args.C.row_stride < 0 ? -args.C.row_stride : args.C.row_stride;
  const Index col_stride = args.C.col_stride < 0 ? -args.C.col_stride : args.C.col_stride;
  if (row_stride < col_stride) args = args.transposed();
  const bool copies_a = !is_shared(args.A.data), copies_b = !is_shared(args.B.data);
  if (!copies_a && !copies_b) return multiply_operands<Options, true>(thread, args);
  const Index elements_a = copies_a ? staged_elements<E>(args.A.rows, args.A.cols) : 0;
  const Index elements_b = copies_b ? staged_elements<E>(args.B.rows, args.B.cols) : 0;
  if (scratch.bytes < static_cast<std::size_t>(elements_a + elements_b) * sizeof(E) || scratch.bytes == 0)
    return multiply_operands<Options, false>(thread, args);
  E* const copy_a = static_cast<E*>(shared_pointer(scratch.data));
  if (copies_a) args.A = begin_stage(thread, args.A, copy_a);
  if (copies_b) args.B = begin_stage(thread, args.B, copy_a + elements_a);
  end_group();
  wait_for_groups<0>();
  scratch.barrier();
  multiply_operands<Options, true>(thread, args);
}

/// Computes the calling CPU thread's share of C: a block of rows, or of columns if C has more columns.
template <class T>
void multiply_part_on_host(const GroupThread& thread, const GemmArgs<T>& args) {
  if (thread.size == 1) return host_product(args);
  const auto& [alpha, A, B, beta, C] = args;
  const bool by_rows = C.rows >= C.cols;
  const Index all = by_rows ? C.rows : C.cols;
  const Index begin = all * thread.rank / thread.size, count = all * (thread.rank + 1) / thread.size - begin;
  if (by_rows) {
    host_product(
        GemmArgs<T>{alpha, A.block(begin, 0, count, A.cols), B, beta, C.block(begin, 0, count, C.cols)});
  } else {
    host_product(
        GemmArgs<T>{alpha, A, B.block(0, begin, B.rows, count), beta, C.block(0, begin, C.rows, count)});
  }
}

/// Computes C = alpha·A·B + beta·C. @pre all threads of the group call it
template <class Options, class T, class Barrier>
ROOFTILE_FUNCTION void compute_in_group(const GroupThread& thread, const GemmArgs<T>& args,
                                        [[maybe_unused]] const GroupScratch<Barrier>& scratch) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  multiply_in_group<Options>(thread, args, scratch);
#else
  multiply_part_on_host(thread, args);
#endif
}

}  // namespace rooftile::detail
