/* SPDX-FileCopyrightText: The Rooftile authors
   SPDX-License-Identifier: Apache-2.0
   Another BLAS, whose product must not be the one that is called. */
#include <stdlib.h>

void dgemm_(void) {
  exit(3);
}
