// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/complex.hpp"
#include "rooftile/int8_guard.hpp"
#include "rooftile/matrix.hpp"

namespace rooftile {

/// How `gemm` would compute A·B in `ComputeMode::fp64_int8`, for which it asks the same at every call. Reads
/// A and B twice. Every element of the result is then within (K + 4)·2⁻⁵³·(|A|·|B|) of the exact one, as
/// those of a sum in fp64 are, before alpha and beta (docs/fp64-from-int8.md).
/// @param A,B  (M,K) and (K,N), in memory of the host. @pre they conform
Int8Guard int8_guard(const MatrixRef<const double>& A, const MatrixRef<const double>& B);
/// The same in `ComputeMode::cfp64_int8`. The real part of every element is then within (2·K + 4)·2⁻⁵³ of
/// |Ar|·|Br| + |Ai|·|Bi|, the imaginary one of |Ar|·|Bi| + |Ai|·|Br|.
Int8Guard int8_guard(const MatrixRef<const complex<double>>& A, const MatrixRef<const complex<double>>& B);

}  // namespace rooftile
