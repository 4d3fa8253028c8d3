// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Wrong arguments go to `xerbla_` and its like, as in reference BLAS: a program's own or another library's,
/// else a line goes to standard error. Then the routine returns; C is untouched.
namespace rooftile::blas {

/// To `xerbla_`; with 64-bit integers to `xerbla_64_` if there is one, else to `xerbla_`.
/// @param routine   six characters, `DGEMM `; the argument's number is that of the Fortran interface
template <class Int>
void report(const char* routine, Int argument);

/// To `cblas_xerbla`; with 64-bit integers to `cblas_xerbla_64` if there is one. `format` may be empty.
/// @param argument  of a product by rows its number in the call by columns: Netlib's function exchanges both
template <class Int>
void report_to_cblas(const char* routine, Int argument, bool by_rows, const char* format, int value);

}  // namespace rooftile::blas
