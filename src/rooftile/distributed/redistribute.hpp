// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/distributed/context.hpp"
#include "rooftile/distributed/distributed_matrix.hpp"

namespace rooftile::distributed {

/// B (m,n) = A (m,n): the same elements in another layout, as ScaLAPACK's `p?gemr2d`, of float, double,
/// complex<float> and complex<double>, in memory of the host. Both may be parts of matrices, transposed and
/// conjugated.
///
/// Collective, as `gemm` is, and with its rules: all processes give the same layouts and sub-matrices. Blocks
/// until this process's part of B is there. The elements of B outside its block stay.
///
/// Workspace: at most `Options::workspace`, which the context keeps; the matrices pass in parts that fit.
/// @throws Error as `gemm` does; where B's elements are among A's
template <class T>
void redistribute(Context& context, const DistributedMatrix<const T>& A, const DistributedMatrix<T>& B);

/// The same for an operand that may be written to.
template <class T>
void redistribute(Context& context, const DistributedMatrix<T>& A,
                  const DistributedMatrix<T>& B) requires(!std::is_const_v<T>) {
  redistribute<T>(context, DistributedMatrix<const T>(A), B);
}

}  // namespace rooftile::distributed
