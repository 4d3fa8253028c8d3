// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Reports wrong arguments to `xerbla_` and its like, as reference BLAS does. The library defines these
/// functions itself. A program's own definition has priority over it, however the program is linked, and
/// another library's definition, which ours calls. If there is neither, ours writes reference BLAS' line to
/// standard error. Then the routine returns; C is untouched.
namespace rooftile::blas {

/// To `xerbla_`. The interface with 64-bit integers reports to `xerbla_64_` if there is one, else to
/// `xerbla_`, which may read an integer of 32 or of 64 bits.
/// @param routine   six characters, `DGEMM `
/// @param argument  its number in the Fortran interface
template <class Int>
void report(const char* routine, Int argument);

/// To `cblas_xerbla`. The interface with 64-bit integers reports to `cblas_xerbla_64` if there is one, else
/// to `cblas_xerbla`.
/// @param routine   `cblas_dgemm`
/// @param argument  its number, of a product by rows in the call that computes it by columns: Netlib's
///                  cblas_xerbla exchanges M and N, lda and ldb where RowMajorStrg says so
/// @param format    printed with `value` behind the line; may be empty
template <class Int>
void report_to_cblas(const char* routine, Int argument, bool by_rows, const char* format, int value);

}  // namespace rooftile::blas
