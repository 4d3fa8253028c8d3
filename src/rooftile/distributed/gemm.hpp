// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "rooftile/distributed/context.hpp"
#include "rooftile/distributed/distributed_matrix.hpp"
#include "rooftile/distributed/plan.hpp"

namespace rooftile::distributed {

/// C (m,n) = alpha·A (m,k)·B (k,n) + beta·C, of float, double, complex<float> and complex<double>, in memory
/// of the host; A, B and C in any layouts on the context's grid. Each process computes the elements of C that
/// it holds, with OpenMP's threads.
///
/// Collective over the context's communicator: all processes give the same alpha, beta, layouts and
/// sub-matrices; ranks outside the grid, too, with no local matrix. Blocks until this process's part of C is
/// ready and its operands are free again. `beta == 0` overwrites C, NaN included; `alpha == 0` and K = 0 read
/// neither A nor B. The elements of C outside its block stay. Sums are taken in one order: the same bits in
/// every run.
///
/// Workspace: `explain`'s, which the context keeps.
/// @throws Error on all processes, with the same text, before anything is sent or written: where one of them
///         refuses its arguments or has no memory, arguments differ between processes, or one does not come
///         within the timeout. Where a process goes missing later, C is neither as before nor right
template <class T>
void gemm(Context& context, std::type_identity_t<T> alpha, const DistributedMatrix<const T>& A,
          const DistributedMatrix<const T>& B, std::type_identity_t<T> beta, const DistributedMatrix<T>& C);

/// The same for operands that may be written to.
template <class T>
void gemm(Context& context, std::type_identity_t<T> alpha, const DistributedMatrix<T>& A,
          const DistributedMatrix<T>& B, std::type_identity_t<T> beta,
          const DistributedMatrix<T>& C) requires(!std::is_const_v<T>) {
  gemm<T>(context, alpha, DistributedMatrix<const T>(A), DistributedMatrix<const T>(B), beta, C);
}

}  // namespace rooftile::distributed
