// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Where wrong arguments are reported: to the functions of that name that the process has, a program's own
/// before a library's. Where it has none, a line on standard error says what reference BLAS does. Then the
/// routine returns; C is untouched.
namespace rooftile::blas {

/// To `xerbla_`, of the interface with 64-bit integers to `xerbla_64_`, if there is one.
/// @param routine   six characters, `DGEMM `
/// @param argument  its number in the Fortran interface
template <class Int>
void report(const char* routine, Int argument);

/// To `cblas_xerbla`, of the interface with 64-bit integers to `cblas_xerbla_64`, if there is one.
/// @param routine   `cblas_dgemm`
/// @param argument  its number, of a product by rows in the call that computes it by columns: Netlib's
///                  cblas_xerbla exchanges M and N, lda and ldb where RowMajorStrg says so
/// @param format    printed with `value` behind the line; may be empty
template <class Int>
void report_to_cblas(const char* routine, Int argument, bool by_rows, const char* format, int value);

}  // namespace rooftile::blas
