// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/distributed/context.hpp"
#include "rooftile/distributed/distributed_matrix.hpp"

namespace rooftile::distributed {

/// Computes B (m,n) = A (m,n) for matrices with different layouts, like ScaLAPACK's `p?gemr2d`.
///
/// The matrices are in host memory, with elements float, double, complex<float> or complex<double>. Both may
/// be sub-matrices, transposed and conjugated. Elements of B outside its sub-matrix stay unchanged.
///
/// Collective: all processes call it with equal layouts and sub-matrices. Returns when this process's part of
/// B is ready.
///
/// Workspace: at most `Options::workspace` bytes, which the context keeps. Larger matrices are moved in
/// parts.
/// @throws Error  as `gemm`, and if B shares elements with A
template <class T>
void redistribute(Context& context, const DistributedMatrix<const T>& A, const DistributedMatrix<T>& B);

/// Redistributes an operand that is not const. @see the overload for const operands
template <class T>
void redistribute(Context& context, const DistributedMatrix<T>& A,
                  const DistributedMatrix<T>& B) requires(!std::is_const_v<T>) {
  redistribute<T>(context, DistributedMatrix<const T>(A), B);
}

}  // namespace rooftile::distributed
