// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/distributed/gemm.hpp"

#include <algorithm>
#include <optional>

#include "distributed/mpi/agreement.hpp"
#include "distributed/mpi/checks.hpp"
#include "distributed/mpi/local_product.hpp"
#include "distributed/mpi/panel_exchange.hpp"
#include "distributed/mpi/partial_sums.hpp"

namespace rooftile::distributed {

namespace {

/// Calls f(i, j, rows, cols) for blocks of this process's part of C. Between blocks, the process answers
/// other processes, and MPI makes progress. Blocks are large enough to keep the kernels efficient.
template <class F>
void for_each_block(Index rows, Index cols, const F& f) {
  constexpr Index block = 2048;
  for (Index i = 0; i < rows; i += block) {
    for (Index j = 0; j < cols; j += block) {
      f(i, j, std::min(block, rows - i), std::min(block, cols - j));
    }
  }
}

/// Elements of X, read as conjugates if X is.
template <class T>
MatrixRef<const T> read_as(const DistributedMatrix<const T>& X, const MatrixRef<const T>& elements) {
  return detail::reads_conjugates(X.local) ? elements.conjugated() : elements;
}

template <class T>
void multiply(Context& context, T alpha, const DistributedMatrix<const T>& A,
              const DistributedMatrix<const T>& B, T beta, const DistributedMatrix<T>& C) {
  const DistributedMatrix<const T> Bt = B.transposed();
  const bool reads = alpha != T(0) && A.cols.extent > 0;
  Plan plan;
  Division division;
  std::byte* workspace = nullptr;
  std::optional<PanelExchange<T>> of_a, of_b;
  std::optional<PartialSums<T>> sums;
  Proposal mine;
  mine.refusal = refusal_of([&] {
    check_product(context, A, B, C);
    plan = plan_product({context.grid(), A.rows, A.cols, B.rows, B.cols, C.rows, C.cols, type_of<T>(), reads},
                        context.options().products);
    if (plan.panels == 0 || !context.in_grid()) return;
    division = division_of(plan, C.rows, C.cols, A.cols);
    of_a.emplace(context, A, division.c_rows, division, plan.depth, 0);
    of_b.emplace(context, Bt, division.c_cols, division, plan.depth, 1);
    if (division.layers > 1) sums.emplace(context, C, division);
    if ((workspace = context.reserve(plan.workspace)) == nullptr) {
      throw Error(detail::text("too little memory for a distributed product's workspace (", plan.workspace,
                               " bytes): free some, or allow less workspace"));
    }
  });
  mine.fingerprint = fingerprint_of<T>(alpha, A, B, beta, C).value();
  mine.a_along_k = lies_along_k(A), mine.b_along_k = lies_along_k(Bt);
  const Proposal all = agree(context.watch(), mine);
  if (!context.in_grid() || plan.shape.m == 0 || plan.shape.n == 0) return;

  const auto here = [&](const auto& X) {
    return local_block(X, context.grid(), context.row(), context.col());
  };
  const MatrixRef<T> own = sums ? sums->take(workspace) : here(C);  // computed by this process
  // The process answers others between blocks.
  const auto multiply_blocks = [&](const MatrixRef<const T>& a, const MatrixRef<const T>& b, T beta_now) {
    for_each_block(own.rows, own.cols, [&](Index i, Index j, Index rows, Index cols) {
      multiply_here<T>({alpha, a.block(i, 0, rows, a.cols), b.block(0, j, b.rows, cols), beta_now,
                        own.block(i, j, rows, cols)});
      context.watch().progress();
    });
  };
  if (plan.in_place && reads) return multiply_blocks(here(A), here(B), beta);
  if (plan.panels == 0) {
    return multiply_here<T>({T(0), {nullptr, own.rows, 0, 0, 0}, {nullptr, 0, own.cols, 0, 0}, beta, own});
  }
  of_b->take(of_a->take(sums ? sums->behind() : workspace, all.a_along_k), all.b_along_k);
  const Index steps = plan.depth * plan.layers;  // steps of a panel, summed over all layers
  const auto start = [&](Index from) {
    if (from >= plan.shape.k) return;
    const Index to = std::min(plan.shape.k, from + steps);
    of_a->start(from, to), of_b->start(from, to);
  };
  start(0);
  // If A and B divide K in the same way among equally many processes, segments of A and B have equal steps.
  // They are multiplied where they arrive, in the order of the processes.
  if (of_a->has_segments() && of_b->has_segments() && divide_alike(A.cols, B.rows) &&
      processes_of(A.cols, context.grid()) == processes_of(B.rows, context.grid())) {
    for (Index from = 0; from < plan.shape.k; from += steps) {
      const auto &of_a_now = of_a->finish_segments(), &of_b_now = of_b->finish_segments();
      start(from + steps);
      T beta_now = from > 0 ? T(1) : beta;
      for (std::size_t i = 0; i < std::min(of_a_now.size(), of_b_now.size()); ++i) {
        if (of_a_now[i].cols == 0) continue;
        multiply_blocks(read_as(A, of_a_now[i]), read_as(B, of_b_now[i].transposed()), beta_now);
        beta_now = T(1);
      }
    }
    return;
  }
  for (Index from = 0; from < plan.shape.k; from += steps) {
    const MatrixRef<const T> panel_a = read_as(A, of_a->finish()),
                             panel_b = read_as(B, of_b->finish().transposed());
    start(from + steps);
    multiply_blocks(panel_a, panel_b, from > 0 ? T(1) : sums ? T(0) : beta);
  }
  if (sums) sums->add(beta);
}

}  // namespace

template <class T>
void gemm(Context& context, std::type_identity_t<T> alpha, const DistributedMatrix<const T>& A,
          const DistributedMatrix<const T>& B, std::type_identity_t<T> beta, const DistributedMatrix<T>& C) {
  context.watch().run([&] { multiply<T>(context, alpha, A, B, beta, C); });
}

#define ROOFTILE_GEMM(T)                                                                                   \
  template void gemm<T>(Context&, T, const DistributedMatrix<const T>&, const DistributedMatrix<const T>&, \
                        T, const DistributedMatrix<T>&);
ROOFTILE_GEMM(float)
ROOFTILE_GEMM(double)
ROOFTILE_GEMM(complex<float>)
ROOFTILE_GEMM(complex<double>)
#undef ROOFTILE_GEMM

}  // namespace rooftile::distributed
