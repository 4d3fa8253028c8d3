// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Calls each interface in order with a wrong argument. C must not change.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "tests/bindings/blas/blas.hpp"

int main() {
  using namespace rooftile::testing;
  const std::vector<double> ones(4, 1);
  std::vector<double> c(4, 7);
  Call<double> x{by_columns, 'N', 'N', 2, -1, 2, 1, ones.data(), 2, ones.data(), 2, 0, c.data(), 2};
  for (const Interface by : interfaces) {
    std::fprintf(stderr, "%d: ", static_cast<int>(by));
    call(by, x);
  }
  x.layout = by_rows;
  std::fprintf(stderr, "rows: ");
  call(Interface::cblas, x);
  std::fprintf(stderr, "layout: ");
  x.layout = 7;
  call(Interface::cblas_64, x);
  return std::count(c.begin(), c.end(), 7.0) == 4 ? 0 : 1;
}
