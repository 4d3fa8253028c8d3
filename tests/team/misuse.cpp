// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// `team_misuse CASE` makes one mistake. A build with checks reports it before it aborts.
#define ROOFTILE_CHECK_TEAMS
#include <cstring>
#include <vector>

#include "rooftile/team_gemm.hpp"

int main(int, char** argv) {
  std::vector<double> a(64, 1), b(64, 1), c(64, 0);
  const auto is = [&](const char* name) { return std::strcmp(argv[1], name) == 0; };
  const auto matrix = [](std::vector<double>& x, rooftile::Index rows, rooftile::Index cols) {
    return rooftile::row_major(x.data(), rows, cols);
  };
  if (is("shapes")) rooftile::thread_gemm(1, matrix(a, 4, 5), matrix(b, 6, 3), 0, matrix(c, 4, 3));
  if (is("constants")) {
    rooftile::thread_gemm(1, matrix(a, 4, 5), matrix(b, 5, 3), 0, matrix(c, 4, 3),
                          rooftile::TeamGemmOptions<4, 3, 8>());
  }
  if (is("alias")) rooftile::thread_gemm(1, matrix(a, 4, 4), matrix(b, 4, 4), 0, matrix(b, 4, 4));
  if (is("interleaved")) {  // valid: C lies between the columns of A
    const rooftile::MatrixRef<double> A{a.data(), 4, 4, 8, 2}, C{a.data() + 1, 4, 4, 8, 2};
    rooftile::thread_gemm(1, A, matrix(b, 4, 4), 0, C);
  }
  return 0;
}
