// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// A ScaLAPACK for one process without MPI. Its product only leaves a mark.
#include <cstdlib>

extern "C" {

[[gnu::visibility("default")]] void Cblacs_gridinfo(int, int* rows, int* cols, int* row, int* col) {
  *rows = *cols = 1;
  *row = *col = 0;
}
[[gnu::visibility("default")]] void Cblacs_abort(int, int code) {
  std::_Exit(code);
}

[[gnu::visibility("default")]] void pdgemm_(const char* transa, const char* transb, const int* m,
                                            const int* n, const int* k, const double* alpha, const double* a,
                                            const int* ia, const int* ja, const int* desca, const double* b,
                                            const int* ib, const int* jb, const int* descb,
                                            const double* beta, double* c, const int* ic, const int* jc,
                                            const int* descc) {
  const bool same = *transa == 'N' && *transb == 't' && *alpha == 2 && a == b && *beta == 3;
  const bool places = *ia + *ja + *ib + *jb + *ic + *jc == 6 && desca == descb && descb == descc;
  *c = same && places ? *m + *n + *k : -1;
}
}
