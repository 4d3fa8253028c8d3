// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "rooftile/distributed/context.hpp"
#include "rooftile/distributed/distributed_matrix.hpp"
#include "rooftile/distributed/plan.hpp"

namespace rooftile::distributed {

/// Computes C (m,n) = alpha·A (m,k)·B (k,n) + beta·C of distributed matrices in host memory.
///
/// Elements are float, double, complex<float> or complex<double>. A, B and C may have any layouts on the
/// context's grid. OpenMP threads of each process compute. `beta == 0` overwrites C, NaN included. `alpha ==
/// 0` and K = 0 read neither A nor B. Elements of C outside its sub-matrix stay unchanged.
///
/// Collective: all processes of the communicator call it with equal alpha, beta, layouts and sub-matrices.
/// Ranks outside the grid take part without a local matrix. Returns when this process's part of C is ready
/// and its operands may be reused. Every run gives equal bits.
///
/// Workspace: see `explain`; the context keeps it.
/// @throws Error  on all processes with one text, before anything is sent or written: if a process refuses
///                its arguments or has no memory, arguments differ, or a process does not call within the
///                timeout. If a process goes missing later, the contents of C are undefined.
template <class T>
void gemm(Context& context, std::type_identity_t<T> alpha, const DistributedMatrix<const T>& A,
          const DistributedMatrix<const T>& B, std::type_identity_t<T> beta, const DistributedMatrix<T>& C);

/// Computes a product with operands that are not const. @see the overload for const operands
template <class T>
void gemm(Context& context, std::type_identity_t<T> alpha, const DistributedMatrix<T>& A,
          const DistributedMatrix<T>& B, std::type_identity_t<T> beta,
          const DistributedMatrix<T>& C) requires(!std::is_const_v<T>) {
  gemm<T>(context, alpha, DistributedMatrix<const T>(A), DistributedMatrix<const T>(B), beta, C);
}

}  // namespace rooftile::distributed
