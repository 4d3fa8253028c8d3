// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// whole_blas LIBRARY: opens a whole BLAS, and calls gemm of both interfaces and routines that Rooftile has
// not got.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <dlfcn.h>

#include "tests/bindings/blas/blas.hpp"

namespace rooftile::testing {
namespace {

using Int = std::int32_t;
using Isamax = Int(const Int*, const float*, const Int*);
using Dtrsm = void(const char*, const char*, const char*, const char*, const Int*, const Int*, const double*,
                   const double*, const Int*, double*, const Int*);

/// Whether all routines compute what they should.
bool computes(void* library) {
  const auto find = [&](const char* name) {
    void* const found = dlsym(library, name);
    if (found == nullptr) std::printf("%s is missing\n", name);
    return found;
  };
  auto* const isamax = reinterpret_cast<Isamax*>(find("isamax_"));
  auto* const dtrsm = reinterpret_cast<Dtrsm*>(find("dtrsm_"));
  auto* const dgemm = reinterpret_cast<FortranGemm<double, Int>*>(find("dgemm_"));
  auto* const cblas_gemm = reinterpret_cast<CGemm<double, Int>*>(find("cblas_dgemm"));
  if (isamax == nullptr || dtrsm == nullptr || dgemm == nullptr || cblas_gemm == nullptr) return false;

  const Int three = 3, one = 1;
  const float x[] = {1, -7, 2};
  if (isamax(&three, x, &one) != 2) return false;

  const Int size = 3;
  const double unit = 1, lower[] = {1, 1, 1, 0, 1, 1, 0, 0, 1};  // by columns
  double solved[] = {1, 2, 3, 1, 2, 3, 1, 2, 3};
  dtrsm("L", "L", "N", "N", &size, &size, &unit, lower, &size, solved, &size);
  const std::vector<double> solution(9, 1);
  if (std::vector<double>(solved, solved + 9) != solution) return false;

  const std::vector<double> ones(9, 1), threes(9, 3);
  std::vector<double> c(9), d(9);
  Call<double> product{by_columns, 'N', 'N', size, size, size, 1, ones.data(), size, ones.data(), size};
  product.c = c.data(), product.ldc = size;
  call(dgemm, product);
  product.c = d.data(), product.layout = by_rows;
  call<double, Int>(cblas_gemm, product);
  return c == threes && d == threes;
}

}  // namespace
}  // namespace rooftile::testing

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::printf("%s\n", dlerror()), 1;
  return rooftile::testing::computes(library) ? 0 : 1;
}
