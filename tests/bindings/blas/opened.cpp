// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// opened_blas LIBRARY products|rights|fortran_error|cblas_error|whole: opens a BLAS that the program is not
// linked with, and closes it. `whole` needs a complete BLAS, with routines that Rooftile lacks.
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <sys/auxv.h>

#include "tests/bindings/blas/blas.hpp"

namespace rooftile::testing {
namespace {

using Int = std::int32_t;

/// Finds a function of the library.
template <class T>
T* find(void* library, const char* name) {
  void* const found = dlsym(library, name);
  if (found == nullptr) std::printf("%s is missing\n", name);
  return reinterpret_cast<T*>(found);
}

/// Whether a product of ones that is large enough for several threads is right.
bool multiplies(FortranGemm<double, Int>* gemm) {
  const Index size = 300;
  const std::vector<double> ones(size * size, 1);
  std::vector<double> c(size * size);
  Call<double> x{by_columns, 'N', 'N', size, size, size, 1, ones.data(), size, ones.data(), size};
  x.c = c.data(), x.ldc = size;
  call(gemm, x);
  return c == std::vector<double>(size * size, static_cast<double>(size));
}

/// Opens the library, calls it from a thread that ends, and closes it, three times. OpenMP's threads keep it
/// loaded.
bool multiplies_again(const char* file) {
  bool is_right = true;
  for (int i = 0; i < 3; ++i) {
    void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return false;
    std::jthread([&] {
      is_right = is_right && multiplies(find<FortranGemm<double, Int>>(library, "dgemm_"));
    }).join();
    dlclose(library);
    is_right = is_right && dlopen(file, RTLD_NOW | RTLD_NOLOAD) != nullptr;
  }
  return is_right;
}

/// Passes a wrong leading dimension of A. The library reports it itself because there is no xerbla.
void give_wrong_argument(void* library, std::string_view interface) {
  const double x[4] = {};
  double c[4] = {};
  const Call<double> wrong{by_rows, 'N', 'N', 2, 2, 2, 1, x, 1, x, 2, 0, c, 2};
  if (interface == "fortran_error") {
    call(find<FortranGemm<double, Int>>(library, "dgemm_"), wrong);
  } else {
    call<double, Int>(find<CGemm<double, Int>>(library, "cblas_dgemm"), wrong);
  }
}

using Isamax = Int(const Int*, const float*, const Int*);
using Dtrsm = void(const char*, const char*, const char*, const char*, const Int*, const Int*, const double*,
                   const double*, const Int*, double*, const Int*);

/// Whether gemm of both interfaces, and routines that Rooftile lacks, compute the right results.
bool computes_all(void* library) {
  auto* const isamax = find<Isamax>(library, "isamax_");
  auto* const dtrsm = find<Dtrsm>(library, "dtrsm_");
  auto* const dgemm = find<FortranGemm<double, Int>>(library, "dgemm_");
  auto* const cblas_gemm = find<CGemm<double, Int>>(library, "cblas_dgemm");
  if (isamax == nullptr || dtrsm == nullptr || dgemm == nullptr || cblas_gemm == nullptr) return false;

  const Int three = 3, one = 1;
  const float x[] = {1, -7, 2};
  if (isamax(&three, x, &one) != 2) return false;

  const Int size = 3;
  const double unit = 1, lower[] = {1, 1, 1, 0, 1, 1, 0, 0, 1};  // column-major
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
  if (argc != 3) return 2;
  const std::string_view what = argv[2];
  if (what == "rights") std::puts(getauxval(AT_SECURE) != 0 ? "with other rights" : "with its user's rights");
  if (what == "products" || what == "rights") return rooftile::testing::multiplies_again(argv[1]) ? 0 : 1;
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::printf("%s\n", dlerror()), 1;
  if (what == "whole") return rooftile::testing::computes_all(library) ? 0 : 1;
  rooftile::testing::give_wrong_argument(library, what);
  return 0;
}
