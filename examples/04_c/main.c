/* SPDX-FileCopyrightText: The Rooftile authors
   SPDX-License-Identifier: Apache-2.0
   One product in C: a row-major matrix times the transpose of another; then an invalid call. */
#include <rooftile.h>
#include <stdio.h>

int main(void) {
  const double a[2][3] = {{1, 2, 3}, {4, 5, 6}};           /* (2,3) */
  const double bt[2][3] = {{1, 0, 1}, {0, 1, 0}};          /* (2,3), the transpose of B */
  const double alpha = 1, beta = 0;
  double c[2][2];                                          /* (2,2) */
  const rooftile_layout la = rooftile_row_major(2, 3, 3), lc = rooftile_row_major(2, 2, 2);
  const rooftile_layout lb = rooftile_transposed(rooftile_row_major(2, 3, 3));

  rooftile_handle handle;
  if (rooftile_create(&handle) != ROOFTILE_SUCCESS) return 2;
  rooftile_status status = rooftile_gemm(handle, ROOFTILE_FP64, &alpha, a, la, bt, lb, &beta, c, lc);
  printf("%s: %g %g, %g %g\n", rooftile_status_string(status), c[0][0], c[0][1], c[1][0], c[1][1]);
  const int right = status == ROOFTILE_SUCCESS && c[0][0] == 4 && c[0][1] == 2 && c[1][0] == 10 && c[1][1] == 5;

  status = rooftile_gemm(handle, ROOFTILE_FP64, &alpha, a, la, bt, la, &beta, c, lc);
  printf("%s: %s\n", rooftile_status_string(status), rooftile_last_message(handle));
  rooftile_destroy(handle);
  return right && status == ROOFTILE_INVALID_VALUE ? 0 : 1;
}
