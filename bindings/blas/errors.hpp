// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Reports of invalid arguments, as in reference BLAS. They go to `xerbla_` or `cblas_xerbla` of the program
/// or of another library, or else to standard error. The routine then returns and leaves C untouched.
namespace rooftile::blas {

/// Reports to `xerbla_`; with 64-bit integers to `xerbla_64_` if defined.
/// @param routine   six characters, for example `DGEMM `
/// @param argument  number in the Fortran interface
template <class Int>
void report(const char* routine, Int argument);

/// Reports to `cblas_xerbla`; with 64-bit integers to `cblas_xerbla_64` if defined. `format` may be empty.
/// @param argument  for a row-major product, the number in the equivalent column-major call: Netlib's
/// function converts it
template <class Int>
void report_to_cblas(const char* routine, Int argument, bool by_rows, const char* format, int value);

}  // namespace rooftile::blas
