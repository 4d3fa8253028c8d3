/* SPDX-FileCopyrightText: The Rooftile authors
   SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc);

int main(void) {
  const int two = 2;
  const double one = 1, zero = 0;
  const double a[] = {1, 3, 2, 4}, b[] = {5, 7, 6, 8}; /* by columns: (1 2; 3 4) and (5 6; 7 8) */
  double c[4];
  dgemm_("N", "N", &two, &two, &two, &one, a, &two, b, &two, &zero, c, &two);
  printf("%g %g\n%g %g\n", c[0], c[2], c[1], c[3]);
  return c[0] == 19 && c[1] == 43 && c[2] == 22 && c[3] == 50 ? 0 : 1;
}
