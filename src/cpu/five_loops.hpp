// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "cpu/bf16_dot.hpp"
#include "cpu/blocks.hpp"
#include "cpu/driver.hpp"
#include "cpu/grid.hpp"
#include "cpu/int8_dot.hpp"
#include "cpu/team.hpp"
#include "cpu/update.hpp"
#include "rooftile/detail/block_epilogue.hpp"

/// The loops around the blocks: Goto and van de Geijn (2008) in the form of BLIS (Van Zee and van de Geijn,
/// 2015), threaded as in Smith et al., Anatomy of high-performance many-threaded matrix multiplication.
namespace rooftile::portable {

/// C = alpha·A·B + beta·C, where C has the accumulator type of products of E.
template <class E>
struct SumArgs {
  Scalar<E> alpha;
  MatrixRef<const In<E>> A, B;
  Scalar<E> beta;
  MatrixRef<Scalar<E>> C;
};

/// The epilogue of a C in the accumulator type.
template <class E>
using SumEpilogue = detail::BlockEpilogue<Scalar<E>>;

template <class T>
MatrixRef<T> block_of(const MatrixRef<T>& X, Range rows, Range cols) {
  return X.block(rows.begin, cols.begin, rows.size(), cols.size());
}

/// X (rows,kc) as micropanels that are read in place.
template <class T>
Micropanels<T> unpacked(const MatrixRef<const T>& X, int width) {
  return {{X.data, X.row_stride, X.col_stride}, width * X.row_stride, false, detail::reads_conjugates(X)};
}

/// X (rows,kc) as micropanels in memory. All threads of a team pack them together.
template <class E, class Team, class T = Scalar<E>>
Micropanels<T> packed(const Team& team, const MatrixRef<const In<E>>& X, int width, T* memory) {
  const Range mine = part(ceil_div(X.rows, width), 1, team.size(), team.rank());
  if constexpr (std::is_same_v<In<E>, std::int8_t>) {
    pack_integers(X, width, mine.begin, mine.end, memory);
    return {{memory, 1, width}, integers_size(width, X.cols), true};
  } else {
    if constexpr (std::is_same_v<In<E>, bfloat16>) {
      if (multiplies_pairs()) {
        pack_pairs(X, width, mine.begin, mine.end, memory);
        return {{memory, 1, width}, pairs_size(width, X.cols), true};
      }
    }
    pack(X, width, mine.begin, mine.end, memory);
    return {{memory, 1, width}, width * X.cols, true, detail::reads_conjugates(X)};
  }
}

/// X (rows,kc) as micropanels, packed if `pack` is set. @pre `pack`, or the elements are not converted
template <class E, class Team, class T = Scalar<E>>
Micropanels<T> micropanels(const Team& team, const MatrixRef<const In<E>>& X, int width, bool pack,
                           T* memory) {
  if constexpr (!Converted<E>) {
    if (!pack) return unpacked(X, width);
  }
  return packed<E>(team, X, width, memory);
}

/// C (mc,nc) = alpha · A (mc,kc) · B (kc,nc) + beta·C, for micropanels of E. @pre as for `micropanels`
template <class E, class T = Scalar<E>>
void multiply_panels(const Micropanels<T>& A, const Micropanels<T>& B, Index kc, const MatrixRef<T>& C,
                     T alpha, T beta) {
  if constexpr (std::is_same_v<In<E>, std::int8_t>) {
    multiply_integers(A, B, kc, C, alpha, beta);
  } else {
    if constexpr (std::is_same_v<In<E>, bfloat16>) {
      if (multiplies_pairs()) return multiply_pairs(A, B, kc, C, alpha, beta);
    }
    multiply_block(A, B, kc, C, alpha, beta);
  }
}

/// `multiply_panels` for the last panels along K, followed by the epilogue. Handles some columns at a time,
/// so that the epilogue reads C from the L2 of the core.
/// @param row,col  indices of the first element of C
template <class E, class T = Scalar<E>>
void multiply_and_finish(const Micropanels<T>& A, Micropanels<T> B, Index kc, const MatrixRef<T>& C, T alpha,
                         T beta, Index width, const SumEpilogue<E>& epilogue, Index row, Index col) {
  constexpr Index bytes = 64 * 1024;
  const Index columns = std::max<Index>(1, bytes / Index{sizeof(T)} / C.rows / width) * width;
  for (Index j0 = 0; j0 < C.cols; j0 += columns, B.first.data += columns / width * B.next) {
    const MatrixRef<T> c = C.block(0, j0, C.rows, std::min(columns, C.cols - j0));
    epilogue.expect(row, col + j0, c.rows, c.cols);
    multiply_panels<E>(A, B, kc, c, alpha, beta);
    epilogue.finish(c, row, col + j0);
  }
}

/// C = alpha·A·B + beta·C by a team.
/// @param own  the thread's block of A, (MC,KC) and pack_slack
/// @param shared  the team's panel of B, (KC,NC)
template <class E, class Team, class T>
void five_loops(const Team& team, const SumArgs<E>& args, const CpuPlan& plan, T* own, T* shared,
                const SumEpilogue<E>& epilogue) {
  const auto& [alpha, A, B, beta, C] = args;
  const auto [MC, NC, KC, MR, NR] = plan.blocks;
  const Index K = A.cols;
  const Grid grid = grid_for(team.size(), C.rows, C.cols, plan);
  const bool idle = team.rank() >= grid.rows * grid.cols;
  const Range rows = idle ? Range{0, 0} : part(C.rows, MR, grid.rows, team.rank() / grid.cols);

  for (Index j0 = 0; j0 < C.cols; j0 += NC) {
    const Range panel{j0, std::min<Index>(j0 + NC, C.cols)};
    const Range cols = part(panel.size(), NR, grid.cols, team.rank() % grid.cols);
    const MatrixRef<T> c = block_of(C, {0, C.rows}, {j0 + cols.begin, j0 + cols.end});
    Index k0 = 0;
    do {  // runs once for K = 0, to scale C
      const Range steps{k0, std::min<Index>(k0 + KC, K)};
      const auto columns = block_of(B, steps, panel).transposed();  // (NC,KC)
      Micropanels<T> b = micropanels<E>(team, columns, NR, plan.pack_b, shared);
      b.first.data += cols.begin / NR * b.next;
      if (plan.pack_b) team.barrier();
      for (Index i0 = rows.begin; i0 < rows.end; i0 += MC) {
        const Range block{i0, std::min<Index>(i0 + MC, rows.end)};
        const auto lines = block_of(A, block, steps);  // (MC,KC)
        const Micropanels<T> a = micropanels<E>(OneThread{}, lines, MR, plan.pack_a, own);
        const MatrixRef<T> tiles = block_of(c, block, {0, c.cols});
        const T scale = k0 == 0 ? beta : T(1);
        if (epilogue.exists() && steps.end == K) {
          multiply_and_finish<E>(a, b, steps.size(), tiles, alpha, scale, NR, epilogue, i0, j0 + cols.begin);
        } else {
          multiply_panels<E>(a, b, steps.size(), tiles, alpha, scale);
        }
      }
      if (plan.pack_b) team.barrier();
      k0 += KC;
    } while (k0 < K);
  }
}

/// C = alpha·A·B + beta·C as dot products. Needs no workspace.
template <class T, class Team>
void dots(const Team& team, const SumArgs<T>& args, const SumEpilogue<T>& epilogue) {
  const auto& [alpha, A, B, beta, C] = args;
  const Range mine = part(C.rows, rows_of_dots, team.size(), team.rank());
  constexpr Index finished_together = 64 * rows_of_dots;
  const Index height = epilogue.exists() ? finished_together : std::max<Index>(mine.size(), 1);
  for (Index i0 = mine.begin; i0 < mine.end; i0 += height) {
    const Range rows{i0, std::min(i0 + height, mine.end)};
    const MatrixRef<T> c = block_of(C, rows, {0, C.cols});
    multiply_dots(GemmArgs<T>{alpha, block_of(A, rows, {0, A.cols}), B, beta, c});
    epilogue.finish(c, i0, 0);
  }
}

/// C = alpha·A·B + beta·C for few rows: B is streamed row by row.
/// @param own  the thread's memory for sums
template <class T, class Team>
void skinny_m(const Team& team, const SumArgs<T>& args, const CpuPlan& plan, T* own,
              const SumEpilogue<T>& epilogue) {
  const auto& [alpha, A, B, beta, C] = args;
  const Range mine = part(C.cols, cache_line / Index{sizeof(T)}, team.size(), team.rank());
  const Index width = epilogue.exists() ? plan.blocks.bn : std::max<Index>(mine.size(), 1);
  for (Index j0 = mine.begin; j0 < mine.end; j0 += width) {
    const Range cols{j0, std::min(j0 + width, mine.end)};
    const MatrixRef<T> c = block_of(C, {0, C.rows}, cols);
    multiply_skinny_m(GemmArgs<T>{alpha, A, block_of(B, {0, A.cols}, cols), beta, c}, plan.blocks.bn, own);
    epilogue.finish(c, 0, j0);
  }
}

/// C = alpha·A·B + beta·C with the algorithm of the plan, without split-K.
template <class E, class Team, class T = Scalar<E>>
void multiply_whole(const Team& team, const SumArgs<E>& args, const CpuPlan& plan, T* own, T* shared,
                    const SumEpilogue<E>& epilogue = {}) {
  if constexpr (std::is_floating_point_v<E>) {
    if (plan.algorithm == CpuAlgorithm::dot_products) return dots(team, args, epilogue);
    if (plan.algorithm == CpuAlgorithm::skinny_m) return skinny_m(team, args, plan, own, epilogue);
  }
  five_loops(team, args, plan, own, shared, epilogue);
}

/// The workspace of a plan.
template <class T>
struct Workspace {
  T* memory;
  CpuWorkspace size;

  T* block(int i) const { return memory + i * size.a; }
  T* panel(int i) const { return block(0) + size.a * size.blocks + i * size.b; }
  T* split(int i) const { return panel(0) + size.b * size.panels + i * size.c; }
};

/// C = alpha·(sum of the splits of K) + beta·C. Handles some columns at a time, so that their sums stay in
/// registers.
/// @param row,col  indices of the first element of C, for the epilogue
template <class R, class Team, class T = Scalar<R>>
void sum_up(const Team& team, const Workspace<T>& space, int splits, Scalar<R> alpha, Scalar<R> beta,
            const MatrixRef<R>& C, const detail::BlockEpilogue<R>& epilogue, Index row = 0, Index col = 0) {
  constexpr Index width = 2 * cache_line / sizeof(T);
  const Index across = ceil_div(C.cols, width);
  const Range mine = part(C.rows * across, 1, team.size(), team.rank());
  for (Index piece = mine.begin; piece < mine.end; ++piece) {
    const Index i = piece / across, j0 = piece % across * width, n = std::min(width, C.cols - j0);
    T sums[width] = {};
    for (int s = 0; s < splits; ++s) {
      const T* const from = space.split(s) + i * C.cols + j0;
      for (Index j = 0; j < n; ++j) add(sums[j], from[j]);
    }
    const MatrixRef<R> c = C.block(i, j0, 1, n);
    if constexpr (Rounded<R>) {
      if (epilogue.exists()) {
        update_sums(c, alpha, sums, width, beta);
        epilogue.finish(row_major<const T>(sums, 1, n), c, row + i, col + j0);
      } else {
        update_by_rows(c, alpha, sums, width, beta);
      }
    } else {
      for (Index j = 0; j < n; ++j) update(c(0, j), alpha, sums[j], beta);
      epilogue.finish(c, row + i, col + j0);
    }
  }
}

/// C = alpha·A·B + beta·C by a team with split-K. One thread computes each split. The splits are added in
/// their order, whichever thread computed them, so that the bits do not depend on the number of threads.
template <class E, class Team, class T>
void sum_of_splits(const Team& team, const GemmArgs<E>& args, const CpuPlan& plan, const Workspace<T>& space,
                   const EpilogueOf<E>& epilogue) {
  const auto& [alpha, A, B, beta, C] = args;
  const int rank = team.rank();
  for (int s = rank; s < plan.split_k; s += team.size()) {
    const Range steps = part(A.cols, 1, plan.split_k, s);
    const SumArgs<E> some{T(1), block_of(A, {0, C.rows}, steps), block_of(B, steps, {0, C.cols}), T(0),
                          row_major(space.split(s), C.rows, C.cols)};
    multiply_whole(OneThread{}, some, plan, space.block(rank), space.panel(rank));
  }
  team.barrier();
  sum_up(team, space, plan.split_k, alpha, beta, C, epilogue);
}

/// C = alpha·A·B + beta·C for a C with rounded elements, without split-K. Computes the full sums of one block
/// of rows and columns after another, so that each element is rounded once.
template <Rounded E, class Team>
void round_sums(const Team& team, const GemmArgs<E>& args, const CpuPlan& plan,
                const Workspace<Scalar<E>>& space, const EpilogueOf<E>& epilogue) {
  const auto& [alpha, A, B, beta, C] = args;
  const Range steps{0, A.cols};
  const Index columns = plan.blocks.bn;
  for (Index j0 = 0; j0 < C.cols; j0 += columns) {
    const Range cols{j0, std::min<Index>(j0 + columns, C.cols)};
    for (Index i0 = 0; i0 < C.rows; i0 += plan.rows_of_sums) {
      const Range rows{i0, std::min(i0 + plan.rows_of_sums, C.rows)};
      const SumArgs<E> sums{1, block_of(A, rows, steps), block_of(B, steps, cols), 0,
                            row_major(space.split(0), rows.size(), cols.size())};
      multiply_whole(team, sums, plan, space.block(team.rank()), space.panel(0));
      team.barrier();
      sum_up(team, space, 1, alpha, beta, block_of(C, rows, cols), epilogue, i0, j0);
      team.barrier();
    }
  }
}

template <class E, class Team, class T = Scalar<E>>
void multiply(const Team& team, const GemmArgs<E>& args, const CpuPlan& plan, const Workspace<T>& space,
              const EpilogueOf<E>& epilogue = {}) {
  if (plan.split_k > 1) return sum_of_splits(team, args, plan, space, epilogue);
  if constexpr (Rounded<E>) {
    round_sums(team, args, plan, space, epilogue);
  } else {
    const auto& [alpha, A, B, beta, C] = args;
    multiply_whole(team, SumArgs<E>{alpha, A, B, beta, C}, plan, space.block(team.rank()), space.panel(0),
                   epilogue);
  }
}

}  // namespace rooftile::portable
