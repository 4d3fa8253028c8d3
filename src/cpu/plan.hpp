// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "cpu/blocks.hpp"
#include "plan/costs/cost_model.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/tile.hpp"

/// How a product is divided: into blocks, which depend on the product alone, so that a result does not depend
/// on the number of threads; and among threads.
namespace rooftile::portable {

constexpr Index ceil_div(Index a, Index b) {
  return (a + b - 1) / b;
}

/// [begin,end)
struct Range {
  Index begin;
  Index end;

  constexpr Index size() const { return end - begin; }
};

/// Part `i` of `count` of [0,extent), in whole multiples of `unit` but for the last.
constexpr Range part(Index extent, Index unit, Index count, Index i) {
  if (count == 1) return {0, extent};  // without the divisions, which small products feel
  const Index units = ceil_div(extent, unit);
  return {std::min(extent, units * i / count * unit), std::min(extent, units * (i + 1) / count * unit)};
}

/// Threads by rows and columns of C.
struct Grid {
  int rows;
  int cols;
};

/// What is done to a product.
struct Plan {
  TileShape blocks;  ///< MC,NC,KC, MR,NR
  bool alone;        ///< by the calling thread
  bool in_place;  ///< and tile by tile, without packing A or B, but for a copy of B where it has no vectors
  bool dots;      ///< as dot products
  bool few_rows;  ///< with B, which is large, going by row by row
  bool pack_a;
  bool pack_b;
  int slices;  ///< of K, summed up in their order
  bool in_l2;  ///< A and B fit it together
  /// Of elements of 16 bits, rows of C whose sums, of at most NC columns, are in the workspace until all of K
  /// is in them.
  Index rows_of_sums;
  bool converts = false;  ///< elements of A and B, where they are packed
};

inline constexpr const model::CpuCosts& cpu_costs = model::cost_rows::cpu;

/// The rows, or columns, of the thread that has most of them; the last one's are not whole units.
constexpr Index longest_part(Index extent, Index unit, Index count) {
  if (count == 1) return extent;
  const Index units = ceil_div(extent, unit), whole = units / count + (units % count > 1 ? 1 : 0);
  return std::max(whole * unit, part(extent, unit, count, count - 1).size());
}

/// The grid whose slowest thread is done first: with its part of C, with the rows of A and columns of B for
/// it, and with the columns that threads of other rows packed; of equals, the one with most rows.
constexpr Grid grid_for(int threads, Index m, Index n, const Plan& plan) {
  Grid best{threads, 1};
  if (threads == 1) return best;
  const double sharing = plan.pack_b ? cpu_costs.sharing : 0;
  double shortest = -1;
  for (int cols = 1; cols <= threads; ++cols) {
    const int rows = threads / cols;
    const auto down = static_cast<double>(longest_part(m, plan.blocks.tm, rows));
    const auto across = static_cast<double>(longest_part(n, plan.blocks.tn, cols));
    const double time =
        down * across + cpu_costs.reading * (down + across) + sharing * (rows - 1) / rows * across;
    if (shortest < 0 || time < shortest) best = {rows, cols}, shortest = time;
  }
  return best;
}

/// The workspace of a thread that works alone, in bytes.
inline constexpr Index small_workspace_bytes = 32 * 1024;

/// The same in elements of what T is summed in.
template <class T>
inline constexpr Index small_workspace = small_workspace_bytes / Index{sizeof(Scalar<T>)};

/// Rows of A so many bytes apart, or a multiple, have all of their cache lines in the same few places of L1:
/// a micropanel's push each other out. Then more micropanels of B than so many are enough to pack it.
inline constexpr Index l1_way = 4096, crowded_reads_to_pack = 2;

/// K is sliced for C of at most so many elements, which leaves threads without tiles, into slices of about so
/// many steps, at most so many.
inline constexpr Index sliced_c = 128 * 128, slice_steps = 1024, max_slices = 64;
inline constexpr Index sliced_dots = 32;  // rows of C that are dot products

inline int slices_for(Index k) {
  return static_cast<int>(std::clamp<Index>(k / slice_steps, 1, max_slices));
}

/// B goes by row by row beyond L3, since micro-tiles would ask memory for two cache lines of each row, and of
/// at most so many rows of C beyond L2; and only if it has so many micro-tiles along N, vectors that pay for
/// what is done once for some of its rows.
inline constexpr Index few_rows_beyond_l2 = 4, few_rows_tiles = 8;

/// Columns that are taken at a time of one group of rows, and of several: enough to be read ahead of, and few
/// enough for the sums of all rows to stay in L2.
inline constexpr int few_rows_columns = 2048, grouped_columns = 1024;

/// K is sliced for them where the rows are too short to be divided among threads, into slices of so many
/// steps at least, whose sums together have at most so many elements.
inline constexpr Index short_rows = 4 * few_rows_columns, few_rows_steps = 128, few_rows_sums = 1 << 20;

inline int few_rows_slices(const GemmShape& shape) {
  const auto [m, n, k] = shape;
  if (n >= short_rows) return 1;
  return static_cast<int>(
      std::clamp<Index>(std::min(k / few_rows_steps, few_rows_sums / (m * n)), 1, max_slices));
}

/// KC for a K: equal blocks of at most the caches' KC.
constexpr int even_block(Index k, int most) {
  if (k <= most) return static_cast<int>(std::max<Index>(k, 1));
  return static_cast<int>(ceil_div(k, ceil_div(k, most)));
}

/// Of a matrix. With strides of 0, they may be more than an Index counts.
constexpr double elements(Index rows, Index cols) {
  return static_cast<double>(rows) * static_cast<double>(cols);
}

/// Of real numbers.
template <class T>
double multiply_adds(const GemmShape& shape) {
  return 0.5 * flops_of(shape, type_of<T>());
}

/// Whether vectors along the rows of B can be read where they are.
template <class T>
bool has_vectors(const MatrixRef<T>& B) {
  return B.col_stride == 1 || B.cols == 1;
}

/// Whether a thread that works alone has room for a copy of X.
template <class T>
bool fits_small(const MatrixRef<T>& X) {
  return elements(X.rows, X.cols) * sizeof(T) <= small_workspace_bytes;
}

/// Whether a product with so many columns, or rows, is computed as dot products: up to three, where vectors
/// along K are filled, and more, where it is so long that to sum up their lanes counts for little. Of complex
/// numbers `Parts` has those of a large operand.
template <class T>
constexpr bool makes_dots(Index columns, Index k, const TileShape& blocks) {
  if constexpr (detail::is_complex<T>) return false;
  return columns <= 3 ? k >= blocks.tn / 2 : columns <= max_dots(blocks.tn) && k >= 8 * blocks.tn;
}

/// Whether a product is one for `multiply_in_place` whatever the number of threads, as a plan would have it:
/// making one takes longer than a tiny product.
template <class T>
bool is_tiny(const GemmArgs<T>& args, const TileShape& blocks) {
  const auto [m, n, k] = args.shape();
  constexpr Index most = 64;
  return std::max({m, n, k}) <= most && has_vectors(args.B) && (2 * n >= blocks.tn || m <= n) &&
         !makes_dots<T>(n, k, blocks);
}

/// Whether Cᵀ = Bᵀ·Aᵀ is the better way to compute C = A·B: where that makes dot products; where a large B
/// would have to be packed for few rows; or where vectors along the rows of C would be narrow, and those
/// along its columns wider, or would have to be gathered.
template <class T>
bool better_transposed(const GemmArgs<T>& args, const TileShape& blocks) {
  const auto& [alpha, A, B, beta, C] = args;
  if (makes_dots<T>(C.cols, A.cols, blocks) && A.col_stride == 1) return false;
  if (makes_dots<T>(C.rows, A.cols, blocks) && B.row_stride == 1 && !has_vectors(B)) return true;
  if (!has_vectors(B) && C.rows <= 2 * blocks.tm && C.rows < C.cols && !fits_small(B)) return true;
  if (2 * C.cols >= blocks.tn || C.rows <= C.cols) return false;
  return !has_vectors(B) || A.row_stride == 1;
}

template <class T>
Plan plan_for(const GemmArgs<T>& args, const TileShape& blocks, int threads) {
  const auto [m, n, k] = args.shape();
  Plan plan{blocks, false, false, false, false, false, false, 1, false, 0};
  const bool must_pack_b = args.B.col_stride != 1 || n < blocks.tn / 2;  // what vectors cannot read in place
  const double half_l2 = elements(blocks.bm, blocks.bk), l3 = 4 * elements(blocks.bn, blocks.bk);
  const double work = multiply_adds<T>(args.shape());
  // Where both ways sum in the same order, the number of threads may decide which one is taken.
  const bool alike = k <= blocks.bk;
  const bool little = work <= (threads == 1 && alike  ? cpu_costs.calling_kokkos
                               : !has_vectors(args.B) ? cpu_costs.waking_to_pack
                                                      : cpu_costs.waking);
  plan.dots = args.A.col_stride == 1 && makes_dots<T>(n, k, blocks);
  if (plan.dots) {
    plan.alone = work <= cpu_costs.waking;
    if (m <= sliced_dots) plan.slices = slices_for(k);
    return plan;
  }
  plan.few_rows = !detail::is_complex<T> && args.B.col_stride == 1 && n >= few_rows_tiles * blocks.tn &&
                  ((m <= few_rows_beyond_l2 && elements(k, n) > half_l2) ||
                   (m <= cpu_costs.reads_to_pack * blocks.tm && elements(k, n) > l3));
  if (plan.few_rows) {
    plan.blocks.bn = m <= blocks.tm ? few_rows_columns : grouped_columns;
    plan.slices = few_rows_slices(args.shape());
    return plan;
  }
  plan.in_place = little && (has_vectors(args.B) || fits_small(args.B));
  if (plan.in_place) {
    plan.alone = true;
    plan.pack_b = !has_vectors(args.B);
    return plan;
  }
  plan.in_l2 = elements(m, k) + elements(k, n) <= 2 * half_l2;
  plan.blocks.bk = even_block(k, blocks.bk);
  const Index columns =
      small_workspace_bytes / static_cast<Index>(sizeof(T)) / plan.blocks.bk / blocks.tn * blocks.tn;
  plan.alone = little && (!must_pack_b || columns > 0);
  if (plan.alone) {
    plan.pack_b = must_pack_b;
    if (must_pack_b) plan.blocks.bn = static_cast<int>(std::min<Index>(columns, blocks.bn));
    return plan;
  }
  plan.pack_b = must_pack_b || (!plan.in_l2 && m > cpu_costs.reads_to_pack * blocks.tm);
  const bool crowded = args.A.row_stride != 0 && args.A.row_stride % (l1_way / Index{sizeof(T)}) == 0;
  plan.pack_a = crowded ? n > crowded_reads_to_pack * blocks.tn
                        : !plan.in_l2 && n > cpu_costs.reads_to_pack * blocks.tn;
  if (m * n <= sliced_c) plan.slices = slices_for(k);
  return plan;
}

/// Whether a thread that works alone has room for all of A and B, converted and packed.
template <class T>
bool fits_small_packed(const GemmShape& shape, const TileShape& blocks) {
  const auto panels = [&](Index extent, int width) {
    return elements(ceil_div(extent, width) * width, shape.k + 2) + 2 * pack_slack;
  };
  return (panels(shape.m, blocks.tm) + panels(shape.n, blocks.tn)) * sizeof(T) <= small_workspace_bytes;
}

/// The rows of C, at most, whose sums are kept at a time: for each of as many, B is packed anew.
inline constexpr Index max_rows_of_sums = 1024;

/// Elements are converted on their way into what is packed: of a small product, all of A and B;
/// of others, panels.
template <Converted E>
bool better_transposed(const GemmArgs<E>& args, const TileShape& blocks) {
  const auto [m, n, k] = args.shape();
  return 2 * n < blocks.tn && n < m && !(Rounded<E> && makes_dots<Scalar<E>>(n, k, blocks));
}

template <Converted E>
Plan plan_for(const GemmArgs<E>& args, const TileShape& blocks, int /*threads*/) {
  const auto [m, n, k] = args.shape();
  Plan plan{blocks, false, false, false, false, true, true, 1, false, 0, true};
  const double operands = elements(m, k) + elements(k, n);
  if constexpr (Widened<E>) {
    plan.alone = fits_small_packed<Scalar<E>>(args.shape(), blocks);
    if (plan.alone) {
      plan.blocks.bk = even_block(k, blocks.bk);
      return plan;
    }
  } else if ((operands + elements(m, n)) * sizeof(Scalar<E>) <= small_workspace_bytes) {
    plan.alone = true;
    plan.dots = makes_dots<Scalar<E>>(n, k, blocks);
    plan.in_place = !plan.dots;
    return plan;
  }
  plan.in_l2 = operands <= 2 * elements(blocks.bm, blocks.bk);
  plan.blocks.bk = even_block(k, blocks.bk);
  if constexpr (Rounded<E>) plan.rows_of_sums = std::min(m, max_rows_of_sums);
  if (m * n <= sliced_c) plan.slices = slices_for(k);
  return plan;
}

/// Whether each thread computes products of a batch by itself, instead of all threads one after the other:
/// where there are enough, and a core's caches hold what it works on.
template <class T>
bool one_thread_each(const Plan& plan, const GemmShape& shape, Index count, int threads) {
  if (threads == 1 || count == 1) return false;
  if (plan.alone) return static_cast<double>(count) * multiply_adds<T>(shape) > cpu_costs.waking;
  return plan.in_l2 && count >= threads;
}

/// Multiply-adds of a thread that shares a product: with fewer, threads wait for each other longer than they
/// compute.
inline constexpr double min_work_of_thread = cpu_costs.waking / 4;

/// How the products of a batch are divided among threads.
struct Sharing {
  Plan plan;           ///< of each
  int each = 1;        ///< threads that compute some of them by themselves
  int together = 1;    ///< threads that compute them one after the other together
  bool small = false;  ///< the calling thread does it at once
};

/// @param threads  that there are; 1: the calling one
template <class T>
Sharing sharing_of(const BatchArgs<T>& batch, const TileShape& blocks, int threads) {
  Sharing how{plan_for(batch.first, blocks, threads)};
  const Index count = batch.batch.count;
  if (one_thread_each<T>(how.plan, batch.shape(), count, threads)) {
    how.each = static_cast<int>(std::min<Index>(count, threads));
  } else if (how.plan.alone) {
    how.small = true;
  } else {
    const double most = multiply_adds<T>(batch.shape()) * static_cast<double>(count) / min_work_of_thread;
    how.together = most < threads ? std::max(1, static_cast<int>(most)) : threads;
  }
  return how;
}

}  // namespace rooftile::portable
