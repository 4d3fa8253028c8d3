// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// small SIZE: a product of SIZE³ in one block on one process. Exits with 0 if the next library computed it.
#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" void pdgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
                        const double*, const int*, const int*, const int*, const double*, const int*,
                        const int*, const int*, const double*, double*, const int*, const int*, const int*);

int main(int, char** argv) {
  const int n = std::atoi(argv[1]), one = 1;
  const int words[] = {1, 0, n, n, n, n, 0, 0, n};
  const double alpha = 2, beta = 3;
  const auto elements = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  std::vector<double> x(elements), c(elements);
  pdgemm_("N", "t", &n, &n, &n, &alpha, x.data(), &one, &one, words, x.data(), &one, &one, words, &beta,
          c.data(), &one, &one, words);
  const bool is_marked = c[0] == 3 * n;
  std::printf("%d: %s\n", n, is_marked ? "passed on" : "not passed on");
  return is_marked ? 0 : 1;
}
