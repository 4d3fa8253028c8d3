// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/complex.hpp"
#include "rooftile/int8_guard.hpp"
#include "rooftile/matrix.hpp"

namespace rooftile {

/// Returns the result of the accuracy guard of `ComputeMode::fp64_int8` for A·B, which `gemm` applies at each
/// call.
///
/// Reads A and B twice, on the calling thread. If `moduli` is not 0, every element of A·B is within (K +
/// 4)·2⁻⁵³·(|A|·|B|) of the exact one, before alpha and beta, as sums in fp64 are. See docs/numerics.md.
/// @param A,B  (M,K) and (K,N), in memory of the host. @pre the shapes conform
Int8Guard int8_guard(const MatrixRef<const double>& A, const MatrixRef<const double>& B);
/// Returns the result of the accuracy guard of `ComputeMode::cfp64_int8` for A·B. The real part of every
/// element is within (2·K + 4)·2⁻⁵³ of |Ar|·|Br| + |Ai|·|Bi|, the imaginary part of |Ar|·|Bi| + |Ai|·|Br|.
Int8Guard int8_guard(const MatrixRef<const complex<double>>& A, const MatrixRef<const complex<double>>& B);

}  // namespace rooftile
