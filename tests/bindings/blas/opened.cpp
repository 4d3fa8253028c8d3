// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// opened_blas LIBRARY products|rights|fortran_error|cblas_error: opens the BLAS, of which it knows nothing,
// and closes it.
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

/// A function of the library.
template <class T>
T* find(void* library, const char* name) {
  return reinterpret_cast<T*>(dlsym(library, name));
}

/// Whether a product of ones that threads share is right.
bool multiplies(FortranGemm<double, std::int32_t>* gemm) {
  const Index size = 300;
  const std::vector<double> ones(size * size, 1);
  std::vector<double> c(size * size);
  Call<double> x{by_columns, 'N', 'N', size, size, size, 1, ones.data(), size, ones.data(), size};
  x.c = c.data(), x.ldc = size;
  call(gemm, x);
  return c == std::vector<double>(size * size, static_cast<double>(size));
}

/// Opens the library, uses it by a thread that ends, and closes it; again, since what OpenMP's threads run
/// stays loaded.
bool multiplies_again(const char* file) {
  bool is_right = true;
  for (int i = 0; i < 3; ++i) {
    void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return false;
    std::jthread([&] {
      is_right = is_right && multiplies(find<FortranGemm<double, std::int32_t>>(library, "dgemm_"));
    }).join();
    dlclose(library);
    is_right = is_right && dlopen(file, RTLD_NOW | RTLD_NOLOAD) != nullptr;
  }
  return is_right;
}

/// A wrong leading dimension of A, which the library says itself, since there is no xerbla.
void give_wrong_argument(void* library, std::string_view interface) {
  const double x[4] = {};
  double c[4] = {};
  const Call<double> wrong{by_rows, 'N', 'N', 2, 2, 2, 1, x, 1, x, 2, 0, c, 2};
  if (interface == "fortran_error") {
    call(find<FortranGemm<double, std::int32_t>>(library, "dgemm_"), wrong);
  } else {
    call<double, std::int32_t>(find<CGemm<double, std::int32_t>>(library, "cblas_dgemm"), wrong);
  }
}

}  // namespace
}  // namespace rooftile::testing

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string_view what = argv[2];
  if (what == "rights") std::puts(getauxval(AT_SECURE) != 0 ? "with other rights" : "with its user's rights");
  if (what == "products" || what == "rights") return rooftile::testing::multiplies_again(argv[1]) ? 0 : 1;
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return 1;
  rooftile::testing::give_wrong_argument(library, what);
  return 0;
}
