// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "cpu/blocks.hpp"
#include "cpu/integers.hpp"
#include "cpu/pairs.hpp"
#include "cpu/plan.hpp"
#include "cpu/team.hpp"
#include "cpu/update.hpp"
#include "rooftile/detail/block_epilogue.hpp"

/// The loops round the blocks, by one thread or several: Goto and van de Geijn, Anatomy of high-performance
/// matrix multiplication, ACM TOMS 34 (2008), in the form of Van Zee and van de Geijn, BLIS, ACM TOMS 41
/// (2015), threaded as in Smith et al., Anatomy of high-performance many-threaded matrix multiplication,
/// IPDPS 2014.
namespace rooftile::portable {

/// C = alpha·A·B + beta·C where C is of what products of E are summed in.
template <class E>
struct SumArgs {
  Scalar<E> alpha;
  MatrixRef<const In<E>> A, B;
  Scalar<E> beta;
  MatrixRef<Scalar<E>> C;
};

template <class T>
MatrixRef<T> block_of(const MatrixRef<T>& X, Range rows, Range cols) {
  return X.block(rows.begin, cols.begin, rows.size(), cols.size());
}

/// X (rows,kc) as micropanels, where it is.
template <class T>
Micropanels<T> in_place(const MatrixRef<const T>& X, int width) {
  return {{X.data, X.row_stride, X.col_stride}, width * X.row_stride, false, detail::reads_conjugates(X)};
}

/// X (rows,kc) as micropanels in memory, packed by all threads of a team together.
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

/// X (rows,kc) as micropanels, packed where that is the plan. @pre `pack`, or elements are not converted
template <class E, class Team, class T = Scalar<E>>
Micropanels<T> micropanels(const Team& team, const MatrixRef<const In<E>>& X, int width, bool pack,
                           T* memory) {
  if constexpr (!Converted<E>) {
    if (!pack) return in_place(X, width);
  }
  return packed<E>(team, X, width, memory);
}

/// C (mc,nc) = alpha · A (mc,kc) · B (kc,nc) + beta·C, for micropanels of E. @pre as of `micropanels`
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

/// The same with the last panels along K, some columns at a time, whose elements are given to the epilogue
/// while a core's L2 has them.
/// @param row,col  of C's first element
template <class E, class Epilogue, class T = Scalar<E>>
void multiply_and_finish(const Micropanels<T>& A, Micropanels<T> B, Index kc, const MatrixRef<T>& C, T alpha,
                         T beta, Index width, const Epilogue& epilogue, Index row, Index col) {
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
/// @param own     the thread's block of A, (MC,KC) and pack_slack
/// @param shared  the team's panel of B, (KC,NC)
template <class E, class Team, class T, class Epilogue>
void five_loops(const Team& team, const SumArgs<E>& args, const Plan& plan, T* own, T* shared,
                const Epilogue& epilogue) {
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
    do {  // once for K = 0, to scale C
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
        if (Epilogue::exists && steps.end == K) {
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

/// The same as dot products, which need no workspace.
template <class T, class Team, class Epilogue>
void dots(const Team& team, const SumArgs<T>& args, const Epilogue& epilogue) {
  const auto& [alpha, A, B, beta, C] = args;
  const Range mine = part(C.rows, rows_of_dots, team.size(), team.rank());
  constexpr Index finished_together = 64 * rows_of_dots;
  const Index height = Epilogue::exists ? finished_together : std::max<Index>(mine.size(), 1);
  for (Index i0 = mine.begin; i0 < mine.end; i0 += height) {
    const Range rows{i0, std::min(i0 + height, mine.end)};
    const MatrixRef<T> c = block_of(C, rows, {0, C.cols});
    multiply_dots(GemmArgs<T>{alpha, block_of(A, rows, {0, A.cols}), B, beta, c});
    epilogue.finish(c, i0, 0);
  }
}

/// The same with B going by row by row.
/// @param own  the thread's memory for sums
template <class T, class Team, class Epilogue>
void few_rows(const Team& team, const SumArgs<T>& args, const Plan& plan, T* own, const Epilogue& epilogue) {
  const auto& [alpha, A, B, beta, C] = args;
  const Range mine = part(C.cols, cache_line / Index{sizeof(T)}, team.size(), team.rank());
  const Index width = Epilogue::exists ? plan.blocks.bn : std::max<Index>(mine.size(), 1);
  for (Index j0 = mine.begin; j0 < mine.end; j0 += width) {
    const Range cols{j0, std::min(j0 + width, mine.end)};
    const MatrixRef<T> c = block_of(C, {0, C.rows}, cols);
    multiply_few_rows(GemmArgs<T>{alpha, A, block_of(B, {0, A.cols}, cols), beta, c}, plan.blocks.bn, own);
    epilogue.finish(c, 0, j0);
  }
}

/// The same in the way of the plan, its slices apart.
template <class E, class Team, class T = Scalar<E>, class Epilogue = NoEpilogue>
void multiply_whole(const Team& team, const SumArgs<E>& args, const Plan& plan, T* own, T* shared,
                    const Epilogue& epilogue = {}) {
  if constexpr (std::is_floating_point_v<E>) {
    if (plan.dots) return dots(team, args, epilogue);
    if (plan.few_rows) return few_rows(team, args, plan, own, epilogue);
  }
  five_loops(team, args, plan, own, shared, epilogue);
}

/// Elements of workspace.
struct WorkspaceSize {
  Index a = 0;       ///< a thread's block of A
  Index b = 0;       ///< a panel of B
  Index c = 0;       ///< a slice's C, or the sums of some rows and columns
  Index blocks = 0;  ///< of A: one for each thread that computes
  Index panels = 0;  ///< of B: one for the team, or for each thread where K is sliced
  Index slices = 0;

  Index elements() const { return a * blocks + b * panels + c * slices; }
};

template <class T>
struct Workspace {
  T* memory;
  WorkspaceSize size;

  T* block(int i) const { return memory + i * size.a; }
  T* panel(int i) const { return block(0) + size.a * size.blocks + i * size.b; }
  T* slice(int i) const { return panel(0) + size.b * size.panels + i * size.c; }
};

inline WorkspaceSize workspace_size(const GemmShape& shape, const Plan& plan, int threads) {
  const TileShape& s = plan.blocks;
  const auto whole = [](Index extent, Index most, Index unit) {
    return ceil_div(std::min(extent, most), unit) * unit;
  };
  const Index line = 16;  // elements; keeps all of them aligned
  // Of converted elements with room for what micropanels of pairs in bf16 have behind them.
  const Index kc = std::min<Index>(shape.k, s.bk) + (plan.converts ? 2 : 0);
  WorkspaceSize size;
  if (plan.few_rows) size.a = shape.m * few_rows_stride(s.bn);
  if (plan.pack_a) size.a = ceil_div(whole(shape.m, s.bm, s.tm) * kc + pack_slack, line) * line;
  if (plan.pack_b) size.b = ceil_div(whole(shape.n, s.bn, s.tn) * kc, line) * line;
  const Index sums = plan.slices > 1 ? shape.m * shape.n : plan.rows_of_sums * std::min<Index>(shape.n, s.bn);
  size.c = ceil_div(sums, line) * line;
  size.blocks = plan.slices > 1 ? std::min(threads, plan.slices) : threads;
  size.panels = plan.slices > 1 ? size.blocks : 1;
  size.slices = plan.slices;
  return size;
}

/// Halves NC, then MC, until the workspace has at most `most` elements, and then lets fewer threads compute.
/// KC stays: results depend on it.
inline WorkspaceSize fit_workspace(const GemmShape& shape, Plan& plan, int threads, Index most) {
  const auto halve = [](int& extent, int unit) { extent = std::max(unit, extent / 2 / unit * unit); };
  TileShape& s = plan.blocks;
  WorkspaceSize size = workspace_size(shape, plan, threads);
  while (size.elements() > most && (s.bn > s.tn || s.bm > s.tm)) {
    s.bn > 8 * s.tn || s.bm == s.tm ? halve(s.bn, s.tn) : halve(s.bm, s.tm);
    size = workspace_size(shape, plan, threads);
  }
  const Index each = size.a + (plan.slices > 1 ? size.b : 0);
  if (size.elements() <= most || each == 0) return size;
  const Index rest = size.elements() - each * size.blocks;
  return workspace_size(shape, plan, static_cast<int>(std::max<Index>((most - rest) / each, 1)));
}

/// C = alpha·(sum of the slices) + beta·C, some columns at a time, whose sums stay in registers.
/// @param row,col  of C's first element, for the epilogue
template <class E, class Team, class Epilogue, class T = Scalar<E>>
void sum_up(const Team& team, const Workspace<T>& space, int slices, Scalar<E> alpha, Scalar<E> beta,
            const MatrixRef<E>& C, const Epilogue& epilogue, Index row = 0, Index col = 0) {
  constexpr Index width = 2 * cache_line / sizeof(T);
  const Index across = ceil_div(C.cols, width);
  const Range mine = part(C.rows * across, 1, team.size(), team.rank());
  for (Index piece = mine.begin; piece < mine.end; ++piece) {
    const Index i = piece / across, j0 = piece % across * width, n = std::min(width, C.cols - j0);
    T sums[width] = {};
    for (int s = 0; s < slices; ++s) {
      const T* const from = space.slice(s) + i * C.cols + j0;
      for (Index j = 0; j < n; ++j) add(sums[j], from[j]);
    }
    const MatrixRef<E> c = C.block(i, j0, 1, n);
    if constexpr (Rounded<E> && Epilogue::exists) {
      update_sums(c, alpha, sums, width, beta);
      epilogue.finish(row_major<const T>(sums, 1, n), c, row + i, col + j0);
    } else if constexpr (Rounded<E>) {
      update_by_rows(c, alpha, sums, width, beta);
    } else {
      for (Index j = 0; j < n; ++j) update(c(0, j), alpha, sums[j], beta);
      epilogue.finish(c, row + i, col + j0);
    }
  }
}

/// C = alpha·A·B + beta·C by a team, K in slices: each is computed by one thread, and all are added in their
/// order, whichever thread had which.
template <class E, class Team, class T, class Epilogue>
void sum_of_slices(const Team& team, const GemmArgs<E>& args, const Plan& plan, const Workspace<T>& space,
                   const Epilogue& epilogue) {
  const auto& [alpha, A, B, beta, C] = args;
  const int rank = team.rank();
  for (int s = rank; s < plan.slices; s += team.size()) {
    const Range steps = part(A.cols, 1, plan.slices, s);
    const SumArgs<E> slice{T(1), block_of(A, {0, C.rows}, steps), block_of(B, steps, {0, C.cols}), T(0),
                           row_major(space.slice(s), C.rows, C.cols)};
    multiply_whole(OneThread{}, slice, plan, space.block(rank), space.panel(rank));
  }
  team.barrier();
  sum_up(team, space, plan.slices, alpha, beta, C, epilogue);
}

/// The same for C of rounded elements, K as a whole: the sums of some rows and columns after the other, so
/// that each is rounded once.
template <Rounded E, class Team, class Epilogue>
void round_sums(const Team& team, const GemmArgs<E>& args, const Plan& plan,
                const Workspace<Scalar<E>>& space, const Epilogue& epilogue) {
  const auto& [alpha, A, B, beta, C] = args;
  const Range steps{0, A.cols};
  const Index columns = plan.blocks.bn;
  for (Index j0 = 0; j0 < C.cols; j0 += columns) {
    const Range cols{j0, std::min<Index>(j0 + columns, C.cols)};
    for (Index i0 = 0; i0 < C.rows; i0 += plan.rows_of_sums) {
      const Range rows{i0, std::min(i0 + plan.rows_of_sums, C.rows)};
      const SumArgs<E> sums{1, block_of(A, rows, steps), block_of(B, steps, cols), 0,
                            row_major(space.slice(0), rows.size(), cols.size())};
      multiply_whole(team, sums, plan, space.block(team.rank()), space.panel(0));
      team.barrier();
      sum_up(team, space, 1, alpha, beta, block_of(C, rows, cols), epilogue, i0, j0);
      team.barrier();
    }
  }
}

template <class E, class Team, class T = Scalar<E>, class Epilogue = NoEpilogue>
void multiply(const Team& team, const GemmArgs<E>& args, const Plan& plan, const Workspace<T>& space,
              const Epilogue& epilogue = {}) {
  if (plan.slices > 1) return sum_of_slices(team, args, plan, space, epilogue);
  if constexpr (Rounded<E>) {
    round_sums(team, args, plan, space, epilogue);
  } else {
    const auto& [alpha, A, B, beta, C] = args;
    multiply_whole(team, SumArgs<E>{alpha, A, B, beta, C}, plan, space.block(team.rank()), space.panel(0),
                   epilogue);
  }
}

}  // namespace rooftile::portable
